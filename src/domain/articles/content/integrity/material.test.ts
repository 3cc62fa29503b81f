import assert from "node:assert/strict";
import { test } from "node:test";
import { materialOf } from "./integrity-test-helpers.ts";

test("equal words have equal numbers in all texts of an article, whatever their case and apostrophe", () => {
  const { title, blocks, vocabulary } = materialOf("It's a kettle. IT’S a Kettle.", { title: "Kettle" });
  const [block] = blocks;
  assert.deepEqual(vocabulary.words, ["it's", "a", "kettle"]);
  assert.deepEqual(block?.words.ids, [0, 1, 2, 0, 1, 2]);
  assert.deepEqual(title.words.ids, [2]);
  assert.equal(block.text.slice(block.words.starts[3], block.words.ends[3]), "IT’S");
});

test("sentences have their place and their words", () => {
  const [block] = materialOf("First one. “Second?” Third").blocks;
  assert.deepEqual(
    block?.sentences.map(({ start, end, firstWord, endWord }) => [block.text.slice(start, end), firstWord, endWord]),
    [
      ["First one.", 0, 2],
      ["“Second?”", 2, 3],
      ["Third", 3, 4],
    ],
  );
});

test("headings have their levels, code its marks", () => {
  const { blocks, paragraphs } = materialOf("## Use\n\nType `npm ci` now\n\n```\ncode\n```");
  assert.deepEqual(
    blocks.map(({ kind, level }) => [kind, level]),
    [
      ["heading", 2],
      ["paragraph", 0],
      ["code", 0],
    ],
  );
  const [paragraph] = paragraphs;
  assert.deepEqual(
    [0, 1, 2, 3].map((word) => paragraph?.isCode(word)),
    [false, true, true, false],
  );
});

test("a word is found by its number, however many there are and whatever its letters", () => {
  const words = Array.from({ length: 5000 }, (_, index) => `w${index}`);
  const { vocabulary } = materialOf(`${words.join(" ")} Über Kaffee, it’s.`);
  for (const word of [...words, "über", "kaffee", "it's"]) {
    assert.equal(vocabulary.words[vocabulary.find(word) ?? -1], word);
  }
  assert.equal(vocabulary.find("missing"), undefined);
  assert.equal(new Set(vocabulary.words).size, vocabulary.words.length);
});
