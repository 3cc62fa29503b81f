import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "./words.ts";
import { anyCharacter } from "../../../../../test/helpers/any-character.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });
// ICU segments Japanese differently in a new process until it has seen a whole sentence.
Array.from(SEGMENTER.segment("私は学生です。"));

function expected(text: string): string[] {
  return text
    .split(/[ \n\r\t]+/)
    .flatMap((part) => Array.from(SEGMENTER.segment(part)))
    .filter((piece) => piece.isWordLike)
    .map((piece) => piece.segment);
}

test("every character below U+0530, and all general punctuation, is split as by Intl.Segmenter", () => {
  for (let code = 1; code < 0x2070; code = code === 0x52f ? 0x2000 : code + 1) {
    const x = String.fromCharCode(code);
    const text = `a${x}b 1${x}2 a${x}2 a${x} ${x}a ${x}1 _${x}_ ${x} a${x}${x}b я${x}ж ${x}_ א${x}b ${x}.${x} ${x},${x}`;
    assert.deepEqual(words(text), expected(text), code.toString(16));
  }
});

test("any text is split as Intl.Segmenter splits its pieces between white space", () => {
  const latin = fc.constantFrom(...Array.from("abZéßяΩ1290_.',;:’·-()/@½²ª\u00a0\u00ad ʼ \n\r\t"));
  const others = fc.constantFrom(
    "\u0301",
    "\u200d",
    "漢",
    "字",
    "ー",
    "カ",
    "あ",
    "ไ",
    "ท",
    "א",
    "״",
    "👨‍👩‍👧",
    "🇩",
    "한",
    "\u2028",
    "٣",
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof({ weight: 5, arbitrary: latin }, others), maxLength: 40 }), (text) => {
      assert.deepEqual(words(text), expected(text));
    }),
    { numRuns: cases(3000) },
  );
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.deepEqual(words(text), expected(text));
    }),
  );
});

test("Japanese, Chinese and Thai have words without spaces", () => {
  assert.equal(words("私は学生です。").length, 4);
  assert.ok(words("我们今天去公园散步").length > 3);
  assert.ok(words("สวัสดีชาวโลก").length > 1);
});
