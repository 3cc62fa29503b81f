import { history, redo, undo } from "@codemirror/commands";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import { expect, test } from "vitest";
import { lineEnds, readLineEnds, setLineEnds, toDocument, toSource } from "./line-ends.ts";

const SOURCES = [
  "",
  "\r\n",
  "a\r\nb\r\nc",
  "a\nb\r\nc\rd\r\n\r\n\n\r",
  "\uFEFFa\u0000\t\u2028b\u00A0\r\nc\n",
  "one\ntwo",
];

function open(source: string): EditorState {
  return EditorState.create({ doc: toDocument(source), extensions: [history({ newGroupDelay: 0 }), lineEnds(source)] });
}

/** Numbers from a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("the source is as it was, whatever its line ends and characters are", () => {
  for (const source of SOURCES) {
    const state = open(source);
    expect(toSource(state)).toBe(source);
    expect(state.doc.toString()).toBe(toDocument(source));
  }
});

test("a new line ends as most lines do, and an edit changes no other line end", () => {
  const edit = (source: string, spec: TransactionSpec) => toSource(open(source).update(spec).state);
  expect(edit("a\r\nb", { changes: { from: 1, insert: "\n!" } })).toBe("a\r\n!\r\nb");
  expect(edit("a\r\nb\nc\r\nd", { changes: { from: 3, insert: "\n" } })).toBe("a\r\nb\r\n\nc\r\nd");
  expect(edit("a\nb\r\nc\nd", { changes: { from: 1, to: 3 } })).toBe("a\r\nc\nd");
  expect(
    edit("a\rb\nc\n", {
      changes: [
        { from: 0, insert: "x" },
        { from: 5, insert: "y\nz" },
      ],
    }),
  ).toBe("xa\rb\ncy\nz\n");
  expect(toSource(open("a\r\nb\nc\n"), 3)).toBe("a\r\nb");
});

test("random edits keep what they do not touch; undone, the source is as it was, and redone as it became", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = random(seed);
    const source = Array.from(
      { length: next(12) },
      () => "ab".slice(next(2)) + (["\n", "\r\n", "\r"][next(3)] ?? ""),
    ).join("");
    let state = open(source);
    const dispatch = (transaction: { state: EditorState }) => {
      state = transaction.state;
    };
    let expected = source;
    for (let edit = 0; edit < 6; edit += 1) {
      const from = next(state.doc.length + 1);
      const to = from + next(state.doc.length - from + 1);
      const insert = ["", "x", "\n", "x\ny\n"][next(4)] ?? "";
      const usual = readLineEnds(source).usual;
      expected = toSource(state, from) + insert.replaceAll("\n", usual) + expected.slice(toSource(state, to).length);
      state = state.update({ changes: { from, to, insert } }).state;
      expect(toSource(state)).toBe(expected);
    }
    while (undo({ state, dispatch }));
    expect(toSource(state)).toBe(source);
    while (redo({ state, dispatch }));
    expect(toSource(state)).toBe(expected);
  }
});

test("edits that are undone at once restore the line ends from before the first one", () => {
  const source = "a\r\nb\nc\rd";
  let state = EditorState.create({ doc: toDocument(source), extensions: [history(), lineEnds(source)] });
  for (let times = 0; times < 3; times += 1) {
    state = state.update({ changes: { from: 1, to: 3 }, userEvent: "delete.backward" }).state;
  }
  expect(toSource(state)).toBe("a");
  undo({ state, dispatch: (transaction) => (state = transaction.state) });
  expect(toSource(state)).toBe(source);
});

test("another text brings its own line ends, and undoing that brings back the earlier ones", () => {
  let state = open("a\nb");
  const replace = { from: 0, to: state.doc.length, insert: toDocument("c\r\nd\r\n") };
  state = state.update({ changes: replace, effects: setLineEnds.of(readLineEnds("c\r\nd\r\n")) }).state;
  expect(toSource(state)).toBe("c\r\nd\r\n");
  undo({ state, dispatch: (transaction) => (state = transaction.state) });
  expect(toSource(state)).toBe("a\nb");
});
