/** Where parsed HTML stands in its source. */
import { type ChildNode, type Element, isElement } from "./html-elements.ts";
import { alignText } from "./parsed.ts";

/** Thrown for content without a source position of its own, or without a matching node: the block around it becomes an island. */
export class NotEditable extends Error {}

export interface Range {
  start: number;
  end: number;
}

export interface TagPlace extends Range {
  inner: Range;
}

/** The whole source of a node with its content; null if the parser has added the node. */
export function extent(node: ChildNode): Range | null {
  const own = node.sourceCodeLocation;
  if (!own) return null;
  let { startOffset: start, endOffset: end } = own;
  if (isElement(node)) {
    for (const child of node.childNodes) {
      const range = extent(child);
      if (range === null) continue;
      start = Math.min(start, range.start);
      end = Math.max(end, range.end);
    }
  }
  return { start, end };
}

export function placeOf(element: Element): TagPlace {
  const own = element.sourceCodeLocation;
  if (!own?.startTag) throw new NotEditable();
  const { startOffset: start, endOffset: end, startTag, endTag } = own;
  const range = extent(element);
  if (range === null || range.start !== start || range.end !== end) throw new NotEditable();
  return { start, end, inner: { start: startTag.endOffset, end: endTag?.startOffset ?? end } };
}

/** Unlike in running text, every space counts. */
export function alignCode(source: string, value: string, range: Range): Range[] | null {
  const places: Range[] = [];
  let at = range.start;
  for (let index = 0; index < value.length; index += 1) {
    if (value[index] === "\n") {
      const length = source.startsWith("\r\n", at) ? 2 : 1;
      if (source[at] !== "\n" && source[at] !== "\r") return null;
      places.push({ start: at, end: at + length });
      at += length;
      continue;
    }
    const rest = alignText(
      source,
      value.slice(index, nextLine(value, index)),
      { start: at, end: lineEnd(source, at, range.end) },
      false,
    );
    if (rest === null) return null;
    places.push(...rest);
    at = rest.at(-1)?.end ?? at;
    index += rest.length - 1;
  }
  return at === range.end ? places : null;
}

function nextLine(value: string, from: number): number {
  const next = value.indexOf("\n", from);
  return next === -1 ? value.length : next;
}

function lineEnd(source: string, from: number, to: number): number {
  let end = from;
  while (end < to && source[end] !== "\n" && source[end] !== "\r") end += 1;
  return end;
}
