import { expect, test } from "vitest";
import { foldRows } from "./fold.ts";
import { blocksOnLines, diffRows, diffWords } from "./rows.ts";

const marked = (parts: readonly { text: string; isChanged: boolean }[] | null) =>
  parts?.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("") ?? null;
const sides = (before: string, after: string) =>
  diffRows(before, after).map((row) => [marked(row.before), marked(row.after)]);

test("lines stand beside each other, and within them the words that differ are marked", () => {
  expect(sides("one\nold words here\nthree", "one\nnew words here\nthree")).toEqual([
    ["one", "one"],
    ["[old] words here", "[new] words here"],
    ["three", "three"],
  ]);
});

test("a line that only one side has stands alone", () => {
  expect(sides("one\ntwo", "one\nand a half\ntwo")).toEqual([
    ["one", "one"],
    [null, "[and a half]"],
    ["two", "two"],
  ]);
  expect(sides("", "new")).toEqual([[null, "[new]"]]);
  expect(sides("same", "same")).toEqual([["same", "same"]]);
});

test("several words in a row are one change", () => {
  expect(marked(diffWords("Tea number 1", "A better title").after)).toBe("[A better title]");
  expect(marked(diffWords("made the best cup", "made quite the best cup").after)).toBe("made [quite ]the best cup");
});

test("the ends of lines of another system are no difference", () => {
  expect(diffRows("a\r\nb", "a\nb").every(({ isSame }) => isSame)).toBe(true);
});

test("HTML in one line is compared block by block", () => {
  expect(blocksOnLines("<h2>A</h2><p>b <em>c</em></p><ul><li>d</li></ul>")).toBe(
    "<h2>A</h2>\n<p>b <em>c</em></p>\n<ul>\n<li>d</li>\n</ul>",
  );
});

const text = (seed: number) =>
  Array.from({ length: 20_000 }, (_, no) => `line ${(no * seed) % 99_991} of ${seed}`).join("\n");

test("two long texts without anything in common are given up on in time", () => {
  expect(diffRows(text(7), text(13)).length).toBeGreaterThanOrEqual(20_000);
});

test("what is the same far from any change is folded, its neighbours are not", () => {
  const before = Array.from({ length: 20 }, (_, no) => `line ${no}`);
  const after = before.with(10, "another");
  const pieces = foldRows(diffRows(before.join("\n"), after.join("\n")));
  expect(pieces.map(({ rows, isFolded }) => [rows.length, isFolded])).toEqual([
    [8, true],
    [5, false],
    [7, true],
  ]);
});
