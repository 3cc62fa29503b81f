import { syllable } from "syllable";
import { WORD_HASH_MULTIPLIER } from "./search.ts";

/**
 * Splits a text into words as `Intl.Segmenter` does for each piece between white space, ten times faster: pieces of the
 * table's characters by the rules of Unicode annex 29 (WB5 to WB13b), all others by the segmenter.
 */
export function words(text: string): string[] {
  const found: string[] = [];
  forEachWord(text, (start, end) => found.push(text.slice(start, end)));
  return found;
}

type Visit = (start: number, end: number, codes: Uint16Array) => void;

/** Calls `visit` with start and end of each word, and the text's code units, which are valid during the call. */
export function forEachWord(text: string, visit: Visit): void {
  const { length } = text;
  const codes = toCodes(text);
  let at = 0;
  while (at < length) {
    while (at < length && isWhiteSpace(codes[at] ?? 0)) at += 1;
    const plainEnd = endOfLetters(codes, at, length);
    if (plainEnd >= 0) {
      visit(at, plainEnd, codes);
      at = plainEnd + 1;
      continue;
    }
    let end = at;
    let known = true;
    for (; end < length; end += 1) {
      const code = codes[end] ?? 0;
      if (isWhiteSpace(code)) break;
      if (classifyCharacter(code) === OTHER_SCRIPT) known = false;
    }
    if (known) cut(codes, at, end, visit);
    else {
      for (const { index, segment, isWordLike } of SEGMENTER.segment(text.slice(at, end)))
        if (isWordLike === true) visit(at + index, at + index + segment.length, codes);
    }
    at = end;
  }
}

/** Texts up to this length share one buffer. */
const SHORT_TEXT = 2 ** 15;
const shortCodes = new Uint16Array(SHORT_TEXT);

/** Valid until the next call. A string may be a part of another, whose characters are slow to read several times. */
function toCodes(text: string): Uint16Array {
  const codes = text.length <= SHORT_TEXT ? shortCodes : new Uint16Array(text.length);
  Buffer.from(codes.buffer).write(text, "utf16le");
  return codes;
}

/** The end of the letters from `from`, if white space follows, at most after one mark; -1 for anything else. */
function endOfLetters(codes: Uint16Array, from: number, length: number): number {
  let end = from;
  while (end < length && CLASSES[codes[end] ?? 0] === LETTER) end += 1;
  if (end === from) return -1;
  if (end === length) return end;
  const next = codes[end] ?? 0;
  if (isWhiteSpace(next)) return end;
  const kind = classifyCharacter(next);
  if (kind === OTHER_SCRIPT || kind === DIGIT || kind === CONNECTOR) return -1;
  return end + 1 === length || isWhiteSpace(codes[end + 1] ?? 0) ? end : -1;
}

const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });

const [NONE, LETTER, DIGIT, CONNECTOR, MID_LETTER, MID_NUMBER, MID_BOTH, OTHER_SCRIPT] = [0, 1, 2, 3, 4, 5, 6, 7];
const TABLE_END = 0x530;
/** General punctuation: dashes, quotes, bullets, ellipsis. */
const PUNCTUATION_START = 0x2010;
const PUNCTUATION_END = 0x2027;

const CLASSES = Uint8Array.from({ length: TABLE_END }, (_, code) => classify(code));

function classify(code: number): number {
  const character = String.fromCharCode(code);
  if (/\p{L}/u.test(character)) return LETTER;
  if (/[0-9]/.test(character)) return DIGIT;
  if (character === "_") return CONNECTOR;
  if (character === "." || character === "'") return MID_BOTH;
  if (character === "," || character === ";" || character === "\u037e") return MID_NUMBER;
  if (character === ":" || character === "\u00b7" || character === "\u0387") return MID_LETTER;
  // Versions of the segmenter differ in whether spacing accents such as U+00B8 are letters.
  if (code > 0x7f && /\p{Sk}/u.test(character)) return OTHER_SCRIPT;
  if (/[\p{P}\p{S}\p{Z}\p{No}]/u.test(character)) return NONE;
  return code < 0x20 ? NONE : OTHER_SCRIPT;
}

function classifyCharacter(code: number): number {
  if (code < TABLE_END) return CLASSES[code] ?? OTHER_SCRIPT;
  if (code >= PUNCTUATION_START && code <= PUNCTUATION_END) {
    if (code === 0x2018 || code === 0x2019 || code === 0x2024) return MID_BOTH;
    return code === 0x2027 ? MID_LETTER : NONE;
  }
  return OTHER_SCRIPT;
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}

