/** Two texts line by line, and what differs within a line word by word. Loaded only with a comparison: `diff` is large. */
import { diffArrays } from "diff/lib/diff/array.js";
import { diffWordsWithSpace } from "diff/lib/diff/word.js";

/** A part of one line. `isChanged`: the other side differs there. */
export interface Part {
  /** Where it begins in its line. */
  at: number;
  text: string;
  isChanged: boolean;
}

/** null: the side has nothing there. */
export interface Row {
  /** From 0. */
  no: number;
  isSame: boolean;
  before: readonly Part[] | null;
  after: readonly Part[] | null;
}

/** Two texts that have nothing in common are not compared for longer than that. Milliseconds. */
const TIMEOUT_MS = 1_500;
/** Characters; a longer line is shown as changed as a whole. */
const MAX_LINE_CHARACTERS = 20_000;

export function rowsOf(before: string, after: string): Row[] {
  return sidesOf(before, after).map((sides, no) => ({ ...sides, no }));
}

type Sides = Omit<Row, "no">;

function sidesOf(before: string, after: string): Sides[] {
  const [old, young] = [linesOf(before), linesOf(after)];
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
      rows.push(...change.value.map(same));
    }
  }
  return rows;
}

/** Compares a short text word by word. */
export function wordsOf(before: string, after: string): Pick<Row, "before" | "after"> {
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

/** A space between two words that are new is part of what is new. */
function joined(parts: readonly Omit<Part, "at">[]): Part[] {
  const result: Part[] = [];
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

/** HTML with each block on a line of its own: what was written in one line can be compared, too. */
export function blocksOnLines(html: string): string {
  return html
    .replaceAll(BLOCK_TAG, (tag, slash: string) => (slash === "/" ? `${tag}\n` : `\n${tag}`))
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

const BLOCK_TAG =
  /<(\/?)(?:p|h[1-6]|ul|ol|li|blockquote|pre|table|thead|tbody|tr|figure|div|section|hr|dl|dt|dd)\b[^>]*>/gi;

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replaceAll("\r\n", "\n").split("\n");
}

function same(line: string): Sides {
  const parts = [{ at: 0, text: line, isChanged: false }];
  return { isSame: true, before: parts, after: parts };
}

function oneSided(line: string, isBefore: boolean): Sides {
  const parts = [{ at: 0, text: line, isChanged: true }];
  return { isSame: false, before: isBefore ? parts : null, after: isBefore ? null : parts };
}

/** Lines that took the place of others: side by side in their order, where they have words in common. */
function pairs(old: readonly string[], young: readonly string[]): Sides[] {
  const rows: Sides[] = [];
  for (let index = 0; index < Math.max(old.length, young.length); index++) {
    const [before, after] = [old[index], young[index]];
    if (before === undefined || after === undefined) rows.push(oneSided(before ?? after ?? "", after === undefined));
    else rows.push({ isSame: false, ...wordsOf(before, after) });
  }
  return rows;
}
