import { syllable } from "syllable";

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

/**
 * Bounded cache of a pure function. The package takes about 3 µs a word, a third of the time of a whole article, and
 * articles share most of their words.
 */
const remembered = new Map<string, number>();
const MAX_REMEMBERED = 20_000;

function english(word: string): number {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  // A longer word is not English, and the rules are not made for it.
  const count = word.length > 40 ? Math.ceil(word.length / 3) : Math.max(1, syllable(word));
  if (word.length <= 40) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(word, count);
  }
  return count;
}