function cut(codes: Uint16Array, from: number, to: number, visit: Visit): void {
  let at = from;
  while (at < to) {
    let last = classifyCharacter(codes[at] ?? 0);
    if (last !== LETTER && last !== DIGIT && last !== CONNECTOR) {
      at += 1;
      continue;
    }
    const start = at;
    let wordLike = last !== CONNECTOR;
    at += 1;
    while (at < to) {
      const next = classifyCharacter(codes[at] ?? 0);
      if (next === LETTER || next === DIGIT || next === CONNECTOR) {
        // A lone `_` is not a word; `__` is one.
        wordLike = true;
        last = next;
        at += 1;
        continue;
      }
      const joins =
        next === MID_BOTH || (next === MID_LETTER && last === LETTER) || (next === MID_NUMBER && last === DIGIT);
      if (!joins || last === CONNECTOR || at + 1 >= to || classifyCharacter(codes[at + 1] ?? 0) !== last) break;
      at += 2;
    }
    if (wordLike) visit(start, at, codes);
  }
}

/**
 * Reading ease = base − sentence × (words per sentence) − syllable × (syllables per word), as published for each
 * language. There is no default: one language's numbers say nothing about another's.
 */
export const FORMULAS: Readonly<Record<string, { base: number; sentence: number; syllable: number; source: string }>> =
  {
    en: { base: 206.835, sentence: 1.015, syllable: 84.6, source: "Flesch 1948" },
    de: { base: 180, sentence: 1, syllable: 58.5, source: "Amstad 1978" },
    es: { base: 206.84, sentence: 1.02, syllable: 60, source: "Fernández Huerta 1959" },
    fr: { base: 207, sentence: 1.015, syllable: 73.6, source: "Kandel & Moles 1958" },
    it: { base: 217, sentence: 1.3, syllable: 60, source: "Franchina & Vacca 1972" },
    nl: { base: 206.835, sentence: 0.93, syllable: 77, source: "Douma 1960" },
    pt: { base: 248.835, sentence: 1.015, syllable: 84.6, source: "Martins et al. 1996" },
    ru: { base: 206.835, sentence: 1.3, syllable: 60.1, source: "Oborneva 2006" },
  };

/** 0–100, one decimal, higher is easier; `null` if the language has no formula or there is no sentence. */
export function readingEase(language: string | null, spoken: Readonly<Counts>, sentences: number): number | null {
  const formula = language === null ? undefined : FORMULAS[language];
  const { words, pronounced, syllables } = spoken;
  if (formula === undefined || sentences === 0 || pronounced === 0) return null;
  const ease = formula.base - formula.sentence * (words / sentences) - formula.syllable * (syllables / pronounced);
  return Math.round(Math.min(100, Math.max(0, ease)) * 10) / 10;
}

type Counts = SyllableCount & { words: number };

export function countSentences(text: string): number {
  let sentences = 0;
  forEachSentence(text, () => {
    sentences += 1;
  });
  return sentences;
}

/**
 * Calls `visit` with start and end of each sentence. It ends at `.!?…` before a space and no lower-case letter, or at a
 * full-width mark; not after an initial.
 */
export function forEachSentence(text: string, visit: (start: number, end: number) => void): void {
  let from = 0;
  for (let mark = nextMark(text, 0); mark < text.length; mark = nextMark(text, mark + 1)) {
    const wide = WIDE_MARKS.includes(text[mark] ?? "");
    if (!wide && !endsSentence(text, mark)) continue;
    let end = mark + 1;
    while (end < text.length && CLOSING.includes(text[end] ?? "")) end += 1;
    if (hasContent(text, from, mark)) visit(skipSpaces(text, from), end);
    from = end;
  }
  if (hasContent(text, from, text.length)) visit(skipSpaces(text, from), text.length);
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] === " ") at += 1;
  return at;
}

const MARK = /[.!?…。！？｡]/g;
const WIDE_MARKS = "。！？｡";
const CLOSING = "\"'”’»)]";
const EMPTY = ` .!?…${WIDE_MARKS}${CLOSING}`;

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? text.length;
}

function hasContent(text: string, from: number, to: number): boolean {
  let at = from;
  while (at < to && EMPTY.includes(text[at] ?? "")) at += 1;
  return at < to;
}

function endsSentence(text: string, mark: number): boolean {
  let next = mark + 1;
  while (next < text.length && next < mark + 4 && CLOSING.includes(text[next] ?? "")) next += 1;
  if (next >= text.length) return true;
  if (text[next] !== " ") return false;
  const after = text[next + 1] ?? "";
  if (text[mark] !== ".") return true;
  const initial = /[\p{L}]/u.test(text[mark - 1] ?? "") && !/[\p{L}\p{N}°]/u.test(text[mark - 2] ?? " ");
  return !initial && !/\p{Ll}/u.test(after);
}

interface SyllableCount {
  /** Words without digits, which do not show how they are pronounced. */
  pronounced: number;
  syllables: number;
}

