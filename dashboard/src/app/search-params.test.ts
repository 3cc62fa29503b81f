import { expect, test } from "vitest";
import { only, parseSearch, stringifySearch } from "./search-params.ts";

test("texts stay as they are typed, numbers and JSON too", () => {
  const search = { q: "42", tag: '["x"]', view: "true", text: "a&b=c d" };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test("parameters without a value are left out of the address", () => {
  expect(stringifySearch({ q: undefined, tag: null })).toBe("");
  expect(stringifySearch({ page: 2, q: undefined })).toBe("?page=2");
});

function validate({ view }: Record<string, unknown>): { view?: "trash" } {
  return view === "trash" ? { view } : {};
}

test("what a page's search refuses is not given to it, whatever it was; the website is left alone", () => {
  expect(only(validate)({ view: "evil", other: "x", website: "w" })).toEqual({ view: undefined, other: undefined });
  expect(only(validate)({ view: "trash" })).toEqual({ view: "trash" });
});
