/**
 * The words of texts that are ASCII but for the punctuation of prose, which most English texts are: the same words as those of
 * search.ts for all scripts, read from bytes in a single pass.
 */

import { randomInt } from "node:crypto";

/** Characters beyond ASCII that separate words, and that no folding changes into letters. */
const SEPARATORS = /[\u00a0\u00a9\u00ab\u00ae\u00bb\u2010-\u2015\u2018-\u201f\u2022\u2026]+/g;

export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** The text in lower case, with nothing but ASCII; undefined if it has words that need more. */
export function toPlain(text: string): string | undefined {
  const plain = isAscii(text) ? text : text.replaceAll(SEPARATORS, " ");
  return isAscii(plain) ? plain.toLowerCase() : undefined;
}

/** By character code: whether it belongs to a word. */
const IS_WORD = Uint8Array.from({ length: 0x80 }, (_, code) => (/[0-9a-z]/.test(String.fromCharCode(code)) ? 1 : 0));
/** For hashes of words. Random, so that nobody can write a text whose words all have the same hash. */
export const WORD_HASH_MULTIPLIER = randomInt(2 ** 31) | 1;
const SPACE = 0x20;

/** The different words of texts from `toPlain`, each once, separated by spaces; of more than `max` the first. */
export function distinctWords(texts: readonly string[], max: number): string {
  // Ends with a space, because reading beyond the end is slow.
  const source = Buffer.from(`${texts.join(" ")} `, "latin1");
  const words = Buffer.allocUnsafe(source.length);
  const bits = Math.ceil(Math.log2(Math.min(source.length, 2 * max) + 2));
  /** A hash table with open addressing: the offset of each word in `words`, plus one. */
  const slots = new Int32Array(2 ** bits);
  let length = 0;
  let count = 0;
  for (let at = 0; at < source.length && count < max; at++) {
    const start = at;
    let hash = 0;
    for (let code = source[at] ?? 0; IS_WORD[code] === 1; code = source[at] ?? 0) {
      hash = Math.imul(hash + code, WORD_HASH_MULTIPLIER);
      at++;
    }
    if (at === start) continue;
    let slot = hash >>> (32 - bits);
    while (slots[slot] !== 0 && !isSame(words, (slots[slot] ?? 0) - 1, source, start, at)) {
      slot = (slot + 1) & (slots.length - 1);
    }
    if (slots[slot] !== 0) continue;
    slots[slot] = length + 1;
    for (let from = start; from < at; from++) words[length++] = source[from] ?? SPACE;
    words[length++] = SPACE;
    count++;
  }
  return words.toString("latin1", 0, Math.max(0, length - 1));
}

/** Whether the word at `known` in `words` is that from `start` to `end` of `source`. */
function isSame(words: Buffer, known: number, source: Buffer, start: number, end: number): boolean {
  let at = known;
  for (let from = start; from < end; from++, at++) if (words[at] !== source[from]) return false;
  return words[at] === SPACE;
}

/** How often these words follow one another in a text from `toPlain`. Occurrences do not overlap. */
export function countInPlain(text: string, words: readonly string[]): number {
  const [first = ""] = words;
  let count = 0;
  for (let at = text.indexOf(first); at >= 0;) {
    const end = isWord(text.charCodeAt(at - 1)) ? -1 : endOfWords(text, at, words);
    if (end >= 0) count += 1;
    at = text.indexOf(first, end < 0 ? at + 1 : end);
  }
  return count;
}

/** Index after the words, the first of which begins at `from`; -1 if they are not there. */
function endOfWords(text: string, from: number, words: readonly string[]): number {
  let at = from;
  for (const word of words) {
    while (at < text.length && !isWord(text.charCodeAt(at))) at += 1;
    if (!text.startsWith(word, at) || isWord(text.charCodeAt(at + word.length))) return -1;
    at += word.length;
  }
  return at;
}

const isWord = (code: number): boolean => IS_WORD[code] === 1;
