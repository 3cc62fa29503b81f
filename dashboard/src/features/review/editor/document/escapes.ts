/** Leaves out backslashes that no parser needs, by trying without them. */

/** Asked for each character that may need a backslash, in the order of writing. */
export type Escapes = (character: string) => boolean;

export const escapeAlways: Escapes = () => true;

const MAX_TRIES = 60;
/** Characters parsed in all tries for one block. */
const MAX_PARSED = 400_000;
/** A pair of these is escaped as a pair, which is easier to read. */
const PAIRED: ReadonlyMap<string, string> = new Map([
  ["*", "*"],
  ["_", "_"],
  ["`", "`"],
  ["~", "~"],
  ["[", "["],
  ["]", "["],
]);

/** @param reads whether a source still reads as it must. It does with all escapes. */
export function withFewestEscapes(write: (escapes: Escapes) => string, reads: (source: string) => boolean): string {
  const asked: string[] = [];
  let best = write((character) => {
    asked.push(character);
    return true;
  });
  if (asked.length === 0) return best;
  const kept = new Set(asked.keys());
  let tries = Math.min(MAX_TRIES, Math.ceil(MAX_PARSED / best.length));

  function tryWithout(left: readonly number[]): boolean {
    if (tries <= 0) return false;
    tries -= 1;
    let index = -1;
    const source = write(() => {
      index += 1;
      return kept.has(index) && !left.includes(index);
    });
    if (!reads(source)) return false;
    for (const one of left) kept.delete(one);
    best = source;
    return true;
  }

  if (tryWithout([...kept])) return best;
  const groups = Map.groupBy(kept, (index) => PAIRED.get(asked[index] ?? "") ?? asked[index] ?? "");
  // From the end, so that of an address the first sign keeps its backslash: `https\://`.
  for (const [sign, group] of [...groups].toReversed()) {
    if (tryWithout(group) || group.length === 1 || PAIRED.has(sign)) continue;
    for (const index of group.toReversed()) tryWithout([index]);
  }
  return best;
}
