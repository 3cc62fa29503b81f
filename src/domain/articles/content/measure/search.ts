import { randomInt } from "node:crypto";

/**
 * Splits a text into words for index and queries, here and not in the databases, so that both engines find the same.
 *
 * Chinese, Japanese and Korean become overlapping pairs of characters: a dictionary would split a word differently in
 * an article and in a query. The index also has the single characters.
 */
export function searchTokens(text: string): string[] {
  const folded = fold(text);
  if (isAscii(folded)) return folded.match(/[a-z0-9]+/g) ?? [];
  const tokens: string[] = [];
  for (const run of folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
    if (PAIRED.test(run)) cutPaired(run, tokens);
    else if (UNSPACED.test(run)) cutUnspaced(run, tokens);
    else tokens.push(run);
  }
  return tokens;
}

const MIN_STEM = 3;
const CONSONANT_TWICE = /([bcdfghjklmnpqrstvwxz])\1$/;

/** The word with its other English forms: plurals, -ed and -ing. Some are not words, and match no article. */
export function wordForms(word: string): string[] {
  if (!/^[a-z]{4,}$/.test(word)) return [word];
  const forms = new Set([word]);
  for (const stem of stems(word)) {
    if (stem.length < MIN_STEM) continue;
    const root = stem.endsWith("e") ? stem.slice(0, -1) : stem;
    forms.add(stem).add(`${stem}s`).add(`${root}ed`).add(`${root}ing`);
    if (/(?:s|x|z|ch|sh)$/.test(stem)) forms.add(`${stem}es`);
    if (/[^aeiou]y$/.test(stem)) forms.add(`${stem.slice(0, -1)}ies`).add(`${stem.slice(0, -1)}ied`);
  }
  return [...forms];
}

function stems(word: string): string[] {
  if (word.endsWith("ies") || word.endsWith("ied")) return [`${word.slice(0, -3)}y`];
  if (word.endsWith("ing")) return withoutEnding(word.slice(0, -3));
  if (word.endsWith("ed")) return withoutEnding(word.slice(0, -2));
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)];
  return /[^su]s$/.test(word) ? [word.slice(0, -1)] : [word];
}

function withoutEnding(root: string): string[] {
  if (!/[aeiouy]/.test(root)) return [];
  return CONSONANT_TWICE.test(root) ? [root, root.slice(0, -1)] : [root, `${root}e`];
}

const MIN_PREFIX = 4;
/** Longer words are found whole only. */
const MAX_COMPLETED = 500;

/** The different words of a query. The last keeps its `*` if it begins with a letter and has MIN_PREFIX characters. */
export function queryWords(query: string): string[] {
  const tokens = searchTokens(query);
  const last = tokens.at(-1) ?? "";
  const words = [...new Set(tokens)];
  if (!PREFIX.test(last) || !/[\p{L}\p{N}\p{M}]\**$/u.test(query)) return words;
  return [...words.filter((word) => word !== last), `${last}*`];
}

/** At least MIN_PREFIX characters. */
const PREFIX = /^\p{L}[\p{L}\p{N}\p{M}]{3}/u;

/** Whether the word may be found by its beginning. */
export function isCompletable(word: string): boolean {
  return word.length > MIN_PREFIX && word.length <= MAX_COMPLETED && !/^[0-9]/.test(word) && !word.startsWith(IN_TITLE);
}

/** The parts of an article that a search covers. */
export interface Searched {
  title: string;
  excerpt: string;
  categories: readonly string[];
  tags: readonly string[];
  seoKeywords: readonly string[];
  targetKeyword: string | null;
  text: string;
}

/** All parts as one text; equal texts give the same words in the index. */
export function searchedText(of: Searched): string {
  return `${summaryText(of)}\n${of.text}`;
}

function summaryText(of: Omit<Searched, "text">): string {
  const labels = [...of.categories, ...of.tags, ...of.seoKeywords, of.targetKeyword ?? ""];
  return [of.title, of.excerpt, ...labels].join("\n");
}

/** Maximum different words of one article in the index; SQLite keeps them in memory, about 100 bytes each. */
const MAX_INDEXED_WORDS = 100_000;

/** Begins the words of a title, which are in the index twice. No query has such a word: it is neither letter nor digit. */
export const IN_TITLE = "·";
const MAX_TITLE_WORDS = 200;

/**
 * The words by which an article is found, each once, separated by spaces: the first MAX_INDEXED_WORDS. They include the
 * single characters of Chinese, Japanese and Korean, and end with those of the title, each after IN_TITLE. `textTokens`
 * returns those of the content's text; `vocabulary`: its different words in their order, as integrity/material.ts splits them.
 */
export function indexedWords(
  of: Searched,
  textTokens: () => readonly string[] = () => searchTokens(of.text),
  vocabulary?: readonly string[],
): string {
  const titled = [...new Set(searchTokens(of.title))].slice(0, MAX_TITLE_WORDS).map((word) => IN_TITLE + word);
  return [allWords(of, textTokens, vocabulary), ...titled].join(" ");
}

