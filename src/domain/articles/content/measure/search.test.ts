import assert from "node:assert/strict";
import { test } from "node:test";
import { countInPlain, distinctWords, indexedWords, Keyword, searchTokens, toPlain, wordForms } from "./search.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";
import { Vocabulary } from "../integrity/material.ts";
import { slugify } from "../slug.ts";

for (const [text, tokens] of [
  ["Node.js: Crème brûlée!", ["node", "js", "creme", "brulee"]],
  ["Straße ΌΣΟΣ Øl Łódź ＡＢＣ", ["strasse", "οσοσ", "ol", "lodz", "abc"]],
  ["東京タワーへ go", ["東京", "京タ", "タワ", "ワー", "ーへ", "go"]],
  ["本", ["本"]],
  ["한국어", ["한국", "국어"]],
  ["snake_case 1.5", ["snake", "case", "1", "5"]],
  ["हिन्दी", ["हिन्दी"]],
] as const)
  test(`the tokens of “${text}” are ${tokens.join(" ")}`, () => {
    assert.deepEqual(searchTokens(text), tokens);
  });

for (const words of [
  ["kettle", "kettles"],
  ["brew", "brews", "brewed", "brewing"],
  ["bake", "bakes", "baked", "baking"],
  ["berry", "berries"],
  ["box", "boxes", "boxed", "boxing"],
])
  test(`each of ${words.join(", ")} has the others among its forms`, () => {
    for (const word of words.filter((one) => one.length > 3)) {
      const forms = wordForms(word);
      assert.deepEqual(
        words.filter((one) => !forms.includes(one)),
        [],
        word,
      );
    }
  });

test("short words, words in other scripts and numbers have no other forms", () => {
  for (const word of ["tea", "gas", "чай", "緑茶", "größe", "2026"]) {
    assert.deepEqual(wordForms(word), [word]);
  }
  assert.ok(!wordForms("glass").includes("glas"));
  assert.ok(!wordForms("status").includes("statu"));
});

test("a text has the same tokens in every Unicode form", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from("aÉßñ 1-Яя한글漢字カﾞがجً")), maxLength: 30 }),
      (text) => {
        assert.deepEqual(searchTokens(text.normalize("NFD")), searchTokens(text.normalize("NFC")));
        assert.deepEqual(searchTokens(text.toUpperCase().normalize("NFD")), searchTokens(text.toUpperCase()));
      },
    ),
  );
});

test("a letter with more combining marks than any language uses is found without the excess ones", () => {
  const marks = "\u0316\u05b0\u0f71".repeat(100_000);
  assert.deepEqual(searchTokens(`caf${marks}e\u0301 x`).length, 2);
  assert.deepEqual(searchTokens("cafe\u0301\u0316"), searchTokens("cafe"));
});

test("Thai is split into words", () => {
  assert.ok(searchTokens("สวัสดีชาวโลก").length > 1);
});

test("of very many different words, only the first are indexed", () => {
  const labels = { categories: [], tags: [], seoKeywords: [], targetKeyword: null };
  const text = Array.from({ length: 100_002 }, (_none, number) => `w${number}`).join(" ");
  const words = indexedWords({ title: "Title", excerpt: "", ...labels, text }).split(" ");
  assert.deepEqual([words.length, words[0], words.at(-2), words.at(-1)], [100_001, "title", "w99998", "·title"]);
});

for (const [keyword, text, count] of [
  ["garbage collection", "Garbage Collection, garbage-collection and collection of garbage", 2],
  ["café", "Cafe CAFÉ cafés", 2],
  ["東京", "東京タワーは東京にある。京都", 2],
  ["東京タワー", "東京タワーは東京にある", 1],
  ["茶", "お茶と茶道", 2],
  ["a a", "a a a a a", 2],
  ["", "anything", 0],
  ["🎉", "🎉", 0],
] as const)
  test(`“${keyword}” is ${count} times in “${text}”`, () => {
    assert.equal(new Keyword(keyword).count(text), count);
  });

test("a keyword is found in a slug in its own script and in ASCII", () => {
  assert.ok(new Keyword("Grüner Tee").isInSlug("gruener-tee-kochen", slugify));
  assert.ok(new Keyword("東京").isInSlug("東京-ガイド", slugify));
  assert.ok(!new Keyword("tea").isInSlug("teapots", slugify));
  assert.ok(!new Keyword("🎉").isInSlug("article", slugify));
});

const PIECES = [
  "a",
  "b",
  "ab",
  "B",
  "A1",
  "0",
  " ",
  "\n",
  "'",
  "’",
  "“a”",
  "—",
  "…",
  "\u00a0",
  "©",
  "®",
  "«b»",
  "•",
  "-",
  "é",
  "ß",
  "ﬁ",
  "\u0301",
  "\u00ad",
  "×",
  "→",
  "🎉",
  "\0",
  "\ud800",
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((some) => some.join(""));

test("the words of plain texts are those that are found in texts of any script", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [first, second] = [toPlain(one), toPlain(other)];
      if (first === undefined || second === undefined) return;
      const expected = [...new Set([...searchTokens(one), ...searchTokens(other)])];
      assert.equal(distinctWords([first, second], 1_000), expected.join(" "));
      assert.equal(distinctWords([first, second], 2), expected.slice(0, 2).join(" "));
    }),
    { numRuns: cases(5_000) },
  );
});

test("a text has the same words in the index by its vocabulary", () => {
  const pieces = fc.constantFrom(...PIECES, "_", ".", ",", ":", "1", "\u007f", "🏻", "\u200b");
  const labels = { categories: [], tags: [], seoKeywords: [], targetKeyword: null };
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 30 }).map((some) => some.join("")),
      (text) => {
        const vocabulary = new Vocabulary();
        vocabulary.split(text);
        const searched = { title: "A title", excerpt: "An excerpt", ...labels, text };
        assert.equal(indexedWords(searched, undefined, vocabulary.words), indexedWords(searched));
      },
    ),
    { numRuns: cases(5_000) },
  );
});

test("a keyword is as often in a plain text as its words follow one another", () => {
  fc.assert(
    fc.property(text, text, (keyword, all) => {
      const [words, plain] = [searchTokens(keyword), toPlain(all)];
      if (plain === undefined || words.length === 0) return;
      assert.equal(countInPlain(plain, words), countSlowly(searchTokens(all), words));
      assert.equal(new Keyword(keyword).count(all), countSlowly(searchTokens(all), words));
    }),
    { numRuns: cases(5_000) },
  );
});

function countSlowly(all: readonly string[], words: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < all.length; at++) {
    if (!words.every((word, index) => all[at + index] === word)) continue;
    count++;
    at += words.length - 1;
  }
  return count;
}

test("only texts whose letters are not Latin are not plain", () => {
  assert.equal(toPlain("It’s “plain” — isn’t it…"), "it s  plain    isn t it ");
  assert.equal(toPlain("Ein Café → Łódź"), "ein cafe   lodz");
  for (const other of ["½", "東", "кот", "\ufe0f"]) assert.equal(toPlain(other), undefined);
});
