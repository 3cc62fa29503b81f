/** Detects languages as the package eld does (Apache-2.0, by Nito T.M.), with 2 MB of n-grams, not 50 MB of objects. */

/** With fewer than 24 letters, a guess is unreliable. */
const ENOUGH = /^(?:\P{L}*\p{L}){24}/u;
const ENOUGH_IF_DENSE = /^(?:\P{L}*\p{L}){8}/u;
/** Scripts in which a letter is a syllable or a word. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function isLongEnough(text: string): boolean {
  const sample = text.slice(0, MAX_TEXT);
  return (DENSE_SCRIPT.test(sample) ? ENOUGH_IF_DENSE : ENOUGH).test(sample);
}

export interface LanguageData {
  separators: RegExp;
  /** The Latin-1 character that stands for each byte of UTF-8. */
  dictionary: readonly string[];
  avgScore: Readonly<Record<string, number>>;
  ngrams: string;
}

const MAX_BYTES = 380;
/** From here on the text ends with the word. */
const ENOUGH_BYTES = 350;
const MAX_TEXT = 1_000;
const MAX_WORD = 70;
const NGRAM = 4;
const STRIDE = 3;
/** N-grams with a space before or after them. */
const MAX_KEY = NGRAM + 2;
/** The database has scores less this. */
const BASE_SCORE = 53;
const SCALE = 25;
const RELIABLE = 0.75;
const SPACE = 0x20;

const SLOT_BITS = 18;
const SLOTS = 1 << SLOT_BITS;
const SEEN_BITS = 10;

export class LanguageDetector {
  readonly #separators: RegExp;
  readonly #dictionary: readonly number[];
  readonly #avgScore: Readonly<Record<string, number>>;
  readonly #languages: string[];
  /** By hash of an n-gram, its number plus one; open addressing. */
  readonly #slots = new Uint32Array(SLOTS);
  /** An n-gram's first four characters, and its other two. */
  readonly #low: Uint32Array;
  readonly #high: Uint16Array;
  /** Where the scores of each n-gram begin. */
  readonly #starts: Uint32Array;
  readonly #scoreLanguages: Uint8Array;
  readonly #scores: Uint8Array;
  readonly #totals: Float64Array;
  /** The n-grams of the current text. */
  readonly #seen = new Float64Array(1 << SEEN_BITS);
  #seenCount = 0;
  readonly #longEnds = new Set<string>();
  readonly #word = Buffer.alloc(MAX_BYTES + 4);

  constructor({ separators, dictionary, avgScore, ngrams: source }: LanguageData) {
    this.#separators = separators;
    this.#dictionary = dictionary.map((letter) => letter.charCodeAt(0));
    this.#avgScore = avgScore;
    const [languages, ngrams] = [startAfter(source, "languages:{"), startAfter(source, "ngrams:{")];
    this.#languages = Array.from(
      source.slice(languages, source.indexOf("}", languages)).matchAll(/'([a-z]+)'/g),
      ([, code]) => code ?? "",
    );
    const database = parseNgrams(source, ngrams);
    this.#low = database.low;
    this.#high = database.high;
    this.#starts = database.starts;
    this.#scoreLanguages = database.scoreLanguages;
    this.#scores = database.scores;
    this.#totals = new Float64Array(this.#languages.length);
    for (let number = 0; number < this.#low.length; number++) {
      let slot = hash(this.#low[number] ?? 0, this.#high[number] ?? 0, SLOT_BITS);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      this.#slots[slot] = number + 1;
    }
  }

