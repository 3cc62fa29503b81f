/** Finds the elements of two sequences that are versions of each other, in order. */
import type { Budget, Match } from "./match-equal.ts";
import type { ElementUnit, Unit } from "./units.ts";

/** Minimum share of words that two versions of an element have in common. */
const MIN_SIMILARITY = 0.3;
const MIN_RENAMED_SIMILARITY = 0.6;
/** Maximum elements on each side that are compared each with each; longer sequences are split into such parts. */
const MAX_TOGETHER = 60;

/** These are replaced as a whole. */
const WHOLE: ReadonlySet<string> = new Set("audio iframe map meter picture progress ruby video".split(" "));
/** Where exactly one is replaced by exactly one, it is its new version, whatever its text. */
const PARTS: ReadonlySet<string> = new Set(
  "caption col colgroup dd dt figcaption summary tbody td tfoot th thead tr".split(" "),
);
/** An element has at most one of these, so they are always versions of each other. */
const SINGLE: ReadonlySet<string> = new Set("caption colgroup figcaption summary tbody tfoot thead".split(" "));
const SINGLE_SIMILARITY = 0.05;
const RENAMED = [
  new Set("p h1 h2 h3 h4 h5 h6".split(" ")),
  new Set(["ul", "ol"]),
  new Set(["td", "th"]),
  new Set(["b", "strong"]),
  new Set(["i", "em"]),
];

export function matchSimilar(olds: readonly Unit[], youngs: readonly Unit[], parent: string, budget: Budget): Match[] {
  const [elements, youngElements] = [listElements(olds), listElements(youngs)];
  if (elements.length === 0 || youngElements.length === 0) return [];
  if (elements.length === youngElements.length && (parent === "tr" || elements.length === 1)) {
    const inPlace = elements.map(({ at }, index) => [at, youngElements[index]?.at ?? 0] as const);
    const isVersion = elements.every(({ unit }, index) => isPart(unit, youngElements[index]?.unit));
    if (isVersion) return inPlace;
  }
  const matches: Match[] = [];
  const rounds = Math.ceil(Math.max(elements.length, youngElements.length) / MAX_TOGETHER);
  for (let round = 0; round < rounds; round++) {
    const part = <T>(list: readonly T[]) =>
      list.slice(Math.floor((round * list.length) / rounds), Math.floor(((round + 1) * list.length) / rounds));
    matches.push(...align(part(elements), part(youngElements), budget));
  }
  return matches;
}

interface Placed {
  unit: ElementUnit;
  at: number;
}

function listElements(units: readonly Unit[]): Placed[] {
  return units.flatMap((unit, at) => (unit.kind === "element" && !WHOLE.has(unit.tag) ? [{ unit, at }] : []));
}

function isPart(old: ElementUnit, young: ElementUnit | undefined): boolean {
  return young !== undefined && PARTS.has(old.tag) && isSameKind(old, young);
}

/** The alignment with the greatest total similarity. */
function align(olds: readonly Placed[], youngs: readonly Placed[], budget: Budget): Match[] {
  const width = youngs.length + 1;
  const best = new Float64Array((olds.length + 1) * width);
  const alike = new Float64Array(olds.length * youngs.length);
  for (let row = olds.length - 1; row >= 0; row--) {
    for (let column = youngs.length - 1; column >= 0; column--) {
      const [old, young] = [olds[row], youngs[column]];
      const similarity = old === undefined || young === undefined ? 0 : compare(old.unit, young.unit, budget);
      alike[row * youngs.length + column] = similarity;
      best[row * width + column] = Math.max(
        best[(row + 1) * width + column] ?? 0,
        best[row * width + column + 1] ?? 0,
        similarity === 0 ? 0 : similarity + (best[(row + 1) * width + column + 1] ?? 0),
      );
    }
  }
  const matches: Match[] = [];
  let [row, column] = [0, 0];
  while (row < olds.length && column < youngs.length) {
    const similarity = alike[row * youngs.length + column] ?? 0;
    const here = best[row * width + column] ?? 0;
    if (similarity > 0 && here === similarity + (best[(row + 1) * width + column + 1] ?? 0)) {
      matches.push([olds[row]?.at ?? 0, youngs[column]?.at ?? 0]);
      row++;
      column++;
    } else if (here === (best[(row + 1) * width + column] ?? 0)) row++;
    else column++;
  }
  return matches;
}

/** From 0 (different) to 1. */
function compare(old: ElementUnit, young: ElementUnit, budget: Budget): number {
  if (!isSameKind(old, young) || budget.steps < 0) return 0;
  if (old.tag === "img") return old.properties["src"] === young.properties["src"] ? 1 : 0;
  if (old.tag === "a" && old.properties["href"] === young.properties["href"] && old.properties["href"] !== undefined) {
    return 1;
  }
  if (old.wordCount === 0 && young.wordCount === 0) return old.tag === young.tag ? 0.5 : 0;
  const [few, many] = old.words.size < young.words.size ? [old.words, young.words] : [young.words, old.words];
  budget.steps -= few.size + 10;
  let shared = 0;
  for (const [word, count] of few) shared += Math.min(count, many.get(word) ?? 0);
  const similarity = (2 * shared) / (old.wordCount + young.wordCount);
  if (similarity >= (old.tag === young.tag ? MIN_SIMILARITY : MIN_RENAMED_SIMILARITY)) return similarity;
  return old.tag === young.tag && SINGLE.has(old.tag) ? SINGLE_SIMILARITY : 0;
}

function isSameKind(old: ElementUnit, young: ElementUnit): boolean {
  if (old.tag === young.tag) return true;
  return RENAMED.some((group) => group.has(old.tag) && group.has(young.tag)) && isMovable(old) && isMovable(young);
}

/** Whether its content may stand in another element of its group. */
function isMovable({ tag, children }: ElementUnit): boolean {
  const hasBlocks = children.some((child) => child.kind === "element" && child.isBlock);
  return !hasBlocks || tag === "ul" || tag === "ol" || tag === "td" || tag === "th";
}
