import assert from "node:assert/strict";
import { test } from "node:test";
import { foundBy } from "./integrity-test-helpers.ts";
import { findTitleMismatch } from "./title.ts";

const TEXT = Array.from(
  { length: 5 },
  () =>
    "Hard water leaves a white crust on the heating element of every kettle, and the descaling of it takes an hour.",
).join("\n\n");

function found(title: string, text = TEXT): string[] {
  return foundBy(findTitleMismatch, text, { title });
}

test("a title of which no word is in the text is found", () => {
  assert.deepEqual(found("Mortgage mistakes of young families"), [
    "title_mismatch warn: Mortgage mistakes of young families",
  ]);
  assert.deepEqual(found("Ten mortgage mistakes that young families will regret in any kettle"), [
    "title_mismatch warn: Ten mortgage mistakes that young families will regret in any kettle",
  ]);
});

test("other forms of a word and parts of a compound are the word", () => {
  for (const title of ["Kettles explained", "How to descale pots", "Hardwater problems"])
    assert.deepEqual(found(title), [], title);
  const german = TEXT.replaceAll("kettle", "Wasserkocher");
  assert.deepEqual(found("Kocher richtig pflegen", german), []);
  const french = TEXT.replaceAll("water", "eau");
  assert.deepEqual(found("L'eau dure", french), []);
});

test("short texts and titles of a word are not judged", () => {
  assert.deepEqual(found("Mortgage mistakes", "Hard water."), []);
  assert.deepEqual(found("Mortgage"), []);
});
