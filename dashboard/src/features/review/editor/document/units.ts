/** The text of one block, character by character, with source positions. */
import type { Mark, Node } from "prosemirror-model";
import { schema } from "./schema.ts";

/** A character (a UTF-16 code unit) or an inline node. */
export interface InlineUnit {
  text: string;
  leaf: Node | null;
  marks: readonly Mark[];
  /** Offsets in the source. Characters of one reference (`&amp;`) or of one run of white space share a range. */
  start: number;
  end: number;
}

/** Removes white space that HTML and Markdown do not show: at the ends, next to other white space, and around breaks. */
export function collapseUnits(units: readonly InlineUnit[]): InlineUnit[] {
  const kept: InlineUnit[] = [];
  let isAfterSpace = true;
  for (const unit of units) {
    if (unit.leaf === null && isSpace(unit.text) && !isCode(unit.marks)) {
      if (isAfterSpace) {
        const last = kept.at(-1);
        // The range includes what is removed, unless a tag stands between.
        if (last?.text === " " && last.end === unit.start) last.end = unit.end;
        continue;
      }
      isAfterSpace = true;
      kept.push({ ...unit, text: " " });
      continue;
    }
    const isBreak = unit.leaf?.type === schema.nodes.hard_break;
    if (isBreak) while (isPlainSpace(kept.at(-1))) kept.pop();
    isAfterSpace = isBreak;
    kept.push({ ...unit });
  }
  while (isPlainSpace(kept.at(-1))) kept.pop();
  return kept;
}

function isPlainSpace(unit: InlineUnit | undefined): boolean {
  return unit !== undefined && unit.text === " " && !isCode(unit.marks);
}

export function isSpace(text: string): boolean {
  return text === " " || text === "\n" || text === "\t" || text === "\r" || text === "\f";
}

export function isCode(marks: readonly Mark[]): boolean {
  return marks.some(({ type }) => type === schema.marks.code);
}

export function unitsToNodes(units: readonly InlineUnit[]): Node[] {
  const nodes: Node[] = [];
  let text = "";
  let marks: readonly Mark[] = [];
  const flush = () => {
    if (text !== "") nodes.push(schema.text(text, marks));
    text = "";
  };
  for (const unit of units) {
    if (unit.leaf !== null) {
      flush();
      nodes.push(unit.leaf.mark(unit.marks));
      continue;
    }
    if (unit.marks !== marks && !isSameMarks(unit.marks, marks)) flush();
    if (text === "") ({ marks } = unit);
    text += unit.text;
  }
  flush();
  return nodes;
}

/** The units of a text block of the document, without source positions. */
export function nodeToUnits(block: Node): InlineUnit[] {
  const units: InlineUnit[] = [];
  block.forEach((child) => {
    if (child.isText) {
      for (const text of child.text ?? "") {
        for (let at = 0; at < text.length; at += 1) {
          units.push({ text: text[at] ?? "", leaf: null, marks: child.marks, start: 0, end: 0 });
        }
      }
    } else {
      units.push({ text: "", leaf: child.mark([]), marks: child.marks, start: 0, end: 0 });
    }
  });
  return units;
}

export function isSameMarks(one: readonly Mark[], other: readonly Mark[]): boolean {
  return one.length === other.length && one.every((mark, index) => mark.eq(other[index] as Mark));
}

function isSameUnit(one: InlineUnit, other: InlineUnit): boolean {
  if (one.text !== other.text || !isSameMarks(one.marks, other.marks)) return false;
  if (one.leaf === null || other.leaf === null) return one.leaf === other.leaf;
  return one.leaf.eq(other.leaf);
}

/** A part of the source to replace with these units. */
export interface Splice {
  from: number;
  to: number;
  units: readonly InlineUnit[];
  /** The marks that are open at this position of the source; the new text is inside them. */
  within: readonly Mark[];
}

/**
 * The smallest change of the source that turns `before` into `after`. It leaves out what is equal at both ends, and is widened
 * until no markup begins or ends halfway. `start` and `end`: the range of the text in the source.
 */
export function spliceUnits(
  before: readonly InlineUnit[],
  after: readonly InlineUnit[],
  { start, end }: { start: number; end: number },
  isWide: boolean,
): Splice | null {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && isSameUnit(before[head] as InlineUnit, after[head] as InlineUnit)) head += 1;
  let tail = 0;
  while (
    tail < most - head &&
    isSameUnit(before[before.length - 1 - tail] as InlineUnit, after[after.length - 1 - tail] as InlineUnit)
  ) {
    tail += 1;
  }
  if (head === before.length && head === after.length) return null;
  const within = isWide ? null : sharedMarks(before, after, head, tail);
  if (within === null) {
    while (head > 0 && !isOpen(before, head)) head -= 1;
    while (tail > 0 && !isOpen(before, before.length - tail)) tail -= 1;
  }
  const last = before.length - tail;
  const left = before[head - 1];
  const right = before[last];
  const first = before[head];
  const final = before[last - 1];
  let from = start;
  if (left !== undefined && (within !== null || left.marks.length === 0)) from = left.end;
  else if (first !== undefined && head > 0) from = first.start;
  else if (left !== undefined) from = end;
  let to = end;
  if (right !== undefined && (within !== null || right.marks.length === 0)) to = right.start;
  else if (final !== undefined && tail > 0) to = final.end;
  else if (right !== undefined) to = start;
  if (from > to) return null;
  return { from, to, units: after.slice(head, after.length - tail), within: within ?? [] };
}

/** The marks of a change inside one run of text; null if markup has to change. */
function sharedMarks(
  before: readonly InlineUnit[],
  after: readonly InlineUnit[],
  head: number,
  tail: number,
): readonly Mark[] | null {
  const left = before[head - 1];
  const right = before[before.length - tail];
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  if ([left, right, ...removed, ...added].every((unit) => unit === undefined || unit.marks.length === 0)) return [];
  if (left === undefined || right === undefined) return null;
  const run = [left, ...removed, right];
  const isWhole = run.every((unit, index) => index === 0 || unit.start <= (run[index - 1] as InlineUnit).end);
  return isWhole && [...run, ...added].every((unit) => isSameMarks(unit.marks, left.marks)) ? left.marks : null;
}

/** Whether no markup is open between the units before and after this position. */
function isOpen(units: readonly InlineUnit[], place: number): boolean {
  const left = units[place - 1];
  const right = units[place];
  if (left === undefined || right === undefined) return true;
  if (left.end > right.start) return false;
  return left.marks.length === 0 || right.marks.length === 0;
}
