/** Sanity's portable text: blocks side by side, of which neighbours make a list. */
import type { ElementContent } from "hast";
import type { Warnings } from "../../domain/articles/warnings.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { toText } from "../import-item.ts";
import { codeBlock, h, lines, linked, type Node, pictureOf, replaced, wordsOf } from "./rich-text.ts";

export interface PortableTextOptions {
  warnings: Warnings;
  /** The address of a picture; undefined: it is unknown. */
  pictureUrl: (image: Node) => string | undefined;
}

const MARKS: Record<string, string> = {
  strong: "strong",
  em: "em",
  code: "code",
  underline: "u",
  "strike-through": "s",
  sup: "sup",
  sub: "sub",
};
const MAX_LEVEL = 10;

export function isPortableText(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.some((block) => isRecord(block) && block["_type"] === "block");
}

export function renderPortableText(blocks: readonly unknown[], options: PortableTextOptions): ElementContent[] {
  const nodes: ElementContent[] = [];
  /** The open lists, outer ones first. */
  let open: { tag: string; items: ElementContent[] }[] = [];
  for (const block of blocks.filter(isRecord)) {
    const kind = toText(block["listItem"]);
    if (block["_type"] !== "block" || kind === undefined) {
      open = [];
      nodes.push(...renderBlock(block, options));
      continue;
    }
    const tag = kind === "number" ? "ol" : "ul";
    const level = Math.min(Math.max(Math.trunc(Number(block["level"] ?? 1)) || 1, 1), MAX_LEVEL);
    open = open.slice(0, level);
    if (open[level - 1]?.tag !== tag) open = open.slice(0, level - 1);
    while (open.length < level) {
      const list = h(tag, []);
      const item = open.at(-1)?.items.at(-1);
      if (item?.type === "element") item.children.push(list);
      else if (open.length === 0) nodes.push(list);
      else open.at(-1)?.items.push(h("li", [list]));
      open.push({ tag, items: list.children });
    }
    open.at(-1)?.items.push(h("li", spans(block, options)));
  }
  return nodes;
}

function renderBlock(block: Node, options: PortableTextOptions): ElementContent[] {
  const kind = String(block["_type"]);
  switch (kind) {
    case "block": {
      const children = spans(block, options);
      const style = toText(block["style"]) ?? "normal";
      if (children.length === 0) return [];
      if (/^h[1-6]$/.test(style) || style === "blockquote") return [h(style, children)];
      if (style !== "normal") options.warnings.add("construct_replaced", `style ${style}`);
      return [h("p", children)];
    }
    case "image": {
      const picture = pictureOf(options.pictureUrl(block), block["alt"], block["caption"]);
      if (picture !== null) return [picture];
      options.warnings.add("picture_missing", reference(block) ?? "image");
      const words = wordsOf([block["alt"], block["caption"]]);
      return words === "" ? [] : [h("p", lines(words))];
    }
    case "code":
      return [codeBlock(typeof block["code"] === "string" ? block["code"] : "", toText(block["language"]))];
  }
  const inner = Object.values(block).find(isPortableText);
  if (inner !== undefined) return replaced(kind, renderPortableText(inner, options), options.warnings);
  const address = toText(block["url"]);
  if (address !== undefined && /^https?:/i.test(address)) {
    options.warnings.add("embed_replaced", address);
    return [h("p", linked(address, []))];
  }
  return replaced(kind, wordsOf(block), options.warnings);
}

function spans(block: Node, options: PortableTextOptions): ElementContent[] {
  const definitions = new Map(records(block["markDefs"]).map((mark) => [mark["_key"], mark]));
  return records(block["children"]).flatMap((span): ElementContent[] => {
    if (span["_type"] !== "span" && typeof span["text"] !== "string") {
      const words = wordsOf(span);
      options.warnings.add("construct_replaced", String(span["_type"]));
      return lines(words);
    }
    let nodes = lines(typeof span["text"] === "string" ? span["text"] : "");
    if (nodes.length === 0) return [];
    const marks = Array.isArray(span["marks"]) ? span["marks"] : [];
    for (const mark of marks.toReversed() as unknown[]) {
      const tag = MARKS[String(mark)];
      const definition = definitions.get(mark);
      if (tag !== undefined) nodes = [h(tag, nodes)];
      else if (definition !== undefined) nodes = annotated(definition, nodes, options.warnings);
      else options.warnings.add("construct_replaced", `mark ${String(mark)}`);
    }
    return nodes;
  });
}

function annotated(mark: Node, nodes: ElementContent[], warnings: Warnings): ElementContent[] {
  const address = toText(mark["href"]) ?? toText(mark["url"]);
  if (address !== undefined) return linked(address, nodes);
  const kind = String(mark["_type"]);
  if (/link/i.test(kind)) warnings.add("link_dead", wordsOf(nodes) || kind);
  else warnings.add("construct_replaced", `mark ${kind}`);
  return nodes;
}

function reference(image: Node): string | undefined {
  return isRecord(image["asset"]) ? toText(image["asset"]["_ref"]) : undefined;
}

function records(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
