import assert from "node:assert/strict";
import { test } from "node:test";
import { countSentences, countSyllables, FORMULAS, readingEase, SYLLABLES, words } from "./words.ts";
import { anyCharacter } from "../../../../../test/helpers/any-character.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });
// ICU segments Japanese differently in a new process until it has seen a whole sentence.
Array.from(SEGMENTER.segment("私は学生です。"));

function expected(text: string): string[] {
  return text
    .split(/[ \n\r\t]+/)
    .flatMap((part) => Array.from(SEGMENTER.segment(part)))
    .filter((piece) => piece.isWordLike)
    .map((piece) => piece.segment);
}

test("every character below U+0530, and all general punctuation, is split as by Intl.Segmenter", () => {
  for (let code = 1; code < 0x2070; code = code === 0x52f ? 0x2000 : code + 1) {
    const x = String.fromCharCode(code);
    const text = `a${x}b 1${x}2 a${x}2 a${x} ${x}a ${x}1 _${x}_ ${x} a${x}${x}b я${x}ж ${x}_ א${x}b ${x}.${x} ${x},${x}`;
    assert.deepEqual(words(text), expected(text), code.toString(16));
  }
});

test("any text is split as Intl.Segmenter splits its pieces between white space", () => {
  const latin = fc.constantFrom(...Array.from("abZéßяΩ1290_.',;:’·-()/@½²ª\u00a0\u00ad ʼ \n\r\t"));
  const others = fc.constantFrom(
    "\u0301",
    "\u200d",
    "漢",
    "字",
    "ー",
    "カ",
    "あ",
    "ไ",
    "ท",
    "א",
    "״",
    "👨‍👩‍👧",
    "🇩",
    "한",
    "\u2028",
    "٣",
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof({ weight: 5, arbitrary: latin }, others), maxLength: 40 }), (text) => {
      assert.deepEqual(words(text), expected(text));
    }),
    { numRuns: cases(3000) },
  );
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.deepEqual(words(text), expected(text));
    }),
  );
});

test("Japanese, Chinese and Thai have words without spaces", () => {
  assert.equal(words("私は学生です。").length, 4);
  assert.ok(words("我们今天去公园散步").length > 3);
  assert.ok(words("สวัสดีชาวโลก").length > 1);
});

for (const [text, sentences] of [
  ["One. Two! Three? Four", 4],
  ["J. R. Smith met Dr. No, e.g. at 3.5 p.m. and left.", 2],
  ["He said “Stop.” Then he left.", 2],
  ["Wait... what?! Yes…", 2],
  ["Heat it to 85 °C. Then wait.", 2],
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
  return readingEase(language, countSpoken(language, text), sentences);
}

function countSpoken(language: string | null, text: string) {
  const all = words(text.toLowerCase());
  return { words: all.length, ...countSyllables(language, all, [Array.from(all.keys())]) };
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

test("syllables are those of each word by itself, also when more words are known than are remembered", () => {
  const count = SYLLABLES["de"];
  assert.ok(count !== undefined);
  const letters = fc.constantFrom(...Array.from("aeiöuyrtTß1.,' -\n"), "漢", "ein", "Haus ");
  const check = (text: string) => {
    const all = words(text);
    const spoken = countSpoken("de", text);
    const pronounced = all.filter((word) => !/[0-9]/.test(word));
    const syllables = pronounced.reduce((sum, word) => sum + count(word.toLowerCase()), 0);
    assert.deepEqual(spoken, { words: all.length, pronounced: pronounced.length, syllables });
  };
  fc.assert(fc.property(fc.string({ unit: letters, maxLength: 300 }), check), { numRuns: cases(2_000) });
  const names = Array.from(
    { length: 25_000 },
    (_, number) => `wort${number.toString(2).replaceAll("0", "a").replaceAll("1", "ö")}`,
  );
  assert.ok(new Set(names).size > 20_000);
  check(names.join(" "));
  check(names.toReversed().join(" "));
  check("e".repeat(100));
});
