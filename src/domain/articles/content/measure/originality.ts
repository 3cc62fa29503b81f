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
  const ids = paragraphs.flatMap(({ kind, words }) => (kind === "paragraph" ? words.ids : []));
  if (ids.length < MIN_WORDS) return null;
  const stock = PHRASES[language ?? ""]?.stock;
  return {
    distinctPhrases: (100 * countDistinct(ids)) / (ids.length - SEQUENCE + 1),
    stockPhrases: stock === undefined ? null : findPhrases(stock, paragraphs, vocabulary),
  };
}

/** Counts hashes: two different sequences with the same one change nothing that would be seen in a score. */
function countDistinct(ids: readonly number[]): number {
  const hashes = new Uint32Array(ids.length - SEQUENCE + 1);
  for (let at = 0; at < hashes.length; at += 1) {
    let hash = 0;
    for (let index = 0; index < SEQUENCE; index += 1) hash = Math.imul(hash ^ ((ids[at + index] ?? 0) + 1), MULTIPLIER);
    hashes[at] = hash ^ (hash >>> 15);
  }
  hashes.sort();
  let count = 0;
  for (let at = 0; at < hashes.length; at += 1) if (at === 0 || hashes[at] !== hashes[at - 1]) count += 1;
  return count;
}

const MULTIPLIER = 0x9e3779b1;