  /** @returns null if the detector is unsure. */
  detect(text: string): string | null {
    const dictionary = this.#dictionary;
    this.#totals.fill(0);
    this.#seen.fill(0);
    this.#seenCount = 0;
    this.#longEnds.clear();
    const plain = text.slice(0, MAX_TEXT).replace(this.#separators, " ").trim().toLowerCase();
    const word = this.#word;
    let length = 0;
    let bytes = 0;
    for (let at = 0; at < plain.length && bytes <= MAX_BYTES; at++) {
      const code = plain.charCodeAt(at);
      if (code === SPACE) {
        this.#addWord(length);
        length = 0;
        if (bytes++ > ENOUGH_BYTES) break;
      } else if (code < 0x80) {
        word[length++] = code;
        bytes++;
      } else if (code < 0x800) {
        word[length++] = dictionary[0xc0 | (code >> 6)] ?? 0;
        word[length++] = dictionary[0x80 | (code & 0x3f)] ?? 0;
        bytes += 2;
      } else {
        // Characters beyond U+FFFF are separators.
        word[length++] = dictionary[0xe0 | (code >> 12)] ?? 0;
        word[length++] = dictionary[0x80 | ((code >> 6) & 0x3f)] ?? 0;
        word[length++] = dictionary[0x80 | (code & 0x3f)] ?? 0;
        bytes += 3;
      }
    }
    this.#addWord(length);
    return this.#mostLikely();
  }

  #addWord(length: number): void {
    if (length === 0) return;
    const end = Math.min(length, MAX_WORD);
    let from = 0;
    for (; from + NGRAM < end; from += STRIDE) this.#add(from, from + NGRAM, false);
    if (length <= MAX_WORD) this.#add(Math.max(0, end - NGRAM), end, true, from === 0);
    else {
      // The end of a word that is cut is in no database, but it counts.
      const rest = this.#word.toString("latin1", end - NGRAM, length);
      if (!this.#longEnds.has(rest)) this.#seenCount++;
      this.#longEnds.add(rest);
    }
  }

  #add(from: number, to: number, isLast: boolean, isFirst = from === 0): void {
    let low = isFirst ? SPACE : 0;
    let high = 0;
    let shift = isFirst ? 8 : 0;
    for (let index = from; index < to; index++, shift += 8) {
      const code = this.#word[index] ?? 0;
      if (shift < 32) low |= code << shift;
      else high |= code << (shift - 32);
    }
    if (isLast && shift < 32) low |= SPACE << shift;
    else if (isLast) high |= SPACE << (shift - 32);
    low >>>= 0;
    if (!this.#isNew(low, high)) return;
    this.#seenCount++;
    const number = this.#find(low, high);
    if (number < 0) return;
    const end = this.#starts[number + 1] ?? 0;
    for (let index = this.#starts[number] ?? 0; index < end; index++) {
      const language = this.#scoreLanguages[index] ?? 0;
      this.#totals[language] = (this.#totals[language] ?? 0) + (this.#scores[index] ?? 0) + BASE_SCORE;
    }
  }

  #isNew(low: number, high: number): boolean {
    const key = high * 2 ** 32 + low;
    let slot = hash(low, high, SEEN_BITS);
    for (; this.#seen[slot] !== 0; slot = (slot + 1) & ((1 << SEEN_BITS) - 1)) {
      if (this.#seen[slot] === key) return false;
    }
    this.#seen[slot] = key;
    return true;
  }

  #find(low: number, high: number): number {
    for (let slot = hash(low, high, SLOT_BITS); ; slot = (slot + 1) & (SLOTS - 1)) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number < 0 || (this.#low[number] === low && this.#high[number] === high)) return number;
    }
  }

