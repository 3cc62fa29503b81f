/** What several rules ask of the running text. */
import type { Material, Passage } from "./material.ts";

export function countWords(passages: readonly Passage[]): number {
  let count = 0;
  for (const { words } of passages) count += words.length;
  return count;
}

/** How often the passages have each word of the vocabulary, by its number; words in code and addresses count, too. */
export function countEach({ vocabulary }: Material, passages: readonly Passage[]): Uint32Array {
  const counts = new Uint32Array(vocabulary.words.length);
  for (const { words } of passages) for (const id of words.ids) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

/** Whether the script has no spaces between words, so that what a word is was guessed. */
export function isWithoutSpaces({ prose }: Material): boolean {
  let sample = "";
  for (const { text } of prose) if ((sample += text.slice(0, SAMPLE)).length >= SAMPLE) break;
  return SPACELESS.test(sample);
}

const SAMPLE = 400;
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

export const ADDRESS = /https?:\/\/\S+/gi;

/** Calls `visit` with each word that is neither inline code nor a part of an address. */
export function forEachProseWord(passage: Passage, visit: (id: number, word: number) => void): void {
  const { words, text } = passage;
  const addresses = text.includes("://") ? Array.from(text.matchAll(ADDRESS), toRange) : [];
  let next = 0;
  for (let word = 0; word < words.length; word++) {
    const start = words.starts[word] ?? 0;
    while (next < addresses.length && (addresses[next]?.end ?? 0) <= start) next += 1;
    if (start < (addresses[next]?.start ?? Infinity) && !passage.isCode(word)) visit(words.ids[word] ?? 0, word);
  }
}

function toRange(match: RegExpMatchArray): { start: number; end: number } {
  const start = match.index ?? 0;
  return { start, end: start + match[0].length };
}

/** Name of a language by its ISO 639-1 code. */
export function languageName(code: string): string {
  return NAMES.of(code) ?? code;
}

const NAMES = new Intl.DisplayNames("en", { type: "language" });

/** Whether somebody is quoted there: in a block quote, or between quotation marks of any language. */
export function isQuotation(passage: Passage, start: number, end: number): boolean {
  if (passage.isQuoted) return true;
  const before = passage.text.slice(0, start);
  const after = passage.text.slice(end);
  const opened = Math.max(...["“", "„", "«", "‘"].map((mark) => before.lastIndexOf(mark)));
  const closed = Math.max(...["”", "»"].map((mark) => before.lastIndexOf(mark)));
  if (opened > closed && /[”»’“]/.test(after)) return true;
  return before.split('"').length % 2 === 0 && after.includes('"');
}
