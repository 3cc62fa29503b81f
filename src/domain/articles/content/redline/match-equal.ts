/** The longest common subsequence of two sequences, or part of it where that costs too much. */

/** Steps left for a comparison. When they are used up, the rest counts as replaced. */
export interface Budget {
  steps: number;
}

export type Match = readonly [old: number, young: number];

/** Maximum steps for one sequence of items. */
const MAX_STEPS = 4_000_000;
/** Maximum differences that a search follows: its memory grows with their square. */
const MAX_DIFFERENCES = 1_000;
/** Longer sequences are divided at items that occur once in both, before the rest is searched. */
const MAX_UNDIVIDED = 2_000;

/** Items are equal if their numbers are equal. */
export function matchEqual(olds: readonly number[], youngs: readonly number[], budget: Budget): Match[] {
  const matches: Match[] = [];
  matchRange(olds, youngs, { from: 0, to: olds.length, youngFrom: 0, youngTo: youngs.length }, budget, matches);
  return matches;
}

interface Range {
  from: number;
  to: number;
  youngFrom: number;
  youngTo: number;
}

function matchRange(
  olds: readonly number[],
  youngs: readonly number[],
  range: Range,
  budget: Budget,
  matches: Match[],
): void {
  let { from, to, youngFrom, youngTo } = range;
  while (from < to && youngFrom < youngTo && olds[from] === youngs[youngFrom]) matches.push([from++, youngFrom++]);
  const ending: Match[] = [];
  while (from < to && youngFrom < youngTo && olds[to - 1] === youngs[youngTo - 1]) ending.push([--to, --youngTo]);
  if (from < to && youngFrom < youngTo && budget.steps > 0) {
    const inner = { from, to, youngFrom, youngTo };
    const isLong = to - from + (youngTo - youngFrom) > MAX_UNDIVIDED;
    const found = isLong ? undefined : search(olds, youngs, inner, budget);
    if (found !== undefined) for (const match of found) matches.push(match);
    else divide(olds, youngs, inner, budget, matches, isLong);
  }
  for (const match of ending.reverse()) matches.push(match);
}

/** Matches the items that occur once in both sequences, then what lies between these. */
function divide(
  olds: readonly number[],
  youngs: readonly number[],
  range: Range,
  budget: Budget,
  matches: Match[],
  maySearch: boolean,
): void {
  const anchors = findAnchors(olds, youngs, range);
  budget.steps -= range.to - range.from + range.youngTo - range.youngFrom;
  if (anchors.length === 0) {
    if (maySearch) for (const match of search(olds, youngs, range, budget) ?? []) matches.push(match);
    return;
  }
  let { from, youngFrom } = range;
  for (const [old, young] of anchors) {
    if (old > from || young > youngFrom) {
      matchRange(olds, youngs, { from, to: old, youngFrom, youngTo: young }, budget, matches);
    }
    matches.push([old, young]);
    [from, youngFrom] = [old + 1, young + 1];
  }
  matchRange(olds, youngs, { ...range, from, youngFrom }, budget, matches);
}

function findAnchors(olds: readonly number[], youngs: readonly number[], range: Range): Match[] {
  const once = findUnique(olds, range.from, range.to);
  const onceYoung = findUnique(youngs, range.youngFrom, range.youngTo);
  const pairs: Match[] = [];
  for (let at = range.from; at < range.to; at++) {
    const item = olds[at];
    if (item === undefined || once.get(item) !== at) continue;
    const young = onceYoung.get(item);
    if (young !== undefined && young >= 0) pairs.push([at, young]);
  }
  return longestIncreasing(pairs);
}

/** The position of each item that occurs once; -1 for the others. */
function findUnique(items: readonly number[], from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) {
    const item = items[at];
    if (item !== undefined) places.set(item, places.has(item) ? -1 : at);
  }
  return places;
}

/** The longest subsequence of pairs with rising second positions. They are given in the order of the first ones. */
function longestIncreasing(pairs: readonly Match[]): Match[] {
  /** By length, the index of the pair with the smallest second position that ends a subsequence of that length. */
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([, young], index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < young) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  });
  const result: Match[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) result.push(pair);
  }
  return result.reverse();
}

/** Myers' algorithm. Undefined if there are too many differences, or too few steps left. */
function search(
  olds: readonly number[],
  youngs: readonly number[],
  { from, to, youngFrom, youngTo }: Range,
  budget: Budget,
): Match[] | undefined {
  const [length, youngLength] = [to - from, youngTo - youngFrom];
  const most = Math.min(length + youngLength, MAX_DIFFERENCES);
  const reached = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  let steps = Math.min(MAX_STEPS, budget.steps);
  const allowed = steps;
  try {
    for (let differences = 0; differences <= most; differences++) {
      trace.push(reached.slice(most + 1 - differences - 1, most + 1 + differences + 2));
      for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
        const [left, right] = [reached[most + diagonal] ?? 0, reached[most + 2 + diagonal] ?? 0];
        const isDown = diagonal === -differences || (diagonal !== differences && left < right);
        let x = isDown ? right : left + 1;
        while (x < length && x - diagonal < youngLength && olds[from + x] === youngs[youngFrom + x - diagonal]) {
          x++;
          steps--;
        }
        reached[most + 1 + diagonal] = x;
        steps--;
        if (x >= length && x - diagonal >= youngLength) {
          return readTrace(trace, length, youngLength).map(([old, young]) => [from + old, youngFrom + young]);
        }
      }
      if (steps < 0) return undefined;
    }
    return undefined;
  } finally {
    budget.steps -= allowed - steps;
  }
}

function readTrace(trace: readonly Int32Array[], length: number, youngLength: number): Match[] {
  const matches: Match[] = [];
  let [x, y] = [length, youngLength];
  for (let differences = trace.length - 1; differences >= 0; differences--) {
    const reached = trace[differences];
    const at = (diagonal: number) => reached?.[diagonal + differences + 1] ?? 0;
    const diagonal = x - y;
    const isDown = diagonal === -differences || (diagonal !== differences && at(diagonal - 1) < at(diagonal + 1));
    const before = isDown ? diagonal + 1 : diagonal - 1;
    const start = differences === 0 ? 0 : at(before);
    const snake = differences === 0 || isDown ? start : start + 1;
    while (x > snake) matches.push([--x, --y]);
    [x, y] = [start, start - before];
  }
  return matches.reverse();
}