/** Counts over texts whose words are numbers of a vocabulary of lower-case words. No language: nothing is pronounced. */
export function countSyllables(
  language: string | null,
  vocabulary: readonly string[],
  texts: readonly (readonly number[])[],
): SyllableCount {
  const counts = language === null ? undefined : getCounts(language);
  const total = { pronounced: 0, syllables: 0 };
  if (counts === undefined) return total;
  const known = new Int16Array(vocabulary.length);
  for (const text of texts) {
    for (const id of text) {
      let syllables = known[id] ?? 0;
      if (syllables === 0) known[id] = syllables = counts.get(vocabulary[id] ?? "");
      if (syllables === UNPRONOUNCED) continue;
      total.pronounced += 1;
      total.syllables += syllables;
    }
  }
  return total;
}

function getCounts(language: string): SyllableCounts | undefined {
  const count = SYLLABLES[language];
  if (count === undefined) return undefined;
  const counts = known.get(language) ?? new SyllableCounts(count);
  known.set(language, counts);
  return counts;
}

const known = new Map<string, SyllableCounts>();
const UNPRONOUNCED = -1;
/** Longer words are rare. */
const MAX_LENGTH = 40;
const PLACE_BITS = 15;
const OTHER_MULTIPLIER = 0x2c1b3c6d;

/**
 * Keeps syllable counts from one article to the next: counting takes 3 µs a word. Of a word it keeps 64 bits of hashes. It
 * has one of two places, the first for the last one used, so that a rare word does not drive out a frequent one.
 */
class SyllableCounts {
  readonly #count: (word: string) => number;
  readonly #hashes = new Int32Array(4 * 2 ** PLACE_BITS);
  /** 0: none is kept there. */
  readonly #syllables = new Int8Array(2 * 2 ** PLACE_BITS);

  constructor(count: (word: string) => number) {
    this.#count = count;
  }

  /** At least 1, or `UNPRONOUNCED`. */
  get(word: string): number {
    if (word.length > MAX_LENGTH) return this.#derive(word);
    let [one, other] = [word.length, 0];
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      one = Math.imul(one + code, WORD_HASH_MULTIPLIER);
      other = Math.imul(other ^ code, OTHER_MULTIPLIER);
      other ^= other >>> 15;
    }
    const place = 2 * (one >>> (32 - PLACE_BITS));
    if (this.#isAt(place, one, other)) return this.#syllables[place] ?? 0;
    const second = place + 1;
    const syllables = this.#isAt(second, one, other) ? (this.#syllables[second] ?? 0) : this.#derive(word);
    this.#set(second, this.#hashes[2 * place] ?? 0, this.#hashes[2 * place + 1] ?? 0, this.#syllables[place] ?? 0);
    this.#set(place, one, other, syllables);
    return syllables;
  }

  #isAt(place: number, one: number, other: number): boolean {
    return this.#hashes[2 * place] === one && this.#hashes[2 * place + 1] === other && this.#syllables[place] !== 0;
  }

  #set(place: number, one: number, other: number, syllables: number): void {
    this.#hashes[2 * place] = one;
    this.#hashes[2 * place + 1] = other;
    this.#syllables[place] = syllables;
  }

  #derive(word: string): number {
    return /[0-9]/.test(word) ? UNPRONOUNCED : this.#count(word);
  }
}

/** Counts the syllables of a lower-case word: English as the package `syllable`, others by their vowel nuclei. */
export const SYLLABLES: Readonly<Record<string, (word: string) => number>> = {
  en: english,
  de: vowelCounter(/aa|ai|au|äu|ay|ee|ei|eu|ey|ie|oo|[aeiouyäöü]/g),
  es: vowelCounter(/(?<=[gq])u[eiéí]|[iuü]?[aeoáéó][iuü]?|[íú]|[iuü]{1,2}|y$/g),
  fr: french,
  it: vowelCounter(/[iu]?[aeoàèéìíòóùú][iu]?|[iu]{1,2}/g),
  nl: vowelCounter(/aai|ooi|oei|eeu|ieu|aa|ai|au|ee|ei|eu|ie|ij|oe|oo|ou|oi|ui|uu|[aeiouyáäéèëíïóöúü]/g),
  pt: vowelCounter(/(?<=[gq])u[aeiéê]|ão|ãe|õe|[aeoáâãàéêóôõ][iu]?|[íú]|[iu]{1,2}/g),
  ru: vowelCounter(/[аеёиоуыэюя]/g),
};

function vowelCounter(vowels: RegExp): (word: string) => number {
  return (word) => Math.max(1, word.match(vowels)?.length ?? 0);
}

/** The final `e` and `es` are mute if the word has another vowel. */
function french(word: string): number {
  const groups = word.match(/[aeiouyàâäéèêëîïôöùûüÿœæ]+/g)?.length ?? 0;
  return Math.max(1, /[^aeiouyàâäéèêëîïôöùûüÿœæ]es?$/.test(word) ? groups - 1 : groups);
}

function english(word: string): number {
  // A longer word is not English, and the rules are not made for it.
  return word.length > 40 ? Math.ceil(word.length / 3) : Math.max(1, syllable(word));
}
