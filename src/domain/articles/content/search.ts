/**
 * The words of a text as an index and a query both see them: letters and digits only, without case, accents and width.
 * They are cut here and not by the database, whose tokenizers disagree, so that every engine finds the same.
 *
 * Chinese, Japanese and Korean are cut into overlapping pairs of characters, since a dictionary would cut the same word
 * differently in an article and in a query. The store indexes the characters of the pairs as well, for a query of one.
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

/** What a search looks in. */
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

/** All of it in one text; where two are the same, the index keeps the same words. */
export function searchedText(of: Searched): string {
  const labels = [...of.categories, ...of.tags, ...of.seoKeywords, of.targetKeyword ?? ""];
  return [of.title, of.excerpt, ...labels, of.text].join("\n");
}

/**
 * The words that an article is found by, each once, with a space between them. Of the pairs that Chinese, Japanese and
 * Korean are cut into, the single characters stand there as well: a query may be one of them.
 */
export function indexedWords(of: Searched): string {
  const words = new Set(searchTokens(searchedText(of)));
  for (const word of words) if (PAIR.test(word)) for (const character of word) words.add(character);
  return [...words].join(" ");
}

const PAIR = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{2}$/u;

/** Lower case, without accents, vowel points of Hebrew and Arabic, and differences of width. */
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
 * Combining marks in a row, beyond what any language writes (Unicode annex 15, stream-safe text): they are sorted when a text
 * is normalised, which takes time by the square of their number.
 */
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Letters that normalisation leaves alone and people type differently. */
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

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });

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
  for (const word of SEGMENTER.segment(run)) if (word.isWordLike === true) tokens.push(word.segment);
}
