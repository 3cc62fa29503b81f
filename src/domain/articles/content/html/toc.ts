import type { Element, Parents } from "hast";
import { attributeText, parseTree, textContent } from "./tree.ts";

export interface TocEntry {
  /** 1 to 6. */
  level: number;
  text: string;
  /** The heading's `id` in the content; null: it has none. */
  id: string | null;
}

/** A table of contents ends here. */
const MAX_ENTRIES = 1_000;
/** Characters of one heading that are read, with its tags. */
const MAX_HEADING_LENGTH = 4_000;
/** Characters after which others may have their turn. */
const SLICE_LENGTH = 64 * 1024;
const SLICE_HEADINGS = 32;
/** The longest text that begins a heading's tag. */
const TAG_LENGTH = "</h1>".length;

/** The visible headings of sanitised HTML, in order; one in another is a part of it. Linear; yields after slices. */
export function* tableOfContents(html: string): Generator<undefined, TocEntry[]> {
  const entries: TocEntry[] = [];
  let depth = 0;
  let start = 0;
  let headings = 0;
  for (let from = 0; from < html.length; from += SLICE_LENGTH) {
    const slice = html.slice(from, from + SLICE_LENGTH + TAG_LENGTH - 1);
    for (const { 1: slash, index } of slice.matchAll(/<(\/?)h[1-6][\s/>]/gi)) {
      if (index >= SLICE_LENGTH) break;
      if (slash === "") {
        if (depth === 0) start = from + index;
        depth += 1;
      } else if (depth > 0 && --depth === 0) {
        for (const entry of readHeadings(html.slice(start, Math.min(from + index, start + MAX_HEADING_LENGTH)))) {
          entries.push(entry);
          if (entries.length === MAX_ENTRIES) return entries;
        }
        headings += 1;
        if (headings % SLICE_HEADINGS === 0) yield;
      }
    }
    yield;
  }
  return entries;
}

/** More than one where the parser closes an open heading before the next. */
function readHeadings(source: string): TocEntry[] {
  const entries: TocEntry[] = [];
  for (const node of headingsIn(parseTree(source))) {
    const text = textContent(node);
    const id = attributeText(node, "id");
    if (text !== "") entries.push({ level: Number(node.tagName[1]), text, id: id === "" ? null : id });
  }
  return entries;
}

function* headingsIn(parent: Parents): Generator<Element> {
  for (const child of parent.children) {
    if (child.type !== "element" || child.properties["hidden"] === true) continue;
    if (/^h[1-6]$/.test(child.tagName)) yield child;
    else yield* headingsIn(child);
  }
}
