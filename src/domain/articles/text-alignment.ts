/** Aligns two texts by the parts that occur once in each, in linear time; gaps are what lies between equal runs. */

export interface Run {
  a: number;
  b: number;
  length: number;
}

/** Lengths of the parts that must occur once in each text: first anywhere, then between the parts already found. */

const LEVELS = [32, 12, 5] as const;
/** Parts of this length are the same text, wherever they stand. */
export const SURE_LENGTH = 32;
interface Alignment {
  /** Sorted, and in the same order in both texts. */
  inOrder: readonly Run[];
  /** Long parts that are in another order, sorted by `a`. */
  moved: readonly Run[];
}

export function alignTexts(from: string, to: string): Alignment {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from.charCodeAt(head) === to.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < most - head && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) tail++;
  const moved: Run[] = [];
  const middle = { a: head, aEnd: from.length - tail, b: head, bEnd: to.length - tail };
  const found = alignMiddle(from, to, middle, 0, moved);
  const runs = [{ a: 0, b: 0, length: head }, ...found, { a: middle.aEnd, b: middle.bEnd, length: tail }];
  return { inOrder: leanLeft(from, to, dropChance(runs)), moved: moved.toSorted((one, other) => one.a - other.a) };
}

interface Area {
  a: number;
  aEnd: number;
  b: number;
  bEnd: number;
}

function alignMiddle(from: string, to: string, area: Area, level: number, moved: Run[]): Run[] {
  const size = LEVELS[level];
  if (size === undefined) return [];
  if (area.aEnd - area.a < size || area.bEnd - area.b < size) return alignMiddle(from, to, area, level + 1, moved);
  const runs = findCommonRuns(from, to, area, size);
  const chosen = chooseInOrder(runs);
  const kept = new Set(chosen);
  for (const run of runs) if (!kept.has(run) && run.length >= SURE_LENGTH) moved.push(run);
  const all: Run[] = [];
  let { a, b } = area;
  for (const run of chosen) {
    const overlap = Math.max(a - run.a, b - run.b, 0);
    const rest = { a: run.a + overlap, b: run.b + overlap, length: run.length - overlap };
    if (rest.length <= 0) continue;
    for (const inner of alignMiddle(from, to, { a, aEnd: rest.a, b, bEnd: rest.b }, level + 1, moved)) all.push(inner);
    all.push(rest);
    a = rest.a + rest.length;
    b = rest.b + rest.length;
  }
  for (const inner of alignMiddle(from, to, { ...area, a, b }, level + 1, moved)) all.push(inner);
  return all;
}

/** Drops short equal parts where most of the text was rewritten: they are equal by chance. */

function dropChance(runs: readonly Run[]): Run[] {
  const kept: Run[] = [];
  let short: Run[] = [];
  let last: Run = { a: 0, b: 0, length: 0 };
  for (const [index, run] of runs.entries()) {
    const isSure = run.length >= SURE_LENGTH || index === 0 || index === runs.length - 1;
    if (!isSure) {
      short.push(run);
      continue;
    }
    const gap = Math.max(run.a - last.a - last.length, run.b - last.b - last.length);
    const equal = short.reduce((sum, { length }) => sum + length, 0);
    if (equal * 2 >= gap) for (const one of short) kept.push(one);
    kept.push(run);
    short = [];
    last = run;
  }
  return kept.filter(({ length }) => length > 0);
}

/** Lets each run end, and the next one begin, as late as possible; `Gap.slide` then describes all alternatives. */

function leanLeft(from: string, to: string, runs: readonly Run[]): Run[] {
  const leaning: Run[] = [];
  for (const run of runs) {
    const [left, right] = [leaning.at(-1), { ...run }];
    if (left !== undefined) {
      const [a, b] = [left.a + left.length, left.b + left.length];
      let by = 0;
      if (a === run.a || b === run.b) while (by < run.length && from.charCodeAt(a + by) === to.charCodeAt(b + by)) by++;
      left.length += by;
      right.a += by;
      right.b += by;
      right.length -= by;
    }
    if (right.length > 0) leaning.push(right);
  }
  return leaning;
}

/** Maximum parts that are indexed; longer texts are sampled by content. */

const MAX_INDEXED = 2 ** 19;
const MAX_PROBES = 16;
const MULTIPLIER = 0x2c_1b_3c_6d;
const NONE = -1;
const SEVERAL = -2;

