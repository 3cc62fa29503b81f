/** Documents of rich text as trees of nodes: Contentful's, Strapi's blocks, and others that Slate's editors write. */
import type { Element, ElementContent } from "hast";
import type { Warnings } from "../../domain/articles/warnings.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { toText } from "../import-item.ts";

export type Node = Record<string, unknown>;

export interface RichTextOptions {
  warnings: Warnings;
  /** Renders what the document refers to; null: it is a node of the text. */
  embed?: (node: Node, children: ElementContent[]) => ElementContent[] | null;
}

const ELEMENTS: Record<string, string> = {
  paragraph: "p",
  p: "p",
  quote: "blockquote",
  blockquote: "blockquote",
  hr: "hr",
  ul: "ul",
  ol: "ol",
  "unordered-list": "ul",
  "bulleted-list": "ul",
  "ordered-list": "ol",
  "numbered-list": "ol",
  "list-item": "li",
  li: "li",
  table: "table",
  "table-row": "tr",
  "table-cell": "td",
  "table-header-cell": "th",
};

const MARKS: Record<string, string> = {
  code: "code",
  bold: "strong",
  italic: "em",
  underline: "u",
  strikethrough: "s",
  superscript: "sup",
  subscript: "sub",
};

const INLINE = new Set([...Object.values(MARKS), "a", "br"]);

export function renderRichText(nodes: unknown, options: RichTextOptions): ElementContent[] {
  const blocks: ElementContent[] = [];
  let isOpen = false;
  for (const node of renderNodes(nodes, options)) {
    const isInline = node.type === "text" || (node.type === "element" && INLINE.has(node.tagName));
    const last = blocks.at(-1);
    // An unknown block may leave nothing but words.
    if (!isInline) blocks.push(node);
    else if (isOpen && last?.type === "element") last.children.push(node);
    else blocks.push(h("p", [node]));
    isOpen = isInline;
  }
  return blocks;
}

function renderNodes(nodes: unknown, options: RichTextOptions): ElementContent[] {
  return (Array.isArray(nodes) ? nodes : []).filter(isRecord).flatMap((node) => render(node, options));
}

function render(node: Node, options: RichTextOptions): ElementContent[] {
  const kind = toText(node["nodeType"] ?? node["type"]) ?? "";
  const text = node["value"] ?? node["text"];
  if (typeof text === "string" && (kind === "text" || kind === "")) return marked(text, node);
  const inner = node["content"] ?? node["children"];
  const children = renderNodes(inner, options);
  const embedded = options.embed?.(node, children);
  if (embedded != null) return embedded;
  const element = ELEMENTS[kind];
  if (element === "li" || element === "td" || element === "th") return [h(element, unwrapped(children))];
  if (element === "p" && children.length === 0) return [];
  if (element !== undefined) return [h(element, children)];
  const data = isRecord(node["data"]) ? node["data"] : {};
  const level =
    /^heading-?([1-6])$/.exec(kind)?.[1] ?? (kind === "heading" ? (toText(node["level"]) ?? "2") : undefined);
  if (level !== undefined && /^[1-6]$/.test(level)) return [h(`h${level}`, children)];
  switch (kind) {
    case "document":
      return children;
    case "list":
      return [h(node["format"] === "ordered" ? "ol" : "ul", nested(children))];
    case "hyperlink":
    case "link":
      return linked(toText(data["uri"]) ?? toText(node["url"]), children);
    case "code":
      return [codeBlock(plainCode(inner), toText(node["language"]))];
    case "image": {
      const image = isRecord(node["image"]) ? node["image"] : node;
      const picture = pictureOf(image["url"], image["alternativeText"] ?? image["alt"], image["caption"]);
      if (picture !== null) return [picture];
    }
  }
  return replaced(kind, children.length > 0 ? children : wordsOf(node), options.warnings);
}

/** The words of what is unknown here, with a warning. */
export function replaced(kind: string, words: ElementContent[] | string, warnings: Warnings): ElementContent[] {
  warnings.add("construct_replaced", kind === "" ? "a node without a type" : kind);
  if (typeof words !== "string") return words;
  return words === "" ? [] : [h("p", [textNode(words)])];
}

