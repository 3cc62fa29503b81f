/** Line diff of two texts, with a word diff within changed lines. Loaded with the first comparison: `diff` is large. */
import { diffArrays } from "diff/lib/diff/array.js";
import { diffWordsWithSpace } from "diff/lib/diff/word.js";

/** Part of a line. `isChanged`: the other side differs there. */
export interface DiffPart {
  /** Offset within the line. */
  at: number;
  text: string;
  isChanged: boolean;
}

/** null: the line is missing on this side. */
export interface DiffRow {
  /** Line number, from 0. */
  no: number;
  isSame: boolean;
  before: readonly DiffPart[] | null;
  after: readonly DiffPart[] | null;
}

/** Time limit of a diff in milliseconds: texts without anything in common take long. */
const TIMEOUT_MS = 1_500;
/** Characters. A longer line is marked as changed as a whole. */
const MAX_LINE_CHARACTERS = 20_000;

export function diffRows(before: string, after: string): DiffRow[] {
  return alignSides(before, after).map((sides, no) => ({ ...sides, no }));
}

type Sides = Omit<DiffRow, "no">;

function alignSides(before: string, after: string): Sides[] {
  const [old, young] = [splitLines(before), splitLines(after)];
  const changes = diffArrays(old, young, { timeout: TIMEOUT_MS }) ?? [
    { value: old, removed: true, added: false, count: old.length },
    { value: young, removed: false, added: true, count: young.length },
  ];
  const rows: Sides[] = [];
  for (let index = 0; index < changes.length; index++) {
    const change = changes[index];
    const next = changes[index + 1];
    if (change === undefined) continue;
    if (change.removed && next?.added === true) {
      rows.push(...pairs(change.value, next.value));
      index++;
    } else if (change.removed || change.added) {
      rows.push(...change.value.map((line) => oneSided(line, change.removed)));
    } else {
      rows.push(...change.value.map(unchangedRow));
    }
  }
  return rows;
}

/** Word diff of two short texts. */
export function diffWords(before: string, after: string): Pick<DiffRow, "before" | "after"> {
  if (before.length > MAX_LINE_CHARACTERS || after.length > MAX_LINE_CHARACTERS) {
    return { before: [{ at: 0, text: before, isChanged: true }], after: [{ at: 0, text: after, isChanged: true }] };
  }
  const changes = diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return {
    before: joined(
      changes.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, isChanged: removed })),
    ),
    after: joined(
      changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isChanged: added })),
    ),
  };
}

/** Merges a space between two changed words into the change. */
function joined(parts: readonly Omit<DiffPart, "at">[]): DiffPart[] {
  const result: DiffPart[] = [];
  let at = 0;
  parts.forEach(({ text, isChanged: isOwn }, index) => {
    const isBetween =
      text.trim() === "" && parts[index - 1]?.isChanged === true && parts[index + 1]?.isChanged === true;
    const isChanged = isOwn || isBetween;
    const last = result.at(-1);
    if (last?.isChanged === isChanged) result[result.length - 1] = { ...last, text: last.text + text };
    else result.push({ at, text, isChanged });
    at += text.length;
  });
  return result;
}

/** Puts each HTML block on its own line, so that HTML written in a single line can be compared. */
export function blocksOnLines(html: string): string {
  return html
    .replaceAll(BLOCK_TAG, (tag, slash: string) => (slash === "/" ? `${tag}\n` : `\n${tag}`))
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

const BLOCK_TAG =
  /<(\/?)(?:p|h[1-6]|ul|ol|li|blockquote|pre|table|thead|tbody|tr|figure|div|section|hr|dl|dt|dd)\b[^>]*>/gi;

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replaceAll("\r\n", "\n").split("\n");
}

function unchangedRow(line: string): Sides {
  const parts = [{ at: 0, text: line, isChanged: false }];
  return { isSame: true, before: parts, after: parts };
}

function oneSided(line: string, isBefore: boolean): Sides {
  const parts = [{ at: 0, text: line, isChanged: true }];
  return { isSame: false, before: isBefore ? parts : null, after: isBefore ? null : parts };
}

/** Pairs replaced lines with their replacements in order, with a word diff within each pair. */
function pairs(old: readonly string[], young: readonly string[]): Sides[] {
  const rows: Sides[] = [];
  for (let index = 0; index < Math.max(old.length, young.length); index++) {
    const [before, after] = [old[index], young[index]];
    if (before === undefined || after === undefined) rows.push(oneSided(before ?? after ?? "", after === undefined));
    else rows.push({ isSame: false, ...diffWords(before, after) });
  }
  return rows;
}