/** The longest equal parts around those of `size` characters that occur once in each area, sorted by `a`. */
function findCommonRuns(from: string, to: string, { a, aEnd, b, bEnd }: Area, size: number): Run[] {
  const total = aEnd - a + (bEnd - b);
  let sampleBits = 0;
  while (total >>> sampleBits > MAX_INDEXED) sampleBits++;
  let slots = 64;
  while (slots < (total >>> sampleBits) * 2) slots *= 2;
  const hashes = new Int32Array(slots);
  const [inFrom, inTo] = [new Int32Array(slots).fill(NONE), new Int32Array(slots).fill(NONE)];
  for (const [text, start, end, places] of [
    [from, a, aEnd, inFrom],
    [to, b, bEnd, inTo],
  ] as const) {
    eachPart(text, start, end, size, (hash, place) => {
      if (sampleBits > 0 && hash >>> (32 - sampleBits) !== 0) return;
      let slot = hash & (slots - 1);
      for (let probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & (slots - 1)) {
        const isFree = inFrom[slot] === NONE && inTo[slot] === NONE;
        if (!isFree && hashes[slot] !== hash) continue;
        hashes[slot] = hash;
        places[slot] = places[slot] === NONE ? place : SEVERAL;
        return;
      }
    });
  }
  const pairs: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const [one = NONE, other = NONE] = [inFrom[slot], inTo[slot]];
    if (one >= 0 && other >= 0) pairs.push(one * PAIR + other);
  }
  const runs: Run[] = [];
  for (const pair of Float64Array.from(pairs).sort()) {
    const place = { a: Math.floor(pair / PAIR), b: pair % PAIR };
    const last = runs.at(-1);
    const isKnown = last !== undefined && place.a - place.b === last.a - last.b && place.a < last.a + last.length;
    if (!isKnown && isEqual(from, to, place, size)) runs.push(extend(from, to, { a, aEnd, b, bEnd }, place));
  }
  return runs;
}

/** Positions are smaller than this, so that two of them fit into one number. */

const PAIR = 2 ** 25;

export function eachPart(
  text: string,
  start: number,
  end: number,
  size: number,
  take: (hash: number, place: number) => void,
): void {
  let power = 1;
  for (let count = 1; count < size; count++) power = Math.imul(power, BASE);
  let hash = 0;
  for (let at = start; at < end; at++) {
    if (at - start >= size) hash = (hash - Math.imul(text.charCodeAt(at - size), power)) | 0;
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
    if (at - start >= size - 1) take(mix(hash), at - size + 1);
  }
}

const BASE = 1_000_003;

function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), MULTIPLIER);
  return mixed ^ (mixed >>> 13);
}

function isEqual(from: string, to: string, { a, b }: { a: number; b: number }, size: number): boolean {
  for (let at = 0; at < size; at++) if (from.charCodeAt(a + at) !== to.charCodeAt(b + at)) return false;
  return true;
}

function extend(from: string, to: string, area: Area, place: { a: number; b: number }): Run {
  let { a, b } = place;
  while (a > area.a && b > area.b && from.charCodeAt(a - 1) === to.charCodeAt(b - 1)) {
    a--;
    b--;
  }
  let length = place.a - a;
  while (a + length < area.aEnd && b + length < area.bEnd) {
    if (from.charCodeAt(a + length) !== to.charCodeAt(b + length)) break;
    length++;
  }
  return { a, b, length };
}

/** The runs that are in the same order in both texts and have the most characters. `runs` is sorted by `a`. */

function chooseInOrder(runs: readonly Run[]): Run[] {
  if (runs.length < 2) return [...runs];
  const order = [...runs.keys()].sort((one, other) => (runs[one]?.b ?? 0) - (runs[other]?.b ?? 0));
  const rank = new Int32Array(runs.length);
  for (const [at, index] of order.entries()) rank[index] = at + 1;
  const weight = new Float64Array(runs.length);
  const before = new Int32Array(runs.length).fill(NONE);
  // A Fenwick tree of the best chain that ends at or before each rank.
  const best = new Int32Array(runs.length + 1).fill(NONE);
  const weightOf = (index: number) => (index === NONE ? 0 : (weight[index] ?? 0));
  let last = NONE;
  for (const [index, run] of runs.entries()) {
    let chain = NONE;
    for (let at = (rank[index] ?? 0) - 1; at > 0; at -= at & -at) {
      const other = best[at] ?? NONE;
      if (weightOf(other) > weightOf(chain)) chain = other;
    }
    before[index] = chain;
    weight[index] = weightOf(chain) + run.length;
    for (let at = rank[index] ?? 0; at <= runs.length; at += at & -at) {
      if (weightOf(index) > weightOf(best[at] ?? NONE)) best[at] = index;
    }
    if (weightOf(index) > weightOf(last)) last = index;
  }
  const chosen: Run[] = [];
  for (let at = last; at !== NONE; at = before[at] ?? NONE) {
    const run = runs[at];
    if (run !== undefined) chosen.push(run);
  }
  return chosen.toReversed();
}

/** Texts between two runs. Up to `slide` characters before a gap may as well be those at its end ("a word a word"). */

export interface Gap extends Area {
  slide: number;
}

export function findGaps(from: string, to: string, runs: readonly Run[]): Gap[] {
  const gaps: Gap[] = [];
  let left: Run = { a: 0, b: 0, length: 0 };
  for (const right of [...runs, { a: from.length, b: to.length, length: 0 }]) {
    const area = { a: left.a + left.length, aEnd: right.a, b: left.b + left.length, bEnd: right.b };
    let slide = 0;
    if (area.a === area.aEnd || area.b === area.bEnd) {
      while (slide < left.length && from.charCodeAt(area.aEnd - 1 - slide) === to.charCodeAt(area.bEnd - 1 - slide)) {
        slide++;
      }
    }
    if (area.a < area.aEnd || area.b < area.bEnd) gaps.push({ ...area, slide });
    left = right;
  }
  return gaps;
}

/** Index of the last item at or before the position; -1 if there is none. */

export function findLast(items: readonly { a: number }[], place: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.a ?? Infinity) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
