import assert from "node:assert/strict";
import { test } from "node:test";
import { foundBy } from "./integrity-test-helpers.ts";
import { findStuffing } from "./stuffing.ts";

const filler = (from: number, count: number) => Array.from({ length: count }, (_, at) => `w${from + at}x`).join(" ");

/** Eight sentences with the phrase, whose other words are all different. */
function around(phrase: string, others = 12): string {
  const sentences = Array.from({ length: 8 }, (_, at) => {
    return `${filler(at * others, 2)} ${phrase} ${filler(at * others + 2, others - 2)}.`;
  });
  return sentences.join(" ");
}

test("a phrase that is a twentieth of the words blocks, at its first place", () => {
  assert.deepEqual(foundBy(findStuffing, around("best kettle descaler")), [
    "keyword_stuffing block: best kettle descaler",
  ]);
});

test("from 3.5 to 5 % a phrase warns; a rarer one is fine", () => {
  assert.deepEqual(foundBy(findStuffing, around("kettle descaler", 20)), ["keyword_stuffing warn: kettle descaler"]);
  assert.deepEqual(foundBy(findStuffing, around("kettle descaler", 30)), []);
});

test("names, code and words between small ones may be repeated", () => {
  for (const phrase of ["Acme Kettle", "`kettle descaler`", "of the kettle", "in 2 kettles and"])
    assert.deepEqual(foundBy(findStuffing, around(phrase)), [], phrase);
});

test("German nouns have capitals as names have, so a phrase of them warns", () => {
  assert.deepEqual(foundBy(findStuffing, around("Wasserkocher Entkalker"), { detectedLanguage: "de" }), [
    "keyword_stuffing warn: Wasserkocher Entkalker",
  ]);
});
