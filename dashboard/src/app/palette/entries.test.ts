import { expect, test } from "vitest";
import { matchesWords } from "./entries.ts";

test("what is typed fits the beginnings of words, in any order, without accents or case", () => {
  expect(matchesWords("Crème de thé, first flush", "the cre")).toBe(true);
  expect(matchesWords("Tea number 12", "number 1")).toBe(true);
  expect(matchesWords("Tea number 12", "umber")).toBe(false);
  expect(matchesWords("Anything", "")).toBe(true);
});
