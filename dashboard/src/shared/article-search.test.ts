import { expect, test } from "vitest";
import { matchesWords, rankTitle } from "./article-search.ts";

test("what is typed fits the beginnings of words, in any order, without accents or case", () => {
  expect(matchesWords("Crème de thé, first flush", "the cre")).toBe(true);
  expect(matchesWords("Tea number 12", "number 1")).toBe(true);
  expect(matchesWords("Tea number 12", "umber")).toBe(false);
  expect(matchesWords("Anything", "")).toBe(true);
});

test("a title that is what was typed comes before those that begin so, and these before those that have its words", () => {
  const titles = ["Descaling: the kettle", "Tea", "Kettle descaling, part 2", "Kettle: Descaling!"];
  expect(titles.map((title) => rankTitle(title, "kettle descaling"))).toEqual([2, 3, 1, 0]);
});
