/** What the HTML elements are to the editor: marks, leaves, lines of text or containers. */
import type { DefaultTreeAdapterTypes } from "parse5";

export type ChildNode = DefaultTreeAdapterTypes.ChildNode;

export type Element = DefaultTreeAdapterTypes.Element;

export const MARKS = new Map<string, "strong" | "em" | "strike" | "code" | "span">([
  ["strong", "strong"],
  ["b", "strong"],
  ["em", "em"],
  ["i", "em"],
  ["s", "strike"],
  ["del", "strike"],
  ["strike", "strike"],
  ["code", "code"],
  ..."abbr acronym bdi bdo big cite data dfn font ins kbd mark nobr q samp small span sub sup time tt u var"
    .split(" ")
    .map((name) => [name, "span"] as const),
]);

/** Inline elements that are kept unparsed. */
const LEAVES: ReadonlySet<string> = new Set("a br img input label meter picture progress ruby wbr button".split(" "));

/** Elements that contain either one line of text or blocks. */
export const LINES: ReadonlySet<string> = new Set("figcaption dt dd summary address".split(" "));

export const CONTAINERS: ReadonlySet<string> = new Set(
  "article aside center details div dl figure footer header hgroup main nav search section".split(" "),
);

export function isElement(node: ChildNode): node is Element {
  return "tagName" in node;
}

export function isBlank(node: ChildNode): boolean {
  return node.nodeName === "#text" && "value" in node && /^[ \t\r\n\f]*$/.test(node.value);
}

export function isInline(node: ChildNode, isInText: boolean): boolean {
  if (node.nodeName === "#text") return true;
  if (!isElement(node)) return isInText && node.nodeName === "#comment";
  const { tagName: name } = node;
  if (!MARKS.has(name) && !LEAVES.has(name)) return false;
  return node.childNodes.every((child) => isInline(child, true));
}

export function hasText(element: Element): boolean {
  return element.childNodes.some(
    (child) => !isBlank(child) && (!isElement(child) || !MARKS.has(child.tagName) || hasText(child)),
  );
}
