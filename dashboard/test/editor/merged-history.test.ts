/** A colleague's change is merged into the text that somebody is editing: what they have typed can still be undone, alone. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeHistory, history, redo, undo } from "prosemirror-history";
import { type Command, EditorState } from "prosemirror-state";
import type { Format } from "../../src/features/review/editor/document/fingerprint.ts";
import { openSource } from "../../src/features/review/editor/document/edited-source.ts";
import { parseHtml } from "../../src/features/review/editor/document/html-parse.ts";
import { parseMarkdown } from "../../src/features/review/editor/document/markdown-parse.ts";
import { replaceSource } from "../../src/features/review/editor/document/replace-source.ts";
import { createWriter } from "../../src/features/review/editor/document/write.ts";
import { mergeTexts } from "../../src/features/review/editor/merge-texts.ts";
import { TextHistory } from "../../src/features/review/editor/text-history.ts";

const MARKDOWN = `# Tea

The *first* paragraph
wraps. It goes on. It has three sentences.

* one
* two
  - nested

| a | b |
|:--|--:|
| 1 | 2 |

<figure>
<img src="a.png">
</figure>

The __last__ one.
`;
const HTML = `<h2 id="x">Tea</h2>\n<p>The <em>first</em> paragraph.</p><ul><li>one</li>\n<li>two</li></ul>\n<p class="y">The last one.</p>\n`;

interface Case {
  format: Format;
  source: string;
  /** Where “TYPED ” is typed: before these words. */
  at: string;
  theirs: (source: string) => string;
}

const CASES: Record<string, Case> = {
  "a block before": {
    format: "markdown",
    source: MARKDOWN,
    at: "last",
    theirs: (s) => s.replace("# Tea", "# Green tea"),
  },
  "a block after": {
    format: "markdown",
    source: MARKDOWN,
    at: "paragraph",
    theirs: (s) => s.replace("__last__", "__very last__"),
  },
  "new blocks around": {
    format: "markdown",
    source: MARKDOWN,
    at: "nested",
    theirs: (s) => `New.\n\n${s.replace("<figure>", "New, too.\n\n<figure>")}\nThe end.\n`,
  },
  "deleted blocks": {
    format: "markdown",
    source: MARKDOWN,
    at: "last",
    theirs: (s) => s.replace(/\* one[^]*?nested\n\n/, "").replace("# Tea\n\n", ""),
  },
  "another sentence of the same paragraph": {
    format: "markdown",
    source: MARKDOWN,
    at: "first",
    theirs: (s) => s.replace("three sentences", "3 sentences"),
  },
  HTML: { format: "html", source: HTML, at: "last", theirs: (s) => s.replace("<em>first</em>", "<b>first</b>") },
};

const OF_FORMAT = { markdown: parseMarkdown, html: parseHtml };

describe("a merge into the visual view", () => {
  for (const [name, { format, source, at, theirs }] of Object.entries(CASES)) {
    test(`of ${name} writes the merged text, and leaves undo what was typed`, () => {
      const parse = OF_FORMAT[format];
      const opened = openSource(source, format, parse);
      let state = EditorState.create({ doc: opened.doc, plugins: [history()] });
      let writer = createWriter(opened);
      const written = () => {
        const result = writer.write(state.doc);
        assert.equal(result.isExact, true);
        return result.source;
      };
      const run = (command: Command) => command(state, (tr) => (state = state.apply(tr)));
      state = state.apply(state.tr.insertText("TYPED ", find(state, at)));
      state = state.apply(closeHistory(state.tr));
      const mine = written();
      assert.ok(mine.includes("TYPED "));
      const merged = mergeTexts(source, mine, theirs(source));
      assert.ok(merged !== null && merged !== mine);

      const next = openSource(merged, format, parse, Math.max(...opened.nodes.keys()) + 1);
      const replaced = replaceSource(state, openSource(mine, format, parse), next);
      assert.ok(replaced !== null);
      assert.ok(replaced.changed.every(({ from, to }) => from < to && to <= replaced.transaction.doc.content.size));
      state = state.apply(replaced.transaction.setMeta("addToHistory", false));
      writer = createWriter(next);
      assert.equal(written(), merged);
      run(undo);
      assert.equal(written(), theirs(source));
      run(redo);
      assert.equal(written(), merged);
      state = state.apply(state.tr.insertText("more ", find(state, "TYPED")));
      assert.equal(written(), merged.replace("TYPED", "more TYPED"));
    });
  }
});

function find({ doc }: EditorState, words: string): number {
  let found = -1;
  doc.descendants((node, position) => {
    const index = node.isText ? (node.text ?? "").indexOf(words) : -1;
    if (found === -1 && index !== -1) found = position + index;
  });
  assert.notEqual(found, -1, words);
  return found;
}

describe("the history of both views", () => {
  test("goes back through what was typed before the view was switched, and forth", () => {
    const texts = typed("a", "ab", "abc");
    texts.enter();
    texts.record("abcd", 9_000);
    // The view's own history takes that back.
    texts.record("abc", 10_000);
    assert.deepEqual([texts.undo(), texts.undo(), texts.undo(), texts.undo()], ["ab", "a", "", null]);
    assert.deepEqual([texts.redo(), texts.redo(), texts.redo(), texts.redo()], ["a", "ab", "abc", null]);
    texts.record("abcd", 11_000);
    assert.equal(texts.undo(), "abc");
  });

  test("groups what is typed without a pause, and forgets what was undone once something else is typed", () => {
    const texts = typed("a");
    texts.record("ab", 100);
    texts.record("abc", 200);
    texts.enter();
    assert.equal(texts.undo(), "");
    texts.record("x", 5_000);
    assert.equal(texts.redo(), null);
    assert.equal(texts.undo(), "");
  });

  test("puts a colleague's change into the earlier texts, so that undo does not take it back", () => {
    const texts = typed("One.\n\nTwo.\n", "One more.\n\nTwo.\n");
    texts.replace("One more.\n\nTwo.\n\nTheirs.\n");
    texts.enter();
    assert.equal(texts.undo(), "One.\n\nTwo.\n\nTheirs.\n");
    assert.equal(texts.redo(), "One more.\n\nTwo.\n\nTheirs.\n");
    // What cannot be merged is not offered.
    texts.replace("Another text.\n");
    assert.equal(texts.undo(), null);
  });
});

function typed(...texts: string[]): TextHistory {
  const made = new TextHistory("");
  for (const [index, text] of texts.entries()) made.record(text, index * 1_000);
  return made;
}
