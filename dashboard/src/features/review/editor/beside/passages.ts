/** Finds commented passages in the document of the visual view. As in the service, positions count no white space. */
import type { Node } from "prosemirror-model";
import type { CommentThread } from "../../../../../../src/http/admin/contract/comments.ts";
import { indexText, type SelectedPassage } from "../../comments/text-index.ts";

type Passage = NonNullable<CommentThread["passage"]>;

/** The selection; null if it is empty, `unsaved` if the saved text does not contain it. */
export type Selected = SelectedPassage | "unsaved" | null;

export interface PassageRange {
  from: number;
  to: number;
}

/**
 * @param saved the text that the passage's position refers to, without white space. Of several equal passages the same one is
 * taken, counted from the beginning, if there are as many of them now.
 */
export function findPassage(doc: Node, { start, text }: Passage, saved: string): PassageRange | null {
  const { text: now, positions } = indexDocument(doc);
  const at = findSame(listPlaces(saved, text), listPlaces(now, text), start);
  if (at === undefined) return null;
  const [from, last] = [positions[at], positions[at + text.length - 1]];
  return from === undefined || last === undefined ? null : { from, to: last + 1 };
}

/** The same passage in the saved text. */
export function findSaved(doc: Node, { from, to }: PassageRange, saved: string): Selected {
  const { text: now, positions } = indexDocument(doc);
  const first = positions.findIndex((position) => position >= from);
  const end = positions.findLastIndex((position) => position < to) + 1;
  if (first < 0 || first >= end) return null;
  const words = now.slice(first, end);
  const start = findSame(listPlaces(now, words), listPlaces(saved, words), first);
  if (start === undefined) return "unsaved";
  const quote = doc
    .textBetween(from, to, "\n")
    .trim()
    .replaceAll(/[^\S\n]+/g, " ");
  return { start, end: start + words.length, quote };
}

/** Finds the passage at `place` again. If several are equal, their number must be unchanged. */
function findSame(before: readonly number[], after: readonly number[], place: number): number | undefined {
  const no = before.indexOf(place);
  if (no >= 0 && before.length === after.length) return after[no];
  return before.length <= 1 && after.length === 1 ? after[0] : undefined;
}

/** The article's text without white space, as the service counts it. */
export function toText(html: string): string {
  return indexText(new DOMParser().parseFromString(`<article>${html}</article>`, "text/html")).text;
}

/** Without white space. */
export function readText(doc: Node, { from, to }: PassageRange): string {
  return doc.textBetween(from, to).replaceAll(/\s+/g, "");
}

function indexDocument(doc: Node): { text: string; positions: number[] } {
  const positions: number[] = [];
  const parts: string[] = [];
  doc.descendants((node, position) => {
    const { text = "" } = node;
    for (let at = 0; at < text.length; at++) {
      if (/\s/.test(text.charAt(at))) continue;
      parts.push(text.charAt(at));
      positions.push(position + at);
    }
  });
  return { text: parts.join(""), positions };
}

function listPlaces(text: string, words: string): number[] {
  const places: number[] = [];
  if (words === "") return places;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at);
  return places;
}