/** Strapi puts a nested list beside its item; in HTML it belongs into the item before. */
function nested(children: ElementContent[]): ElementContent[] {
  const items: ElementContent[] = [];
  for (const child of children) {
    const last = items.at(-1);
    const isList = child.type === "element" && (child.tagName === "ul" || child.tagName === "ol");
    if (isList && last?.type === "element") last.children.push(child);
    else items.push(child);
  }
  return items;
}

/** Items and cells often hold a single paragraph, which says nothing. */
function unwrapped(children: ElementContent[]): ElementContent[] {
  const [first, ...others] = children;
  if (first?.type !== "element" || first.tagName !== "p") return children;
  const isPlain = others.every((child) => child.type === "element" && /^[uo]l$/.test(child.tagName));
  return isPlain ? [...first.children, ...others] : children;
}

function marked(text: string, node: Node): ElementContent[] {
  if (text === "") return [];
  const marks = Array.isArray(node["marks"]) ? node["marks"] : [];
  const names = new Set(marks.map((mark: unknown) => (isRecord(mark) ? mark["type"] : undefined)));
  let nodes = lines(text);
  for (const [mark, tag] of Object.entries(MARKS)) {
    if (node[mark] === true || names.has(mark)) nodes = [h(tag, nodes)];
  }
  return nodes;
}

/** Editors keep a break within a paragraph as the character. */
export function lines(text: string): ElementContent[] {
  const nodes: ElementContent[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) nodes.push(h("br", []));
    if (line !== "") nodes.push(textNode(line));
  }
  return nodes;
}

export function linked(address: string | undefined, children: ElementContent[]): ElementContent[] {
  if (address === undefined) return children;
  return [h("a", children.length === 0 ? [textNode(address)] : children, { href: address })];
}

export function pictureOf(url: unknown, alt: unknown, caption: unknown): Element | null {
  const src = toText(url);
  if (src === undefined) return null;
  const image = h("img", [], { src, alt: toText(alt) ?? "" });
  const words = toText(caption);
  return words === undefined ? image : h("figure", [image, h("figcaption", [textNode(words)])]);
}

function plainCode(nodes: unknown): string {
  const texts = (Array.isArray(nodes) ? nodes : []).filter(isRecord).map((node) => node["text"]);
  return texts.filter((text) => typeof text === "string").join("");
}

export function codeBlock(code: string, language: string | undefined): Element {
  const properties = language === undefined ? {} : { className: [`language-${language.replaceAll(/\s/g, "")}`] };
  return h("pre", [h("code", [textNode(code)], properties)]);
}

export function h(tagName: string, children: ElementContent[], properties: Element["properties"] = {}): Element {
  return { type: "element", tagName, properties, children };
}

export function textNode(value: string): ElementContent {
  return { type: "text", value };
}

/** Names of values that are words even if they are one word. */
const NAMES_OF_WORDS = new Set(
  "text value title caption label heading name description body content quote code html markdown question answer".split(
    " ",
  ),
);
const NAMES_OF_OTHERS = /^(?:_|sys$|id$|type$|nodeType$|slug$|createdAt$|updatedAt$|publishedAt$)/;

/** What people read of something unknown, without ids, addresses and settings. */
export function wordsOf(value: unknown): string {
  return wordsIn(value).replaceAll(/\s+/g, " ").trim();
}

function wordsIn(value: unknown, name = "text"): string {
  if (typeof value === "string") {
    const isWords = NAMES_OF_WORDS.has(name) || /\S\s+\S/.test(value);
    return isWords && !/^\w+:\/\/\S+$/.test(value) ? value : "";
  }
  if (Array.isArray(value)) return value.map((item: unknown) => wordsIn(item, name)).join(" ");
  if (!isRecord(value)) return "";
  const kept = Object.entries(value).filter(([key]) => !NAMES_OF_OTHERS.test(key));
  return kept.map(([key, inner]) => wordsIn(inner, key)).join(" ");
}