function allWords(of: Searched, textTokens: () => readonly string[], vocabulary?: readonly string[]): string {
  const summary = summaryText(of);
  // The vocabulary, a sixth of the text, gives the same words in the same order where every other character separates them.
  const text = vocabulary !== undefined && isAscii(withoutMarks(of.text)) ? vocabulary.join("\n") : of.text;
  const [plainSummary, plainText] = [toPlain(summary), toPlain(text)];
  if (plainSummary !== undefined && plainText !== undefined) {
    return distinctWords([plainSummary, plainText], MAX_INDEXED_WORDS);
  }
  const words = new Set(searchTokens(summary));
  for (const word of textTokens()) words.add(word);
  for (const word of words) {
    if (word >= FIRST_OF_PAIRS && PAIR.test(word)) for (const character of word) words.add(character);
  }
  return [...words.values().take(MAX_INDEXED_WORDS)].join(" ");
}

/** The scripts of `PAIR` begin here. */
const FIRST_OF_PAIRS = "\u1100";
const PAIR = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{2}$/u;

/** Folds a text to lower case, without accents, vowel points of Hebrew and Arabic, and differences of width. */
function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .replaceAll(LONG_MARKS, "$1")
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u3099\u309a\u00ad\u200b-\u200f]+/g, "")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]+|[ßæœøđðłıςþ]/g, (letter) => SPELLED[letter] ?? "")
    .normalize("NFC");
}

/** Longer runs of marks than any language writes (Unicode annex 15): normalising them takes quadratic time. */
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Letters that normalisation leaves alone and that people type differently. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
  ς: "σ",
  þ: "th",
};

const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Created at its first use: it takes 9 ms and 7 MB, and few texts need it. */
let segmenter: Intl.Segmenter | undefined;

function cutPaired(run: string, tokens: string[]): void {
  for (const part of run.match(PARTS) ?? []) {
    if (!PAIRED.test(part)) {
      tokens.push(part);
      continue;
    }
    const characters = Array.from(part);
    if (characters.length === 1) tokens.push(part);
    for (let index = 1; index < characters.length; index += 1)
      tokens.push(`${characters[index - 1]}${characters[index]}`);
  }
}

function cutUnspaced(run: string, tokens: string[]): void {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const word of segmenter.segment(run)) if (word.isWordLike === true) tokens.push(word.segment);
}

// The same words for texts that are ASCII but for accents and the punctuation of prose, as most in European languages
// are: read from bytes in a single pass.

/** Characters beyond ASCII that separate words, and that no folding changes into letters. */
const SEPARATORS =
  /[\u00a0\u00a9\u00ab\u00ae\u00bb\u00d7\u2010-\u2015\u2018-\u201f\u2022\u2026\u2190-\u21ff\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}]+/gu;

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** The text in lower case and without accents, with nothing but ASCII; undefined if it has words that need more. */
export function toPlain(text: string): string | undefined {
  const folded = fold(withoutMarks(text));
  return isAscii(folded) ? folded : undefined;
}

function withoutMarks(text: string): string {
  return isAscii(text) ? text : text.replaceAll(SEPARATORS, " ");
}

/** By character code: whether it belongs to a word. */
export const IS_WORD = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[0-9a-z]/.test(String.fromCharCode(code)) ? 1 : 0,
);
/** For hashes of words. Random, so that nobody can write a text whose words all have the same hash. */
export const WORD_HASH_MULTIPLIER = randomInt(2 ** 31) | 1;
const SPACE = 0x20;

export function hashWord(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash + word.charCodeAt(at), WORD_HASH_MULTIPLIER);
  return hash;
}

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

/** Finds a keyword as the search would: as consecutive whole words, ignoring case and accents, in any script. */
export class Keyword {
  private readonly tokens: readonly string[];
  private readonly folded: string;
  private readonly written: string;

  constructor(keyword: string) {
    this.written = keyword;
    this.tokens = searchTokens(keyword);
    this.folded = fold(keyword.trim());
  }

  /** Counts the keyword in a text. `tokens`: returns the text's tokens. */
  count(text: string, tokens: () => readonly string[] = () => searchTokens(text)): number {
    const [first] = this.tokens;
    if (first === undefined) return 0;
    if (this.tokens.length === 1 && IDEOGRAPH.test(first) && first === this.folded)
      return fold(text).split(first).length - 1;
    const plain = toPlain(text);
    if (plain !== undefined) return countInPlain(plain, this.tokens);
    const all = tokens();
    let count = 0;
    for (let at = all.indexOf(first); at >= 0; at = all.indexOf(first, at + 1)) {
      if (this.tokens.every((token, index) => all[at + index] === token)) {
        count += 1;
        // Overlapping occurrences count once.
        at += this.tokens.length - 1;
      }
    }
    return count;
  }

  isIn(text: string): boolean {
    return this.count(text) > 0;
  }

  /** Whether it is in a slug, where words may have been left out or written in ASCII. */
  isInSlug(slug: string, slugOf: (text: string) => string): boolean {
    if (this.tokens.length === 0) return false;
    return this.isIn(slug.replaceAll("-", " ")) || `-${slug}-`.includes(`-${slugOf(this.written)}-`);
  }
}

/** One or two such characters, which a search would find as part of a longer word. */
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{1,2}$/u;
