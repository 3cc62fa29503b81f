import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignLine, foreignText, singleLine, withoutOverrides } from "./foreign-text.ts";

test("a line loses NUL, control characters, line breaks and lone surrogates", () => {
  assert.equal(
    foreignLine("a\0b\u001b[31mc\r\nd\u0085e\uD83Df", 100),
    "a\uFFFDb\uFFFD[31mc\uFFFD\uFFFDd\uFFFDe\uFFFDf",
  );
});

test("a name is one line, and turns no text around", () => {
  assert.equal(singleLine(" Tea\r\n\u202Etxt.exe\u202C \u2066x\u2069 "), "Tea txt.exe x");
});

test("overrides of the direction go; what a title in two scripts needs stays", () => {
  assert.equal(withoutOverrides("Tea \u202Etxt.exe\u202C \u202D1"), "Tea txt.exe 1");
  for (const kept of ["\u2067שלום \u2066C++\u2069\u2069", "\u202Bשלום\u202C C++", "a\u200Fb"]) {
    assert.equal(withoutOverrides(kept), kept);
  }
  assert.equal(withoutOverrides("\u202Bא\u202Eb\u202C\u202C"), "\u202Bאb\u202C\u202C");
});

test("a text keeps its lines and tabs", () => {
  assert.equal(foreignText("a\0\n\tb\r\n\u007F", 100), "a\uFFFD\n\tb\r\n\uFFFD");
});

test("plain text stays as it is", () => {
  for (const text of ["", "Grüße 😀", "漢字 – “quoted”"]) {
    assert.equal(foreignLine(text, 100), text);
    assert.equal(foreignText(text, 100), text);
  }
});

test("a text is cut at its maximum length, never within a surrogate pair", () => {
  assert.equal(foreignLine("abcdef", 3), "abc");
  assert.equal(foreignLine("ab😀cd", 3), "ab");
  assert.equal(foreignLine("ab😀cd", 4), "ab😀");
  assert.equal(foreignText("x".repeat(1_000_000), 10).length, 10);
});
