import assert from "node:assert/strict";
import { test } from "node:test";
import { countSentences, FORMULAS, readingEase } from "./readability.ts";
import { SYLLABLES } from "./spoken-words.ts";
import { SpokenWords } from "./spoken-words.ts";

for (const [text, sentences] of [
  ["One. Two! Three? Four", 4],
  ["J. R. Smith met Dr. No, e.g. at 3.5 p.m. and left.", 2],
  ["He said “Stop.” Then he left.", 2],
  ["Wait... what?! Yes…", 2],
  ["これは文です。これも。", 2],
  ["", 0],
  ["...", 0],
  ["no end", 1],
] as const)
  test(`“${text}” has ${sentences} sentences`, () => {
    assert.equal(countSentences(text), sentences);
  });

const SYLLABLE_CASES: Record<string, Record<string, number>> = {
  en: { cat: 1, water: 2, beautiful: 3, readability: 5 },
  de: { haus: 1, freude: 2, straße: 2, universität: 5 },
  es: { casa: 2, guerra: 2, ciudad: 2, día: 2, queso: 2 },
  fr: { table: 1, bonjour: 2, université: 5, les: 1 },
  it: { casa: 2, italia: 3, più: 1, perché: 2 },
  nl: { huis: 1, fietsen: 2, mooi: 1, belangrijk: 3 },
  pt: { casa: 2, coração: 3, quero: 2, pai: 1 },
  ru: { дом: 1, молоко: 3, здравствуйте: 3 },
};

for (const [language, cases] of Object.entries(SYLLABLE_CASES))
  test(`syllables of ${language} words are counted as they are spoken`, () => {
    for (const [word, syllables] of Object.entries(cases)) assert.equal(SYLLABLES[language]?.(word), syllables, word);
  });

test("every formula has a syllable counter, and every counter a formula", () => {
  assert.deepEqual(Object.keys(FORMULAS).toSorted(), Object.keys(SYLLABLES).toSorted());
  assert.deepEqual(Object.keys(SYLLABLE_CASES).toSorted(), Object.keys(SYLLABLES).toSorted());
});

function easeOf(language: string | null, text: string, sentences = countSentences(text)): number | null {
  const spoken = new SpokenWords(language);
  spoken.add(text);
  return readingEase(language, spoken, sentences);
}

test("reading ease follows the formula of the language", () => {
  // 6 words, 1 sentence, 6 syllables: 206.835 − 6.09 − 84.6, and for German 180 − 6 − 58.5.
  assert.equal(easeOf("en", "The cat sat on the mat."), 100);
  assert.equal(easeOf("en", "water water water water", 1), 33.6);
  assert.equal(easeOf("de", "Haus Haus Haus Haus", 1), 100);
  assert.equal(easeOf("de", "Freude Freude Freude Freude", 1), 59);
});

test("a language without a formula and a text without sentences have no reading ease", () => {
  assert.equal(easeOf("ja", "これは文です。"), null);
  assert.equal(easeOf(null, "One two."), null);
  assert.equal(easeOf("en", ""), null);
  assert.equal(easeOf("en", "1 2 3."), null);
});

test("a harder text has a lower score", () => {
  const easy = easeOf("en", "The dog ran. The cat sat. They were glad.");
  const hard = easeOf(
    "en",
    "Considerable institutional heterogeneity notwithstanding, interdisciplinary collaboration necessitates organisational adaptability.",
  );
  assert.ok((easy ?? 0) > 90 && (hard ?? 100) < 10);
});
