import assert from "node:assert/strict";
import { test } from "node:test";
import { describeLostWords, findLostWords } from "./lost-words.ts";

test("missing words are counted as often as they are missing, and the first are named", () => {
  const lost = findLostWords("the tea and the pot and the cup", "the tea and the pot");
  assert.deepEqual(lost, { missing: 3, total: 8, first: "and the cup" });
  assert.equal(lost && describeLostWords(lost), "3 of 8 words: “and the cup”");
  const many = findLostWords("a b c d e f g h i j", "");
  assert.deepEqual(many, { missing: 10, total: 10, first: "a b c d e f g h …" });
});

test("a sign of Chinese or Japanese is a word", () => {
  assert.deepEqual(findLostWords("茶は熱い。", "茶は。"), { missing: 2, total: 4, first: "熱 い" });
});

for (const [name, source, result] of [
  ["punctuation and white space", "“One” – two;\n\nthree", '"One" - two three'],
  ["another order", "one two three", "three one two"],
  ["words that became one", "one two three", "one twothree"],
  ["characters that are not known", "caf· one ·two·", "one"],
] as const)
  test(`these are no lost words: ${name}`, () => assert.equal(findLostWords(source, result), null));
