import { expect, test } from "vitest";
import { keyNames, matches, toStep, parseSteps } from "./keys.ts";

const plain = { code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test("keys are the same whether letters are large or small", () => {
  expect(matches(parseSteps("g a"), [toStep({ ...plain, key: "G" }), toStep({ ...plain, key: "a" })])).toBe(true);
});

test("a sign is the sign, with whichever keys the keyboard makes it", () => {
  for (const shiftKey of [true, false]) {
    expect(matches(parseSteps("?"), [toStep({ ...plain, key: "?", shiftKey })])).toBe(true);
  }
});

test("of letters and named keys Shift makes others", () => {
  expect(matches(parseSteps("a"), [toStep({ ...plain, key: "A", shiftKey: true })])).toBe(false);
  expect(matches(parseSteps("shift+a"), [toStep({ ...plain, key: "A", shiftKey: true })])).toBe(true);
  expect(matches(parseSteps("ArrowDown"), [toStep({ ...plain, key: "ArrowDown", shiftKey: true })])).toBe(false);
});

test("mod is Ctrl, and ⌘ on a Mac", () => {
  for (const mod of [{ ctrlKey: true }, { metaKey: true }]) {
    expect(matches(parseSteps("mod+Enter"), [toStep({ ...plain, ...mod, key: "Enter" })])).toBe(true);
  }
  expect(matches(parseSteps("Enter"), [toStep({ ...plain, ctrlKey: true, key: "Enter" })])).toBe(false);
});

test("a letter with Alt is the letter, also where it makes another character", () => {
  const wanted = parseSteps("mod+alt+m");
  expect(matches(wanted, [toStep({ ...plain, ctrlKey: true, altKey: true, key: "m", code: "KeyM" })])).toBe(true);
  expect(matches(wanted, [toStep({ ...plain, metaKey: true, altKey: true, key: "µ", code: "KeyM" })])).toBe(true);
  expect(matches(wanted, [toStep({ ...plain, ctrlKey: true, key: "m", code: "KeyM" })])).toBe(false);
});

test("keys are named as they stand on the keyboard", () => {
  expect(keyNames("g a", false)).toEqual([["G"], ["A"]]);
  expect(keyNames("mod+Enter", true)).toEqual([["⌘", "Enter"]]);
  expect(keyNames("mod+alt+m", false)).toEqual([["Ctrl", "Alt", "M"]]);
  expect(keyNames("mod+shift+ArrowUp", false)).toEqual([["Ctrl", "Shift", "↑"]]);
});
