/**
 * Passages of an article's visible text that comments are about, and where they are after an edit.
 *
 * Positions count UTF-16 characters without white space, so that wrapping lines anew moves nothing. A passage follows
 * only what is surely the same (parts that occur once in each text). It is lost if too little of it is left, or if it
 * could be one of several, and found again if it returns with the text around it. The time is linear in both texts.
 */
import { alignTexts, eachPart, findGaps, findLast, type Gap, type Run, SURE_LENGTH } from "./text-alignment.ts";

export interface Passage {
  start: number;
  end: number;
}

/** A passage that is no longer in the text: its former text, and the text around it. */
export interface LostPassage {
  before: string;
  text: string;
  after: string;
}

export function isLost(passage: Passage | LostPassage): passage is LostPassage {
  return "text" in passage;
}

/** The text in which positions count: without white space. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

export interface FollowInput {
  /** The earlier text, without white space. */
  from: string;
  /** The new visible text, with white space. */
  to: string;
  passages: readonly (Passage | LostPassage)[];
}

export interface Followed {
  text: string;
  passages: (Passage | LostPassage)[];
}

export function followInText({ from, to, passages }: FollowInput): Followed {
  const text = withoutSpace(to);
  return { text, passages: followPassages(from, text, passages) };
}

/** Each passage of `from`, in `to`. Both texts are without white space. */
function followPassages(
  from: string,
  to: string,
  passages: readonly (Passage | LostPassage)[],
): (Passage | LostPassage)[] {
  if (from === to) return [...passages];
  const { inOrder, moved } = alignTexts(from, to);
  const gaps = findGaps(from, to, inOrder);
  const found = findLost(
    to,
    passages.filter((one) => isLost(one)),
  );
  const copied = findCopied(
    from,
    to,
    passages.filter((one): one is Passage => !isLost(one)),
  );
  return passages.map((passage) => {
    if (isLost(passage)) return found.get(passage) ?? passage;
    const place = followInOrder(passage, inOrder, gaps) ?? followMoved(passage, moved);
    if (place === undefined || place.end - place.start > MAX_PASSAGE_LENGTH) return toLostPassage(from, passage);
    if (copied.has(passage) && !readsAsBefore(from, passage, to, place)) return LOST_FOR_GOOD;
    return wholeCharacters(to, place);
  });
}

/** A passage that could be any of several copies: that one of them remains proves nothing. */
const LOST_FOR_GOOD: LostPassage = { before: "", text: "", after: "" };

/** Equal parts of both texts. */
const CONTEXT_LENGTH = 32;
/** A passage that insertions made longer than this is lost: it would no longer say what is meant. */
const MAX_PASSAGE_LENGTH = 10_000;
/** Minimum share of a passage that must remain. */
const MIN_LEFT = 0.4;

function followInOrder(passage: Passage, runs: readonly Run[], gaps: readonly Gap[]): Passage | undefined {
  let [left, certain] = [0, 0];
  let start: number | undefined;
  let end = 0;
  for (let index = Math.max(0, findLast(runs, passage.start)); index < runs.length; index++) {
    const run = runs[index];
    if (run === undefined || run.a >= passage.end) break;
    const [first, last] = [Math.max(run.a, passage.start), Math.min(run.a + run.length, passage.end)];
    if (first >= last) continue;
    left += last - first;
    certain += last - first;
    start ??= run.b + first - run.a;
    end = run.b + last - run.a;
  }
  for (let index = Math.max(0, findLast(gaps, passage.start)); index < gaps.length; index++) {
    const gap = gaps[index];
    if (gap === undefined || gap.a - gap.slide >= passage.end) break;
    const zone = { start: gap.a - gap.slide, end: gap.a };
    const isWithin = passage.start >= zone.start && passage.end <= zone.end;
    if (gap.aEnd > gap.a || (isWithin && gap.slide < SURE_LENGTH)) {
      // Which of two equal parts was deleted or inserted is unknown, so neither proves that the passage remains.
      certain -= overlap(passage, zone.start, zone.end);
    }
    // The passage may just as well begin at the end of the gap.
    const early = (gap.aEnd > gap.a ? gap.aEnd : gap.a) - passage.start;
    if (start !== undefined && early > 0 && early <= gap.slide && passage.end > gap.aEnd) {
      if (passage.start >= gap.a) left += early;
      start = gap.bEnd - early;
    }
  }
  if (start === undefined || certain <= 0 || left < (passage.end - passage.start) * MIN_LEFT) return undefined;
  return { start, end };
}

