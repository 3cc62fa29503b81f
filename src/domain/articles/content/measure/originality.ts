/** How much of a text is said once, and in words of its own. */
import type { Material } from "../integrity/material.ts";
import type { Extract } from "./extract.ts";
import { findPhrases, PHRASES } from "./phrases.ts";

export interface Originality {
  /** Percent of the sequences of four words that are different ones. */
  distinctPhrases: number;
  /** null: we know none of the language. */
  stockPhrases: readonly Extract[] | null;
}

/** A shorter text repeats nothing. */
const MIN_WORDS = 60;
const SEQUENCE = 4;

/** null: the text is too short to say. */
export function measureOriginality({ paragraphs, vocabulary }: Material, language: string | null): Originality | null {
  const ids: number[] = [];
  for (const { kind, words } of paragraphs) if (kind === "paragraph") for (const id of words.ids) ids.push(id);
  if (ids.length < MIN_WORDS) return null;
  const stock = PHRASES[language ?? ""]?.stock;
  return {
    distinctPhrases: (100 * countDistinct(ids)) / (ids.length - SEQUENCE + 1),
    stockPhrases: stock === undefined ? null : findPhrases(stock, paragraphs, vocabulary),
  };
}

/** Counts hashes: two different sequences with the same one change nothing that would be seen in a score. */
function countDistinct(ids: readonly number[]): number {
  const bits = Math.ceil(Math.log2(ids.length)) + 1;
  /** The hashes, by their first bits; open addressing. */
  const seen = new Int32Array(2 ** bits);
  let count = 0;
  for (let at = 0; at <= ids.length - SEQUENCE; at += 1) {
    let hash = 0;
    for (let index = 0; index < SEQUENCE; index += 1) hash = Math.imul(hash ^ ((ids[at + index] ?? 0) + 1), MULTIPLIER);
    hash ^= hash >>> 15;
    // 0 is an empty slot.
    if (hash === 0) hash = 1;
    let slot = hash >>> (32 - bits);
    while (seen[slot] !== 0 && seen[slot] !== hash) slot = (slot + 1) & (seen.length - 1);
    if (seen[slot] === hash) continue;
    seen[slot] = hash;
    count += 1;
  }
  return count;
}

const MULTIPLIER = 0x9e3779b1;
