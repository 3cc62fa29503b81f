import assert from "node:assert/strict";
import { test } from "node:test";
import { Keyword } from "./keywords.ts";
import { countInPlain, distinctWords, toPlain } from "./plain-words.ts";
import { searchTokens } from "./search.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

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

test("only texts with letters beyond ASCII are not plain", () => {
  assert.equal(toPlain("It’s “plain” — isn’t it…"), "it s  plain    isn t it ");
  for (const other of ["café", "½", "™", "ﬁ", "東", "\u0301", "\u00ad"]) assert.equal(toPlain(other), undefined);
});