function overlap({ start, end }: Passage, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

/** Finds the passages in or beside text that occurs several times in either: the copies cannot be told apart. */
function findCopied(from: string, to: string, passages: readonly Passage[]): Set<Passage> {
  const counts = new Map<number, { before: number; after: number }>();
  const near = passages.map((passage) => {
    const hashes: number[] = [];
    for (const place of new Set([passage.start, passage.end])) {
      const [first, last] = [Math.max(0, place - CONTEXT_LENGTH), Math.min(place + CONTEXT_LENGTH, from.length)];
      eachPart(from, first, last, SURE_LENGTH, (hash) => hashes.push(hash));
    }
    for (const hash of hashes) counts.set(hash, { before: 0, after: 0 });
    return { passage, hashes };
  });
  if (counts.size === 0) return new Set();
  const isWanted = new Uint8Array(2 ** 16);
  for (const hash of counts.keys()) isWanted[hash & 0xff_ff] = 1;
  for (const [text, side] of [
    [from, "before"],
    [to, "after"],
  ] as const) {
    eachPart(text, 0, text.length, SURE_LENGTH, (hash) => {
      const count = isWanted[hash & 0xff_ff] === 1 ? counts.get(hash) : undefined;
      if (count !== undefined) count[side]++;
    });
  }
  const isCopied = (hash: number) => {
    const { before = 0, after = 0 } = counts.get(hash) ?? {};
    return before !== after && Math.max(before, after) > 1;
  };
  return new Set(near.flatMap(({ passage, hashes }) => (hashes.some(isCopied) ? [passage] : [])));
}

function readsAsBefore(from: string, { start, end }: Passage, to: string, place: Passage): boolean {
  const near = from.slice(Math.max(0, start - CONTEXT_LENGTH), end + CONTEXT_LENGTH);
  return near === to.slice(Math.max(0, place.start - CONTEXT_LENGTH), place.end + CONTEXT_LENGTH);
}

/** Finds a passage that was mostly moved, with enough text around it to tell it from others. */
function followMoved(passage: Passage, moved: readonly Run[]): Passage | undefined {
  let best: Passage | undefined;
  let most = (passage.end - passage.start) * MIN_LEFT;
  for (let index = Math.max(0, findLast(moved, passage.start)); index < moved.length; index++) {
    const run = moved[index];
    if (run === undefined || run.a >= passage.end) break;
    const left = overlap(passage, run.a, run.a + run.length);
    if (left === 0 || left < most) continue;
    const start = run.b + Math.max(run.a, passage.start) - run.a;
    best = { start, end: start + left };
    most = left;
  }
  return best;
}

function toLostPassage(from: string, { start, end }: Passage): LostPassage {
  return {
    before: from.slice(Math.max(0, start - CONTEXT_LENGTH), start),
    text: from.slice(start, end),
    after: from.slice(end, end + CONTEXT_LENGTH),
  };
}

/** Maximum characters compared in all, so that a text of one repeated letter stays cheap; then nothing is found. */
const MAX_COMPARED = 20_000_000;

/** Finds lost passages that have reappeared exactly once, with the same text around them. */
function findLost(to: string, lost: readonly LostPassage[]): Map<LostPassage, Passage> {
  const wanted = new Map<number, { passage: LostPassage; whole: string; places: number[] }[]>();
  for (const passage of lost) {
    const whole = passage.before + passage.text + passage.after;
    eachPart(whole, 0, Math.min(whole.length, SURE_LENGTH), SURE_LENGTH, (hash) => {
      wanted.set(hash, [...(wanted.get(hash) ?? []), { passage, whole, places: [] }]);
    });
  }
  let compared = 0;
  if (wanted.size > 0) {
    eachPart(to, 0, to.length, SURE_LENGTH, (hash, place) => {
      if (compared > MAX_COMPARED) return;
      for (const { whole, places } of wanted.get(hash) ?? []) {
        compared += whole.length;
        if (to.startsWith(whole, place)) places.push(place);
      }
    });
  }
  const found = new Map<LostPassage, Passage>();
  if (compared > MAX_COMPARED) return found;
  for (const { passage, whole, places } of [...wanted.values()].flat()) {
    const [place] = places;
    if (place === undefined || places.length > 1) continue;
    // There is less context only where the text began or ended.
    if (passage.before.length < CONTEXT_LENGTH && place > 0) continue;
    if (passage.after.length < CONTEXT_LENGTH && place + whole.length < to.length) continue;
    const start = place + passage.before.length;
    found.set(passage, { start, end: start + passage.text.length });
  }
  return found;
}

/** Extends the range so that it never splits a surrogate pair. */
function wholeCharacters(text: string, { start, end }: Passage): Passage {
  return { start: isSplit(text, start) ? start - 1 : start, end: isSplit(text, end) ? end + 1 : end };
}

function isSplit(text: string, place: number): boolean {
  const [before, after] = [text.charCodeAt(place - 1), text.charCodeAt(place)];
  return before >= 0xd8_00 && before <= 0xdb_ff && after >= 0xdc_00 && after <= 0xdf_ff;
}
