/**
 * By which near duplicates are found among all articles of a website: MinHash of the text's shingles, three words in a row.
 * Two texts have as many of the values in common as they have of their shingles (Jaccard's index), give or take 6 in 100.
 */
import { IS_WORD } from "./search.ts";

const VALUES = 64;
export const BANDS = 16;
const ROWS = VALUES / BANDS;
/** Shorter texts share too many of their shingles by chance. */
const MIN_WORDS = 50;
const EMPTY = 0xffff_ffff;

/**
 * In base64; null for a text that is too short. Equal texts but for case and punctuation have the same on every machine. The
 * shingles are dealt to the values by hash and each keeps the least, which takes one hash for each word instead of 64.
 */
export function fingerprint(text: string): string | null {
  const least = new Uint32Array(VALUES).fill(EMPTY);
  let [before, last, count] = [0, 0, 0];
  forEachWord(text, (word) => {
    count += 1;
    if (count > 2) {
      const shingle = mix(Math.imul(Math.imul(before, 31) + last, 31) + word);
      const value = shingle >>> 26;
      if (shingle < (least[value] ?? 0)) least[value] = shingle;
    }
    before = last;
    last = word;
  });
  return count < MIN_WORDS ? null : Buffer.from(fillEmpty(least).buffer).toString("base64");
}

/** A value without a shingle is that of another place, chosen by its own place alone, so that like texts stay alike. */
function fillEmpty(least: Uint32Array): Uint32Array<ArrayBuffer> {
  const values = new Uint32Array(least);
  for (let place = 0; place < VALUES; place++) {
    for (let attempt = 1; values[place] === EMPTY && attempt < 1_000; attempt++) {
      values[place] = least[mix(place * 1_000 + attempt) >>> 26] ?? EMPTY;
    }
  }
  return values;
}

/** The share of equal values, from 0 to 1. */
export function similarity(one: string, other: string): number {
  const [values, others] = [decode(one), decode(other)];
  let equal = 0;
  for (let place = 0; place < VALUES; place++) if (values[place] === others[place]) equal += 1;
  return equal / VALUES;
}

/** Hashes of four values each, with the website. 99.9 % of texts that are 80 % alike share one, and 64 % of those half alike. */
export function bands(websiteId: string, of: string): number[] {
  const values = decode(of);
  let site = 0;
  for (let at = 0; at < websiteId.length; at++) site = mix(site * 31 + websiteId.charCodeAt(at));
  return Array.from({ length: BANDS }, (_, band) => {
    let [high, low] = [mix(site + band), mix(site ^ band)];
    for (const value of values.subarray(band * ROWS, (band + 1) * ROWS)) {
      high = mix(Math.imul(high, 31) + value);
      low = mix(Math.imul(low, 37) ^ value);
    }
    return (high >>> 16) * 2 ** 32 + low;
  });
}

/** Begins the words of bands. No query has such a word: it is neither letter nor digit. */
const IN_BANDS = "≈";

/** The bands as words for a word index. */
export function bandWords(websiteId: string, of: string): string[] {
  return bands(websiteId, of).map((band) => IN_BANDS + band.toString(36));
}

function decode(base64: string): Uint32Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, "base64");
  // Copied, as a small buffer may begin anywhere in a shared one.
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Calls `visit` with a hash of each word; in scripts without spaces, of each pair of characters. */
function forEachWord(text: string, visit: (hash: number) => void): void {
  const lower = text.toLowerCase();
  let [hash, pair] = [0, 0];
  for (let at = 0; at <= lower.length; at++) {
    const code = lower.charCodeAt(at);
    const isUnspaced = code >= 0xe00 && isUnspacedScript(code);
    if (code < 0x80 ? IS_WORD[code] === 1 : isWordCharacter(code) && !isUnspaced) {
      // As an integer of 32 bits: a larger number would be one of floating point.
      hash = (Math.imul(hash, 0x01000193) + code) | 0;
      continue;
    }
    if (hash !== 0) visit(mix(hash));
    hash = 0;
    if (isUnspaced) visit(mix(Math.imul(pair, 0x10001) + code));
    pair = isUnspaced ? code : 0;
  }
}

/** Roughly: beyond ASCII, everything but the punctuation that texts are full of. */
function isWordCharacter(code: number): boolean {
  return (
    code >= 0xc0 &&
    !(code >= 0x2000 && code <= 0x206f) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    !(code >= 0xff00 && code <= 0xff0f)
  );
}

/** Thai and Lao, Burmese, Khmer, kana, Han. */
function isUnspacedScript(code: number): boolean {
  return (
    code <= 0xeff ||
    (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) ||
    (code >= 0x3041 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff)
  );
}

/** Every bit of the result depends on every bit given (MurmurHash3). */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
