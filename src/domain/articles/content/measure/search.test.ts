import assert from "node:assert/strict";
import { test } from "node:test";
import { indexedWords, searchTokens, wordForms } from "./search.ts";
import { fc } from "../../../../../test/helpers/properties.ts";

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
  assert.deepEqual([words.length, words[0], words.at(-1)], [100_000, "title", "w99998"]);
});
