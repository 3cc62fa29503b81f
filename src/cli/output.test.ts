import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable, printable } from "./output.ts";

const HOSTILE = "a\u001b]0;owned\u0007\u009b31mb\rc\u202etxt.exe\u2066\u007f";

test("control characters that a terminal would obey are shown as text, and JSON keeps its meaning", () => {
  const shown = printable(`${HOSTILE}\n\té 語 🙂 שלום\u200f\n`);
  assert.equal(
    shown,
    String.raw`a\u001b]0;owned\u0007\u009b31mb\u000dc\u202etxt.exe\u2066\u007f` + "\n\té 語 🙂 שלום\u200f\n",
  );
  const json = JSON.stringify({ title: HOSTILE });
  assert.deepEqual(JSON.parse(printable(json)), { title: HOSTILE });
  assert.doesNotMatch(printable(json), /\p{Cc}/u);
});

test("a cell of a table is one line", () => {
  assert.equal(formatTable([{ title: "one\ntwo\tthree" }], ["title"]), "TITLE\none two three\n");
});
