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

function english(word: string): number {
  // A longer word is not English, and the rules are not made for it.
  return word.length > 40 ? Math.ceil(word.length / 3) : Math.max(1, syllable(word));
}
