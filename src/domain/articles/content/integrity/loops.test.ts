import assert from "node:assert/strict";
import { test } from "node:test";
import { foundBy } from "./integrity-test-helpers.ts";
import { findLoops } from "./loops.ts";

test("words that run in a loop are found with their place", () => {
  const loop = "very good and very good and very good and very good and";
  assert.deepEqual(foundBy(findLoops, `It is ${loop} so on.`), [`word_loop block: ${loop}`]);
});

test("a short loop, and one in a quotation, only warns", () => {
  const refrain = "Merrily, merrily, merrily, merrily";
  assert.deepEqual(foundBy(findLoops, `${refrain}, life is but a dream.`), [`word_loop warn: ${refrain}`]);
  const song = "na na hey hey na na hey hey na na hey hey na na hey hey";
  assert.deepEqual(foundBy(findLoops, `> ${song}`), [`word_loop warn: ${song}`]);
});

test("emphasis, numbers, code and cells are no loop", () => {
  for (const text of [
    "No, no, no, no!",
    "It prints 10 10 10 10 10 10 10 10 10 10 10 10 10 10.",
    "Type `word word word word word word word word word word` here.",
    "one | one | one | one | one | one | one | one | one | one",
  ])
    assert.deepEqual(foundBy(findLoops, text), [], text);
});

test("a text of few words goes in circles", () => {
  const text = Array.from({ length: 12 }, (_, number) => `The kettle is a good kettle for home ${number % 3}.`);
  assert.deepEqual(
    foundBy(findLoops, text.join(" ")).map((found) => found.slice(0, 15)),
    ["word_loop block"],
  );
});
