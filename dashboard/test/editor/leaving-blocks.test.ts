/** There is always a way on below a table, a divider or code, whatever follows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Command, EditorState, TextSelection } from "prosemirror-state";
import { openSource } from "../../src/features/review/editor/document/edited-source.ts";
import { parseMarkdown } from "../../src/features/review/editor/document/markdown-parse.ts";
import { schema } from "../../src/features/review/editor/document/schema.ts";
import { createWriter } from "../../src/features/review/editor/document/write.ts";
import { insertBlock, newTable, rule } from "../../src/features/review/editor/visual/commands.ts";
import { leaveByEnter } from "../../src/features/review/editor/visual/leave-code.ts";

/** Runs the command behind `at`, and types where it leads, or, from within a table, in the text block after it. */
function goOn(source: string, at: string, command: Command, typed = "On."): string {
  const opened = openSource(source, "markdown", parseMarkdown);
  let state = EditorState.create({ doc: opened.doc });
  state.doc.descendants((node, position) => {
    const found = node.isText ? (node.text ?? "").indexOf(at) : -1;
    if (found === -1) return;
    state = state.apply(state.tr.setSelection(TextSelection.create(state.doc, position + found + at.length)));
  });
  assert.ok(
    command(state, (tr) => (state = state.apply(tr))),
    "the command does something",
  );
  const { $from } = state.selection;
  const isInTable = $from.depth > 1 && $from.node(1).type === schema.nodes.table;
  const place = isInTable ? $from.after(1) + 1 : $from.pos;
  assert.equal(state.doc.resolve(place).parent.type, schema.nodes.paragraph);
  if (typed !== "") state = state.apply(state.tr.insertText(typed, place));
  const { source: written, isExact } = createWriter(opened).write(state.doc);
  assert.ok(isExact, "the source reads back as the document");
  return written.trimEnd();
}

const NOTE = "[^1]: A note.";
const TABLE = "|  |  |  |\n| --- | --- | --- |\n|  |  |  |\n|  |  |  |";

test("a table that no text follows is followed by a paragraph", () => {
  const table = insertBlock(newTable());
  assert.equal(goOn(`A.[^1]\n\n${NOTE}`, "A.", table), `A.[^1]\n\n${TABLE}\n\nOn.\n\n${NOTE}`);
  assert.equal(goOn("A.", "A.", table), `A.\n\n${TABLE}\n\nOn.`);
  assert.equal(goOn("A.\n\nB.", "A.", table), `A.\n\n${TABLE}\n\nOn.B.`);
  assert.equal(goOn("A.", "A.", table, ""), `A.\n\n${TABLE}`, "nothing is stored of an empty one");
});

test("a divider that no text follows is followed by a paragraph", () => {
  assert.equal(goOn(`A.[^1]\n\n${NOTE}`, "A.", rule), `A.[^1]\n\n---\n\nOn.\n\n${NOTE}`);
  assert.equal(goOn("A.", "A.", rule), "A.\n\n---\n\nOn.");
});

test("Enter on a second empty line at the end of code leaves it, and only there", () => {
  assert.equal(goOn("```js\na;\n\n\n```", "a;\n\n", leaveByEnter), "```js\na;\n```\n\nOn.");
  for (const [source, at] of [
    ["```js\na;\n\n```", "a;\n"],
    ["```js\na;\n\n\nb;\n```", "a;\n\n"],
    ["A.", "A."],
  ] as const) {
    assert.throws(() => goOn(source, at, leaveByEnter), /the command does something/);
  }
});
