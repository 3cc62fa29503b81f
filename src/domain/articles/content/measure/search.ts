import { distinctWords, isAscii, toPlain } from "./plain-words.ts";

/**
 * Splits a text into words as both the index and queries see them: letters and digits only, ignoring case, accents and
 * width. This is done here and not by the databases, whose tokenizers disagree, so that every engine finds the same.
 *
 * Chinese, Japanese and Korean are split into overlapping pairs of characters, since a dictionary would split the same
 * word differently in an article and in a query. The store also indexes the characters of the pairs, for queries of one
 * character.
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

/**
 * The word with its other English forms: plurals, -ed and -ing. Some results are not words, which does no harm: no article contains
 * them. Words of other languages hardly ever have an English form with another meaning.
 */
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

/** The possible stems of the word. */
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

/**
 * The different words of a query. The last one ends with `*` if it may be the beginning of a longer word: it has at least
 * MIN_PREFIX letters or digits, the first of which is a letter, and nothing but `*` follows it.
 */
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
  return word.length > MIN_PREFIX && word.length <= MAX_COMPLETED && !/^[0-9]/.test(word);
}

/** The parts of an article that a search covers. */
export interface Searched {
  title: string;
  excerpt: string;
  categories: readonly string[];
  tags: readonly string[];
  seoKeywords: readonly string[];
  targetKeyword: string | null;
  /** Visible text of the content. */
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

/**
 * Maximum different words of one article in the index. SQLite keeps those of one article in memory, about 100 bytes each; no
 * language has articles with that many, but a table of numbers does.
 */
const MAX_INDEXED_WORDS = 100_000;

/**
 * The words by which an article is found, each once, separated by spaces; of more than MAX_INDEXED_WORDS the first. They include the single characters of the
 * pairs into which Chinese, Japanese and Korean are split, since a query may be one of them. `textTokens`: returns those of the
 * content's text.
 */
export function indexedWords(of: Searched, textTokens: () => readonly string[] = () => searchTokens(of.text)): string {
  const summary = summaryText(of);
  const [plainSummary, plainText] = [toPlain(summary), toPlain(of.text)];
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
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .replaceAll(LONG_MARKS, "$1")
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u3099\u309a\u00ad\u200b-\u200f]+/g, "")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]+|[ßæœøđðłıςþ]/g, (letter) => SPELLED[letter] ?? "")
    .normalize("NFC");
}

/**
 * Runs of combining marks longer than any language writes (Unicode annex 15, stream-safe text): normalising a text
 * sorts them, which takes quadratic time.
 */
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
