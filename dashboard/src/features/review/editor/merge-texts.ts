/** Merges two versions of a text, paragraph by paragraph. */
import { diffArrays } from "diff";

/** @returns null if both changed the same paragraph, or adjacent ones. */
export function mergeTexts(base: string, mine: string, theirs: string): string | null {
  const paragraphs = toParagraphs(base);
  const one = findChanges(paragraphs, toParagraphs(mine));
  const other = findChanges(paragraphs, toParagraphs(theirs));
  if (one === null || other === null) return null;
  const changes = [...one, ...other].toSorted((a, b) => a.from - b.from || a.to - b.to);
  let text = "";
  let at = 0;
  let last: Change | undefined;
  for (const change of changes) {
    if (last !== undefined && isSame(last, change)) continue;
    // At least one unchanged paragraph must lie between two changes.
    if (last !== undefined && change.from <= last.to) return null;
    text += paragraphs.slice(at, change.from).join("") + change.paragraphs.join("");
    at = change.to;
    last = change;
  }
  return text + paragraphs.slice(at).join("");
}

interface Change {
  /** The range of replaced paragraphs in the base. */
  from: number;
  to: number;
  paragraphs: readonly string[];
}

/** Time limit for comparing two versions. */
const MAX_COMPARE_MS = 500;

function findChanges(base: readonly string[], version: readonly string[]): Change[] | null {
  const parts = diffArrays([...base], [...version], { timeout: MAX_COMPARE_MS });
  if (parts === undefined) return null;
  const changes: Change[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const last = changes.at(-1);
    if (removed) {
      if (last?.to === at) last.to += value.length;
      else changes.push({ from: at, to: at + value.length, paragraphs: [] });
      at += value.length;
    } else if (added) {
      if (last?.to === at) last.paragraphs = [...last.paragraphs, ...value];
      else changes.push({ from: at, to: at, paragraphs: value });
    } else {
      at += value.length;
    }
  }
  return changes;
}

function isSame(one: Change, other: Change): boolean {
  return one.from === other.from && one.to === other.to && one.paragraphs.join("") === other.paragraphs.join("");
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
