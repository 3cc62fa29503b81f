import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { searchTokens } from "./search.ts";

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

test("a text and its tokens have the same tokens, whatever their case and form", () => {
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

test("Thai is cut into words", () => {
  assert.ok(searchTokens("สวัสดีชาวโลก").length > 1);
});