  #mostLikely(): string | null {
    const totals = this.#totals;
    let [first, second] = [-1, -1];
    for (let language = 0; language < totals.length; language++) {
      const total = totals[language] ?? 0;
      if (total > 0 && (first < 0 || total > (totals[first] ?? 0))) [first, second] = [language, first];
      else if (total > 0 && (second < 0 || total > (totals[second] ?? 0))) second = language;
    }
    const language = this.#languages[first];
    if (language === undefined || this.#seenCount < 3) return null;
    const mean = (totals[first] ?? 0) / this.#seenCount;
    const score = mean / (mean + SCALE);
    if ((this.#avgScore[language] ?? 0) * RELIABLE > score) return null;
    // The package compares with the number of the language that comes second, not with its score.
    return Math.abs(score - Math.max(0, second)) < 0.01 ? null : language;
  }
}

interface Database {
  low: Uint32Array;
  high: Uint16Array;
  starts: Uint32Array;
  scoreLanguages: Uint8Array;
  scores: Uint8Array;
}

const [QUOTE, BACKSLASH, COLON, COMMA, OPENING, CLOSING] = [0x27, 0x5c, 0x3a, 0x2c, 0x7b, 0x7d];
/** The fewest characters of an n-gram with a score (`a:{1:2},`), and of a score (`1:2,`). */
const [MIN_ENTRY, MIN_SCORE] = [8, 4];

/**
 * Parses `'ab d':{11:52,25:60},abcd:{…},…}`, as the package writes it, of characters up to ÿ. Each process that derives texts does so
 * when it starts: with bytes and typed arrays it takes a quarter of the CPU time that characters and lists do.
 * @throws Error for anything else.
 */
function parseNgrams(source: string, from: number): Database {
  const bytes = Buffer.from(source, "latin1");
  const most = Math.ceil((source.length - from) / MIN_ENTRY);
  const mostScores = Math.ceil((source.length - from) / MIN_SCORE);
  const [lows, highs, starts] = [new Uint32Array(most), new Uint16Array(most), new Uint32Array(most + 1)];
  const [scoreLanguages, scores] = [new Uint8Array(mostScores), new Uint8Array(mostScores)];
  let [count, scoreCount, at] = [0, 0, from];
  for (;;) {
    const isQuoted = bytes[at] === QUOTE;
    const end = isQuoted ? QUOTE : COLON;
    if (isQuoted) at++;
    let low = 0;
    let high = 0;
    let shift = 0;
    for (let code = bytes[at] ?? 0; code !== end; code = bytes[++at] ?? 0, shift += 8) {
      if (code === BACKSLASH) code = bytes[++at] ?? 0;
      if (shift === MAX_KEY * 8) throw new Error(`the languages' database has no n-gram at ${at}`);
      if (shift < 32) low |= code << shift;
      else high |= code << (shift - 32);
    }
    lows[count] = low;
    highs[count++] = high;
    if (isQuoted) at++;
    at = skip(bytes, at, COLON);
    let code = OPENING;
    at = skip(bytes, at, code);
    for (; code !== CLOSING; at++) {
      let language = 0;
      let score = 0;
      for (code = bytes[at] ?? 0; code !== COLON; code = bytes[++at] ?? 0) {
        language = appendDigit(language, code, at);
      }
      for (code = bytes[++at] ?? 0; code !== COMMA && code !== CLOSING; code = bytes[++at] ?? 0) {
        score = appendDigit(score, code, at);
      }
      scoreLanguages[scoreCount] = language;
      scores[scoreCount++] = score;
    }
    starts[count] = scoreCount;
    if (bytes[at] === CLOSING) break;
    at = skip(bytes, at, COMMA);
  }
  return {
    low: lows.slice(0, count),
    high: highs.slice(0, count),
    starts: starts.slice(0, count + 1),
    scoreLanguages: scoreLanguages.slice(0, scoreCount),
    scores: scores.slice(0, scoreCount),
  };
}

/** @returns the place behind the expected character. */
function skip(bytes: Uint8Array, at: number, code: number): number {
  if (bytes[at] === code) return at + 1;
  throw new Error(`the languages' database has no ${String.fromCharCode(code)} at ${at}`);
}

function appendDigit(value: number, code: number, at: number): number {
  const appended = value * 10 + code - 0x30;
  if (code >= 0x30 && code <= 0x39 && appended <= 0xff) return appended;
  throw new Error(`the languages' database has no small number at ${at}`);
}

function startAfter(source: string, opening: string): number {
  const at = source.indexOf(opening);
  if (at < 0) throw new Error(`the languages' database has no ${opening}`);
  return at + opening.length;
}

function hash(low: number, high: number, bits: number): number {
  return Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b) >>> (32 - bits);
}
