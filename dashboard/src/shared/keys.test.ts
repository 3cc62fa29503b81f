import { expect, test } from "vitest";
import { keyNames, matches, stepOf, stepsOf } from "./keys.ts";

const plain = { ctrlKey: false, metaKey: false, shiftKey: false };

test("keys are the same whether letters are large or small", () => {
  expect(matches(stepsOf("g a"), [stepOf({ ...plain, key: "G" }), stepOf({ ...plain, key: "a" })])).toBe(true);
});

test("a sign is the sign, with whichever keys the keyboard makes it", () => {
  for (const shiftKey of [true, false]) {
    expect(matches(stepsOf("?"), [stepOf({ ...plain, key: "?", shiftKey })])).toBe(true);
  }
});

test("of letters and named keys Shift makes others", () => {
  expect(matches(stepsOf("a"), [stepOf({ ...plain, key: "A", shiftKey: true })])).toBe(false);
  expect(matches(stepsOf("shift+a"), [stepOf({ ...plain, key: "A", shiftKey: true })])).toBe(true);
  expect(matches(stepsOf("ArrowDown"), [stepOf({ ...plain, key: "ArrowDown", shiftKey: true })])).toBe(false);
});

test("mod is Ctrl, and ⌘ on a Mac", () => {
  for (const mod of [{ ctrlKey: true }, { metaKey: true }]) {
    expect(matches(stepsOf("mod+Enter"), [stepOf({ ...plain, ...mod, key: "Enter" })])).toBe(true);
  }
  expect(matches(stepsOf("Enter"), [stepOf({ ...plain, ctrlKey: true, key: "Enter" })])).toBe(false);
});

test("keys are named as they stand on the keyboard", () => {
  expect(keyNames("g a", false)).toEqual([["G"], ["A"]]);
  expect(keyNames("mod+Enter", true)).toEqual([["⌘", "Enter"]]);
  expect(keyNames("mod+shift+ArrowUp", false)).toEqual([["Ctrl", "Shift", "↑"]]);
});
