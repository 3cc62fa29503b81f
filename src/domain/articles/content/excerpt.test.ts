import assert from "node:assert/strict";
import { test } from "node:test";
import { EXCERPT_LENGTH, toExcerpt } from "./excerpt.ts";
import { fc } from "../../../../test/helpers/properties.ts";

const graphemes = (text: string): number => Array.from(new Intl.Segmenter("en").segment(text)).length;

test("the author's own summary is kept whole, as plain text on one line", () => {
  const long = "word ".repeat(100).trim();
  assert.equal(toExcerpt(` <p>A &amp; <b>b</b></p>\n<p>c</p>${long} `, "text"), `A & b c ${long}`);
  assert.equal(toExcerpt("<p> </p>", "The text."), "The text.");
});

test("a short text is its own excerpt", () => {
  assert.equal(toExcerpt(null, "One.\n\nTwo."), "One. Two.");
});

test("a long text is cut at the last word that fits, with an ellipsis", () => {
  assert.equal(toExcerpt(null, "abcd ".repeat(40)), `${"abcd ".repeat(32).trim()}…`);
  const exact = "a".repeat(EXCERPT_LENGTH);
  assert.equal(toExcerpt(null, exact), exact);
  assert.equal(toExcerpt(null, `${exact} b`), `${exact}…`);
});

test("text without spaces is cut between words or characters", () => {
  const cut = toExcerpt(null, "私は学生です。".repeat(40));
  assert.ok(cut.endsWith("…"));
  assert.ok(graphemes(cut) > 150 && graphemes(cut) <= EXCERPT_LENGTH + 1);
  const family = "👨‍👩‍👧";
  assert.equal(toExcerpt(null, family.repeat(200)), `${family.repeat(EXCERPT_LENGTH)}…`);
});

test("no excerpt is longer than 160 characters and the ellipsis, nor does it divide a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 100, maxLength: 400 }), (text) => {
      const excerpt = toExcerpt(null, text);
      assert.ok(graphemes(excerpt) <= EXCERPT_LENGTH + 1);
      assert.ok(excerpt.isWellFormed());
      const kept = excerpt.replace(/…$/, "");
      assert.ok(text.replaceAll(/\s+/g, " ").trim().startsWith(kept));
    }),
  );
});
