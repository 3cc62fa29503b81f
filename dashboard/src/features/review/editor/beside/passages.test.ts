import { expect, test } from "vitest";
import { openSource } from "../document/edited-source.ts";
import { loadParser } from "../document/formats.ts";
import { findPassage, findSaved, readText, toText } from "./passages.ts";

const parse = await loadParser("markdown");

/**
 * Finds a commented passage in a changed text. The passage begins at the `no`-th occurrence of `words` in the saved text.
 */
function find(saved: string, words: string, no: number, now: string): [string, string] | null {
  const text = toText(saved);
  const quote = words.replaceAll(" ", "");
  let start = -1;
  for (let at = 0; at <= no; at++) start = text.indexOf(quote, start + 1);
  const { doc } = openSource(now, "markdown", parse);
  const range = findPassage(doc, { start, end: start + quote.length, text: quote }, text);
  return range && [readText(doc, range), doc.textBetween(range.to, Math.min(range.to + 4, doc.content.size), " ")];
}

test("a passage is found across marks and blocks, and of equal ones the same", () => {
  const saved = "<h2>Tides</h2><p>Tea at <em>noon</em>.</p><p>Tea at noon, too.</p>";
  const now = "## Tides\n\nFirst: tea. Tea at *noon*.\n\nTea at noon, too.\n";
  expect(find(saved, "at noon", 0, now)).toEqual(["atnoon", ". T"]);
  expect(find(saved, "at noon", 1, now)).toEqual(["atnoon", ", to"]);
  expect(find(saved, "Tides Tea", 0, "## Tides\n\nTea at one.\n")).toEqual(["TidesTea", " at "]);
});

test("of equal passages none is taken once there are more or fewer of them", () => {
  const saved = "<p>Tea at noon.</p><p>Tea at noon.</p>";
  expect(find(saved, "at noon", 0, "Tea at noon.\n")).toBeNull();
  expect(find(saved, "at noon", 0, "Tea at noon.\n\nTea at noon.\n\nTea at noon.\n")).toBeNull();
  expect(find("<p>Tea at noon.</p>", "at noon", 0, "Tea at one.\n")).toBeNull();
});

test("what is selected is the same passage of the saved text, unless that has it more or less often", () => {
  const saved = toText("<p>Tea at <em>noon</em>.</p><p>Tea at noon, too.</p>");
  const select = (now: string, words: string) => {
    const { doc } = openSource(now, "markdown", parse);
    const from = doc.textBetween(0, doc.content.size, "  ").lastIndexOf(words);
    return findSaved(doc, { from: from + 1, to: from + 1 + words.length }, saved);
  };
  const now = "New: tea. Tea at *noon*.\n\nTea at noon, too.\n";
  expect(select(now, "at noon")).toEqual({ start: 13, end: 19, quote: "at noon" });
  expect(select(now, "New")).toBe("unsaved");
  expect(select("Tea at noon.\n", "noon")).toBe("unsaved");
  expect(select(now, " ")).toBe(null);
});
