import { expect, test } from "vitest";
import { fits } from "./entries.ts";

test("what is typed fits the beginnings of words, in any order, without accents or case", () => {
  expect(fits("Crème de thé, first flush", "the cre")).toBe(true);
  expect(fits("Tea number 12", "number 1")).toBe(true);
  expect(fits("Tea number 12", "umber")).toBe(false);
  expect(fits("Anything", "")).toBe(true);
});
