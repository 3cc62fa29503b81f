import { syllable } from "syllable";
import { WORD_HASH_MULTIPLIER } from "./plain-words.ts";
import { forEachWord } from "./words.ts";

/** Counts the words of texts and, where the language has a counter, their syllables. */
export class SpokenWords {
  words = 0;
  /** Words without digits, which do not show how they are pronounced. */
  pronounced = 0;
  syllables = 0;
  readonly #counts: SyllableCounts | undefined;

  constructor(language: string | null) {
    this.#counts = language === null ? undefined : getCounts(language);
  }

  /** @returns the number of the text's words. */
  add(text: string): number {
    const before = this.words;
    const counts = this.#counts;
    forEachWord(text, (start, end, codes) => {
      this.words += 1;
      const syllables = counts?.get(text, start, end, codes) ?? UNPRONOUNCED;
      if (syllables === UNPRONOUNCED) return;
      this.pronounced += 1;
      this.syllables += syllables;
    });
    return this.words - before;
  }
}

export function countWords(text: string): number {
  let count = 0;
  forEachWord(text, () => {
    count += 1;
  });
  return count;
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
const MAX_WORDS = 20_000;
/** Longer words are rare. */
const MAX_LENGTH = 40;
const MAX_CHARACTERS = 2 ** 18;
const SLOT_BITS = 16;

/**
 * The syllables of words as they are written. Counting them takes up to 3 µs a word, and articles share most of their words. The
 * words are found by their characters in the text: a string for each would take longer than all the rest.
 */
class SyllableCounts {
  readonly #count: (word: string) => number;
  /** By hash, a word's number plus one; open addressing. */
  readonly #slots = new Int32Array(2 ** SLOT_BITS);
  readonly #characters = new Uint16Array(MAX_CHARACTERS);
  /** Where each word begins; the last one ends where the next would begin. */
  readonly #starts = new Int32Array(MAX_WORDS + 1);
  readonly #syllables = new Int8Array(MAX_WORDS);
  #size = 0;

  constructor(count: (word: string) => number) {
    this.#count = count;
  }

  get(text: string, start: number, end: number, codes: Uint16Array): number {
    if (end - start > MAX_LENGTH) return this.#derive(text.slice(start, end));
    let hash = 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash + (codes[at] ?? 0), WORD_HASH_MULTIPLIER);
    let slot = hash >>> (32 - SLOT_BITS);
    for (let number = this.#slots[slot] ?? 0; number !== 0; number = this.#slots[slot] ?? 0) {
      if (this.#isAt(number - 1, codes, start, end)) return this.#syllables[number - 1] ?? 0;
      slot = (slot + 1) & (2 ** SLOT_BITS - 1);
    }
    const syllables = this.#derive(text.slice(start, end));
    this.#remember(slot, codes, start, end, syllables);
    return syllables;
  }

  #derive(word: string): number {
    return /[0-9]/.test(word) ? UNPRONOUNCED : this.#count(word.toLowerCase());
  }

  #isAt(number: number, codes: Uint16Array, start: number, end: number): boolean {
    let from = this.#starts[number] ?? 0;
    if ((this.#starts[number + 1] ?? 0) - from !== end - start) return false;
    for (let at = start; at < end; at++, from++) if (this.#characters[from] !== codes[at]) return false;
    return true;
  }

  #remember(slot: number, codes: Uint16Array, start: number, end: number, syllables: number): void {
    let to = this.#starts[this.#size] ?? 0;
    if (this.#size === MAX_WORDS || to + end - start > MAX_CHARACTERS) {
      this.#slots.fill(0);
      this.#size = 0;
      return;
    }
    for (let at = start; at < end; at++) this.#characters[to++] = codes[at] ?? 0;
    this.#syllables[this.#size++] = syllables;
    this.#starts[this.#size] = to;
    this.#slots[slot] = this.#size;
  }
}

/**
 * Counts the syllables of a word in lower case, by language: for English by the rules of the `syllable` package, for
 * the others one match per vowel nucleus, with diphthongs counted once. All such counts are approximations; within a
 * text their errors cancel to a few percent.
 */
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
