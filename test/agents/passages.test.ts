/** Passages and sections of any text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { editPassages, findOnce } from "../../src/domain/articles/passage-edits.ts";
import { findSections } from "../../src/domain/articles/sections.ts";
import { cases, fc } from "../helpers/properties.ts";

const pause = () => Promise.resolve();
const few = fc.string({ unit: fc.constantFrom("a", "b", "\n", "#", " ", "`", "<h2>", "😀") });

test("a passage is found where it occurs once, overlaps counted", () => {
  fc.assert(
    fc.property(few, few, (text, passage) => {
      fc.pre(passage !== "");
      const starts = Array.from({ length: text.length }, (_none, index) => index).filter((index) =>
        text.startsWith(passage, index),
      );
      const { start, count } = findOnce(text, passage);
      assert.deepEqual([start, count], [starts[0] ?? -1, Math.min(2, starts.length)]);
    }),
    { numRuns: cases(20_000) },
  );
});

test("edits of passages change nothing else, in any order", async () => {
  const text = "One two three. Four five six. Seven eight nine. $& $1";
  const edits = [
    { old: "eight", new: "$&" },
    { old: "One", new: "" },
    { old: "$& $1", new: "two" },
  ];
  const edited = " two three. Four five six. Seven $& nine. two";
  assert.equal(await editPassages(text, edits, { rewrite: false, pause }), edited);
  assert.equal(await editPassages(text, edits.toReversed(), { rewrite: false, pause }), edited);
});

test("sections put together are the text, and none is longer than it may be", () => {
  fc.assert(
    fc.property(few, fc.constantFrom("html", "markdown"), fc.integer({ min: 2, max: 30 }), (text, source, most) => {
      const sections = findSections(text, source, most);
      assert.equal(sections.map(({ start, end }) => text.slice(start, end)).join(""), text);
      assert.ok(sections.every(({ start, end }) => end - start <= most && (end > start || text === "")));
      assert.deepEqual(
        sections.map(({ number }) => number),
        [...sections.keys()],
      );
      assert.ok(sections.every(({ start }) => !/^[\udc00-\udfff]/.test(text.slice(start))));
    }),
    { numRuns: cases(20_000) },
  );
});

test("headings of code are none", () => {
  const text = "# A\n\n~~~\n# no\n```\n~~~\n\n## B ##\n";
  assert.deepEqual(
    findSections(text, "markdown", 100).map(({ level, heading }) => [level, heading]),
    [
      [1, "A"],
      [2, "B ##"],
    ],
  );
});
