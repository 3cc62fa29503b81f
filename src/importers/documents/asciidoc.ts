/** AsciiDoc, converted by Asciidoctor, and then without the elements that only its style sheet needs. */
import type { Element, ElementContent } from "hast";
import { AppError } from "../../domain/system/errors.ts";
import { Warnings } from "../../domain/articles/warnings.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { h, textNode } from "../cms/rich-text.ts";
import { attribute, elementText, hasClass, nodesToHtml, parseHtml } from "../html/html-tree.ts";
import { failedItem, type ImportContext } from "../import-item.ts";
import { splitFrontMatter } from "../markdown/front-matter.ts";
import { toDocumentDraft } from "./document-draft.ts";

/** Set for every document: other values would read files, fetch scripts, or repeat what an article has elsewhere. */
const ATTRIBUTES = { "toc!": "", "sectanchors!": "", "sectlinks!": "", "source-highlighter!": "", "icons!": "" };

export async function readAsciiDocFile(name: string, source: string, context: ImportContext): Promise<ImportItem> {
  try {
    const { data, body } = splitFrontMatter(source.replace(/\r\n?/g, "\n"));
    const { fields, html } = await convert(body);
    const warnings = new Warnings();
    const content = nodesToHtml(simplify(parseHtml(html, true).children as ElementContent[], warnings));
    return toDocumentDraft(name, { label: "AsciiDoc", fields: { ...fields, ...data }, content, warnings }, context);
  } catch (error) {
    return failedItem(name, error);
  }
}

async function convert(source: string): Promise<{ fields: Record<string, unknown>; html: string }> {
  // Loaded by the first such file: it takes a tenth of a second.
  const { load, NullLogger } = await import("@asciidoctor/core");
  try {
    const document = await load(source, { safe: "secure", attributes: ATTRIBUTES, logger: new NullLogger() });
    const html = await document.convert();
    const given: Record<string, unknown> = document.getAttributes();
    return { fields: toFields(given, document.getAuthors()), html };
  } catch (error) {
    if (error instanceof RangeError || error instanceof AppError) throw error;
    throw new AppError("invalid", "It is not readable as AsciiDoc.", { cause: error });
  }
}

/** The header's attributes. Jekyll's begin with `page-`, JBake's with `jbake-`. */
function toFields(
  given: Record<string, unknown>,
  authors: readonly { getName(): string | undefined }[],
): Record<string, unknown> {
  const prefixed = Object.entries(given).flatMap(([name, value]) => {
    const [, plain] = /^(?:page|jbake)-(.+)$/.exec(name) ?? [];
    return plain === undefined ? [] : [[plain, value] as const];
  });
  const names = authors.map((author) => author.getName()).filter((author) => author !== undefined);
  const { doctitle, revdate } = given;
  const own = ["tags", "categories", "category", "keywords", "description", "slug", "lang", "date", "draft", "status"];
  return {
    ...Object.fromEntries(own.map((name) => [name, given[name]])),
    title: doctitle,
    authors: names.length === 0 ? undefined : names,
    ...Object.fromEntries(prefixed),
    date: prefixed.find(([name]) => name === "date")?.[1] ?? given["date"] ?? revdate,
  };
}

/** Asciidoctor puts `div` around everything: those that mean something become that element. */
function simplify(nodes: readonly ElementContent[], warnings: Warnings): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== "element") return [node];
    const { tagName } = node;
    if (hasClass(node, "include")) warnings.add("construct_replaced", `include::${attribute(node, "href") ?? ""}`);
    if (node.properties["id"] === "footnotes") return [footnotes(node, warnings)];
    if (tagName === "div") return block(node, warnings);
    const children = simplify(node.children, warnings);
    if (tagName === "td" || tagName === "th") return [{ ...node, children: withoutParagraph(children) }];
    return [{ ...node, children }];
  });
}

function block(node: Element, warnings: Warnings): ElementContent[] {
  const label = findLabel(node);
  if (hasClass(node, "admonitionblock")) {
    const [words, ...rest] = trimmed(simplify(partOf(node, "content")?.children ?? [], warnings));
    if (words === undefined) return [];
    const isLine =
      words?.type === "text" &&
      rest.every((one) => one.type !== "element" || !/^(?:p|div|[uod]l|pre|table|blockquote)$/.test(one.tagName));
    const bold = h("strong", [textNode(label)]);
    const body = [words, ...rest];
    return [h("blockquote", isLine ? [h("p", [bold, textNode(" "), ...body])] : [h("p", [bold]), ...body])];
  }
  if (hasClass(node, "title")) return [h("p", [h("strong", simplify(node.children, warnings))])];
  if (hasClass(node, "attribution")) return [h("p", simplify(node.children, warnings))];
  if (hasClass(node, "imageblock")) {
    const image = simplify(partOf(node, "content")?.children ?? [], warnings);
    const caption = partOf(node, "title");
    if (caption === undefined) return image;
    return [h("figure", [...image, h("figcaption", simplify(caption.children, warnings))])];
  }
  const children = simplify(node.children, warnings);
  if (hasClass(node, "sidebarblock") || hasClass(node, "exampleblock")) return [h("blockquote", children)];
  // A section's or a block's own id is where links lead.
  const id = attribute(node, "id");
  const first = children.find((child) => child.type === "element");
  if (id !== undefined && first !== undefined) first.properties["id"] ??= id;
  return children;
}

/** Without the line breaks that Asciidoctor puts around a text. */
function trimmed(nodes: ElementContent[]): ElementContent[] {
  const from = nodes.findIndex((node) => node.type !== "text" || node.value.trim() !== "");
  const last = nodes.findLastIndex((node) => node.type !== "text" || node.value.trim() !== "");
  return nodes.slice(from, last + 1).map((node, index, { length }) => {
    if (node.type !== "text") return node;
    const start = index === 0 ? node.value.trimStart() : node.value;
    return textNode(index === length - 1 ? start.trimEnd() : start);
  });
}

function findLabel(node: Element): string {
  const icon = partOf(node, "icon");
  return icon === undefined ? "Note" : elementText(icon);
}

function partOf(node: Element, className: string): Element | undefined {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    if (hasClass(child, className)) return child;
    // Within a table of a row, which only places the icon.
    const found = /^(?:table|tbody|tr)$/.test(child.tagName) ? partOf(child, className) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function withoutParagraph(children: ElementContent[]): ElementContent[] {
  const elements = children.filter((child) => child.type === "element");
  const [only] = elements;
  return elements.length === 1 && only?.tagName === "p" && children.length === 1 ? only.children : children;
}

/** `1. A note.` becomes an item of a list, with a link back. */
function footnotes(node: Element, warnings: Warnings): Element {
  const notes = node.children.filter((child) => child.type === "element" && hasClass(child, "footnote"));
  const items = (notes as Element[]).map((note) => {
    const [back, ...words] = simplify(
      note.children.filter((child) => child.type === "element" || child.value.trim() !== ""),
      warnings,
    );
    const [first, ...rest] = words;
    const text = first?.type === "text" ? [textNode(first.value.replace(/^\.\s*/, "")), ...rest] : words;
    const href = back?.type === "element" ? attribute(back, "href") : undefined;
    const link = href === undefined ? [] : [textNode(" "), h("a", [textNode("↩")], { href })];
    return h("li", [...trimmed(text), ...link], { id: attribute(note, "id") });
  });
  return h("ol", items);
}
