/** The visual editor changes no byte that its user did not change. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Node } from "prosemirror-model";
import { getDefaults } from "marked";
import { BoundedLexer } from "../../../src/domain/articles/content/markdown/bounded-lexer.ts";
import { markdownToHtml } from "../../../src/domain/articles/content/markdown/markdown.ts";
import { IS_THOROUGH } from "../../../test/helpers/properties.ts";
import type { Format } from "../../src/features/review/editor/document/fingerprint.ts";
import { parseHtml } from "../../src/features/review/editor/document/html-parse.ts";
import { parseMarkdown } from "../../src/features/review/editor/document/markdown-parse.ts";
import { openSource, type EditedSource } from "../../src/features/review/editor/document/edited-source.ts";
import { createWriter } from "../../src/features/review/editor/document/write.ts";
import { createRandom, edit, KINDS } from "./random-edits.ts";

const CORPORA = join(import.meta.dirname, "../../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";
/** Of the real articles, one in this many is edited. */
const SHARE = IS_THOROUGH ? 1 : 60;
const MAX_EDITED = 40_000;
const BEYOND_GFM = new Set(["container", "definitions", "formula"]);
const FRONT_MATTER = /^(\+\+\+|---)\n[\s\S]*?\n\1\n/;

const MARKDOWN = `# A title with *emphasis*, \`code\` and a [link](https://example.org "title")

A paragraph
that wraps,   with  blanks, an entity &amp; an escape \\* and <kbd>Ctrl</kbd>.\\
A second line, a [reference][one] and https://example.org.

* a list
* of *two* items
  - nested

1. loose

2. items

> A quote
> of two lines

\`\`\`js title="x"
let a = 1;

  b();
\`\`\`

| a | b |
|:--|--:|
| 1 | **2** |
| 3 |

<figure>
<img src="a.png">
</figure>

    indented code

Setext
======

***

A note[^1] and another[^tea].

[^1]: The *first* note
    goes on.

    - with a list

[^tea]: https://example.org/tea

[one]: https://example.org/one
- [ ] a task
- [x] done
`;

const HTML = `<h1 id="t">A <em>title</em></h1>
<p class="lead">Text &amp; <b>bold</b>,
  wrapped &eacute; <a href='https://example.org/?a=1&amp;b=2' rel="nofollow">link</a><br/>next</p>
bare text <i>here</i>
<ul><li>one</li>
<li><p>two</p><ul><li>nested</ul></li></ul>
<figure class="wp-block-image"><img src="a.png" alt="A"/><figcaption>Caption</figcaption></figure>
<!-- a comment --><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td colspan="2">1</td></tr></tbody></table>
<pre><code class="language-js">let a = 1 &lt; 2;
</code></pre>
<iframe src="https://example.org/"></iframe>
<p>unclosed<p>another</div>
<blockquote>quote</blockquote><hr>
`;

const parsers = { markdown: parseMarkdown, html: parseHtml };

function open(source: string, format: Format): EditedSource {
  return openSource(source, format, parsers[format]);
}

function bytes({ bom, origins, tail }: EditedSource): string {
  return bom + origins.map(({ before, source }) => before + source).join("") + tail;
}

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => `\uFEFF${text}`,
  (text) => text.trimEnd(),
  (text) => `\n\n${text}\n\n\n`,
  (text) => text.replaceAll("  ", "\t"),
];

for (const [format, text] of [
  ["markdown", MARKDOWN],
  ["html", HTML],
] as const) {
  test(`${format}: opening and saving changes nothing, with any line ends, byte order mark, tabs and end`, () => {
    for (const source of ["", "\n", ...FORMS.map((form) => form(text))]) {
      const session = open(source, format);
      session.doc.check();
      assert.equal(bytes(session), source);
      assert.deepEqual(createWriter(session).write(session.doc), { source, isExact: true });
    }
  });

  test(`${format}: random edits change only their blocks, and undoing them nothing`, () => {
    for (const form of FORMS) tryEdits(form(text), format, IS_THOROUGH ? 20 : 3, 7);
  });
}

test("most of what is typed changes only the characters that were typed", () => {
  const session = open(MARKDOWN, "markdown");
  const writer = createWriter(session);
  const source = writeWithText(session, writer, "wraps", " gently");
  assert.equal(source, MARKDOWN.replace("wraps", "wraps gently"));
  const cell = writeWithText(session, writer, "nested", " *once*");
  assert.equal(cell, MARKDOWN.replace("nested", "nested \\*once\\*"));
});

test("a link definition that is still needed is not lost with its place", () => {
  const session = open(MARKDOWN, "markdown");
  const kept: Node[] = [];
  session.doc.forEach((node) => {
    if (node.type.name !== "island" || node.attrs["label"] === null) kept.push(node);
  });
  assert.equal(kept.length, session.doc.childCount - 1);
  const { source, isExact } = createWriter(session).write(session.doc.type.create(null, kept));
  assert.equal(isExact, true);
  assert.match(source, /\[reference\]\[one\]/);
  assert.match(source, /\[one\]: https:\/\/example\.org\/one/);
});

test("a line break between two paragraphs stays when something else is changed", () => {
  const html = "<p>One.</p>\n<br/><p>Two.</p>\n<br/>\n";
  const session = open(html, "html");
  const source = writeWithText(session, createWriter(session), "One", " and a half");
  assert.equal(source, html.replace("One", "One and a half"));
});

