/** Merges two versions of a text: block by block, and within a block sentence by sentence. */
import { diffArrays } from "diff";

/** @returns null if both changed the same sentence, or adjacent ones of one block, or elements that then lie across each other. */
export function mergeTexts(base: string, mine: string, theirs: string): string | null {
  const parts = toParts(base);
  const texts = parts.map(({ text }) => text);
  const one = findChanges(texts, toParts(mine));
  const other = findChanges(texts, toParts(theirs));
  if (one === null || other === null) return null;
  const changes = [...one, ...other].toSorted((a, b) => a.from - b.from || a.to - b.to);
  let text = "";
  let at = 0;
  let last: Change | undefined;
  for (const change of changes) {
    if (last !== undefined && isSame(last, change)) continue;
    if (last !== undefined && !areApart(last, change, parts)) return null;
    text += texts.slice(at, change.from).join("") + change.parts.join("");
    at = change.to;
    last = change;
  }
  const merged = text + texts.slice(at).join("");
  // Such as the start of an element that one has added, and the end of an element that the other has put around it.
  return isNested(merged) || !isNested(mine) || !isNested(theirs) ? merged : null;
}

const TAGS = /<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/gi;
const VOID = /^(?:area|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Whether each tag of HTML has its counterpart, none across another. */
function isNested(text: string): boolean {
  const open: string[] = [];
  for (const [, slash, name = ""] of text.matchAll(TAGS)) {
    if (VOID.test(name)) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}

interface Part {
  text: string;
  /** Whether a block begins with it. */
  isBlock: boolean;
}

interface Change {
  /** The range of replaced parts in the base. */
  from: number;
  to: number;
  parts: readonly string[];
}

/** Changes of neighbouring blocks are apart; within a block, an unchanged sentence must lie between them. */
function areApart(last: Change, next: Change, parts: readonly Part[]): boolean {
  if (next.from !== last.to) return next.from > last.to;
  const haveBoth = last.from < last.to && next.from < next.to;
  return haveBoth && parts[next.from]?.isBlock === true;
}

/** Time limit for comparing two versions. */
const MAX_COMPARE_MS = 500;

function findChanges(base: string[], version: readonly Part[]): Change[] | null {
  const found = diffArrays(
    base,
    version.map(({ text }) => text),
    { timeout: MAX_COMPARE_MS },
  );
  if (found === undefined) return null;
  const changes: Change[] = [];
  let at = 0;
  for (const { added, removed, value } of found) {
    const last = changes.at(-1);
    if (removed) {
      if (last?.to === at) last.to += value.length;
      else changes.push({ from: at, to: at + value.length, parts: [] });
      at += value.length;
    } else if (added) {
      if (last?.to === at) last.parts = [...last.parts, ...value];
      else changes.push({ from: at, to: at, parts: value });
    } else {
      at += value.length;
    }
  }
  return changes;
}

function isSame(one: Change, other: Change): boolean {
  return one.from === other.from && one.to === other.to && one.parts.join("") === other.parts.join("");
}

/** Between two blocks of HTML that are on one line. */
const BETWEEN_BLOCKS =
  /(?<=<\/(?:p|h[1-6]|ul|ol|li|blockquote|pre|table|caption|thead|tbody|tr|th|td|figure|figcaption|div|section|article|details|summary|dl|dt|dd)>)(?=<)|(?=<(?:p|h[1-6]|ul|ol|li|blockquote|pre|table|caption|thead|tbody|tr|th|td|figure|figcaption|div|section|article|details|summary|dl|dt|dd)[ >])/i;
const BETWEEN_SENTENCES = /(?<=[.!?…]["”’»)]?\s)(?=[^\s|])/u;

/** Splits into sentences with what separates them, which joined are the text. */
function toParts(text: string): Part[] {
  return toParagraphs(text).flatMap((paragraph) =>
    paragraph
      .split(BETWEEN_BLOCKS)
      .flatMap((block) =>
        block.split(BETWEEN_SENTENCES).map((sentence, index) => ({ text: sentence, isBlock: index === 0 })),
      ),
  );
}

/** Splits into paragraphs with the empty lines after them, which joined are the text. In HTML each line counts as one. */
function toParagraphs(text: string): string[] {
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of text.split(/(?<=\n)/)) {
    const isEmpty = line.trim() === "";
    const isLine = line.trimStart().startsWith("<");
    if ((isOpen && !isLine) || (isEmpty && paragraphs.length > 0)) paragraphs[paragraphs.length - 1] += line;
    else paragraphs.push(line);
    isOpen = !isEmpty;
  }
  return paragraphs;
}