test("what the editor cannot read is an island that holds its source", () => {
  const session = open(HTML, "html");
  const islands = session.origins.filter(({ node }) => node.type.name === "island");
  assert.deepEqual(
    islands.map(({ source }) => source),
    ["<!-- a comment -->", '<iframe src="https://example.org/"></iframe>', "<p>another</div>\n"],
  );
});

describe("real articles", { skip }, () => {
  const articles = existsSync(CORPORA)
    ? globSync(join(CORPORA, "{rust,v8}-blog/**/*.md")).map((file) =>
        readFileSync(file, "utf8").replace(FRONT_MATTER, ""),
      )
    : [];

  test("opening and saving changes nothing; the blocks are the renderer's", () => {
    assert.ok(articles.length > 800);
    for (const [index, article] of articles.entries()) {
      if (!IS_THOROUGH && index % 12 !== 0) continue;
      const session = open(article, "markdown");
      assert.equal(bytes(session), article);
      const blocks = new BoundedLexer({ ...getDefaults(), gfm: true }, article.length)
        .lex(article)
        .filter(({ type }) => type !== "space" && type !== "def");
      const mine = session.origins.filter(({ node }) => node.type.name !== "island" || node.attrs["label"] === null);
      // The editor shows the source of these as text.
      if (!blocks.some(({ type }) => BEYOND_GFM.has(type))) assert.equal(mine.length, blocks.length);
      const html = markdownToHtml(article);
      assert.equal(bytes(open(html, "html")), html);
    }
  });

  test("random edits change only their blocks, and undoing them nothing", () => {
    let edits = 0;
    const refused: string[] = [];
    for (const [index, article] of articles.entries()) {
      if (index % SHARE !== 0 || article.length > MAX_EDITED) continue;
      edits += tryEdits(article, "markdown", 1, index, refused);
      edits += tryEdits(markdownToHtml(article), "html", 1, index, refused);
    }
    assert.ok(edits > (IS_THOROUGH ? 10_000 : 200), `${edits} edits`);
    // The editor saves none of these without asking.
    assert.ok(refused.length * 1000 <= edits, `of ${edits} edits were refused: ${refused.join("; ")}`);
  });
});

/** Edits with random numbers of their own, so that the others stay the same. */
const TYPED: ReadonlySet<string> = new Set(["address", "unlink", "paste"]);

/**
 * @param refused receives edits that cannot be written as they are; without it, there must be none. @returns the number of edits.
 */
function tryEdits(source: string, format: Format, rounds: number, seed: number, refused?: string[]): number {
  const session = open(source, format);
  const random = createRandom(seed);
  const typing = createRandom(seed + 1);
  let tried = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of KINDS) {
      const writer = createWriter(session);
      const edited = edit(session.doc, kind, TYPED.has(kind) ? typing : random);
      if (edited === null) continue;
      tried += 1;
      const written = writer.write(edited.doc);
      const what = `${kind} in ${JSON.stringify(source.slice(0, 60))}, seed ${seed}`;
      if (!written.isExact && refused !== undefined) {
        refused.push(what);
        continue;
      }
      assert.equal(written.isExact, true, what);
      assertOutside(session, edited, written.source, what);
      assert.equal(writer.write(session.doc).source, source, `undone: ${what}`);
    }
  }
  return tried;
}

/** All untouched blocks are in the source as they were, in order. */
function assertOutside(
  session: EditedSource,
  edited: { doc: Node; touched: number[] },
  source: string,
  what: string,
): void {
  let from = 0;
  session.origins.forEach((origin, index) => {
    if (edited.touched.includes(index)) return;
    const at = source.indexOf(origin.source, from);
    // A list that has become the neighbour of another one gets different markers.
    if (at === -1 && isSetApart(edited.doc, origin.sid)) return;
    assert.notEqual(at, -1, `${what}: ${JSON.stringify(origin.source.slice(0, 80))}`);
    from = at + origin.source.length;
  });
}

function isSetApart(doc: Node, sid: number): boolean {
  for (let index = 0; index < doc.childCount; index += 1) {
    const node = doc.child(index);
    if (node.attrs["sid"] !== sid) continue;
    const beside = [doc.maybeChild(index - 1), doc.maybeChild(index + 1)];
    return beside.some((one) => one !== null && LISTED.has(one.type.name)) && LISTED.has(node.type.name);
  }
  return false;
}

const LISTED = new Set(["bullet_list", "ordered_list", "code_block"]);

function writeWithText(
  session: EditedSource,
  writer: ReturnType<typeof createWriter>,
  after: string,
  text: string,
): string {
  let at = -1;
  session.doc.descendants((node, position) => {
    const found = node.isText ? (node.text ?? "").indexOf(after) : -1;
    if (found !== -1) at = position + found + after.length;
  });
  const { schema } = session.doc.type;
  const marks = session.doc.resolve(at).marks();
  const { source, isExact } = writer.write(session.doc.replace(at, at, slice(schema.text(text, marks))));
  assert.equal(isExact, true);
  return source;
}

function slice(node: Node) {
  return node.type.schema.topNodeType
    .create(null, [node.type.schema.node("paragraph", null, [node])])
    .slice(1, 1 + node.nodeSize);
}
