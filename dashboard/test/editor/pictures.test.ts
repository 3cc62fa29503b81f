/** Pictures that are added, changed and removed in the visual editor change only their own places in the source. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Command, EditorState, NodeSelection, TextSelection } from "prosemirror-state";
import { openSource } from "../../src/features/review/editor/document/edited-source.ts";
import type { Format } from "../../src/features/review/editor/document/fingerprint.ts";
import { parseHtml } from "../../src/features/review/editor/document/html-parse.ts";
import { parseMarkdown } from "../../src/features/review/editor/document/markdown-parse.ts";
import { schema } from "../../src/features/review/editor/document/schema.ts";
import { createWriter } from "../../src/features/review/editor/document/write.ts";
import {
  changePicture,
  findPicture,
  insertPictures,
  leaveFigure,
  removePicture,
} from "../../src/features/review/editor/pictures/picture-nodes.ts";
import type { PictureValues } from "../../src/features/review/editor/pictures/picture-values.ts";

/** Puts the caret behind `at`, or chooses the picture with that address, and runs the commands. @returns the source then. */
function edit(format: Format, source: string, at: string, ...commands: Command[]): string {
  const opened = openSource(source, format, format === "html" ? parseHtml : parseMarkdown);
  let state = EditorState.create({ doc: opened.doc });
  state.doc.descendants((node, position) => {
    const found = node.isText ? (node.text ?? "").indexOf(at) : -1;
    const isPicture = node.type === schema.nodes.image && node.attrs["src"] === at;
    if (found === -1 && !isPicture) return;
    const selection = isPicture
      ? NodeSelection.create(state.doc, position)
      : TextSelection.create(state.doc, position + found + at.length);
    state = state.apply(state.tr.setSelection(selection));
  });
  for (const command of commands) {
    assert.ok(
      command(state, (tr) => {
        state = state.apply(tr);
      }),
    );
  }
  const { source: written, isExact } = createWriter(opened).write(state.doc);
  assert.ok(isExact, "the source reads back as the document");
  return written;
}

function picture(src: string, more: Partial<PictureValues> = {}): PictureValues {
  return { src, alt: "", caption: "", width: null, ...more };
}

/** Changes some values of the chosen picture. */
function change(format: Format, more: Partial<PictureValues>): Command {
  return (state, dispatch) => {
    const found = findPicture(state, format);
    assert.ok(found);
    return changePicture(format, { ...found, ...more })(state, dispatch);
  };
}

const MARKDOWN = "A *first*   one.\n\n* item\n\n![Old](old.png)\n\n| a |\n|---|\n| b |\n\nLast";

const markdownCases: [string, string, Command[], string][] = [
  [
    "two pictures stand behind the paragraph, each in its own",
    "one.",
    [insertPictures("markdown", [picture("a.png", { alt: "A [b]" }), picture("c.png", { caption: 'Say "c"' })], false)],
    MARKDOWN.replace("one.", 'one.\n\n![A \\[b\\]](a.png)\n\n![](c.png "Say \\"c\\"")'),
  ],
  [
    "a row is one paragraph",
    "one.",
    [insertPictures("markdown", [picture("a.png"), picture("b.png")], true)],
    MARKDOWN.replace("one.", "one.\n\n![](a.png) ![](b.png)"),
  ],
  [
    "in a table, a picture is within the cell",
    "b",
    [insertPictures("markdown", [picture("a.png")], false)],
    MARKDOWN.replace("| b |", "| b![](a.png) |"),
  ],
  [
    "a caption is the title",
    "old.png",
    [change("markdown", { caption: "New" })],
    MARKDOWN.replace("(old.png)", '(old.png "New")'),
  ],
  [
    "a replaced picture has another address",
    "old.png",
    [change("markdown", { src: "new.png", alt: "N" })],
    MARKDOWN.replace("![Old](old.png)", "![N](new.png)"),
  ],
  [
    "a removed picture leaves nothing",
    "old.png",
    [removePicture("markdown")],
    MARKDOWN.replace("![Old](old.png)\n\n", ""),
  ],
  ["nothing changes if no value does", "old.png", [change("markdown", {})], MARKDOWN],
];

const HTML = `<p class=x>A <b>first</b>.</p>
<figure class='wide'>
  <img src="old.png" alt='Old &amp; good' width=640 height="480" srcset="old2.png 2x" loading=lazy>
  <figcaption>By <a href="/x">x</a></figcaption>
</figure>
<p><img src=alone.png></p>
<ul><li>item <img src=in.png></ul>
<p>Last</p>`;

const htmlCases: [string, string, Command[], string][] = [
  [
    "a picture is a figure with its caption",
    "Last",
    [insertPictures("html", [picture("a.png", { alt: "A", caption: "<C>", width: 320 })], false)],
    `${HTML}\n<figure>\n<img src="a.png" alt="A" width="320">\n<figcaption>&lt;C&gt;</figcaption>\n</figure>`,
  ],
  [
    "a row is a figure of figures",
    "first",
    [insertPictures("html", [picture("a.png"), picture("b.png", { caption: "B" })], true)],
    HTML.replace(
      "</p>\n<figure",
      '</p>\n<figure class="gallery">\n<figure>\n<img src="a.png" alt="">\n</figure>\n<figure>\n<img src="b.png" alt="">\n<figcaption>B</figcaption>\n</figure>\n</figure>\n<figure',
    ),
  ],
  [
    "another size keeps all other attributes as they were written",
    "old.png",
    [change("html", { width: 320 })],
    HTML.replace(' width=640 height="480"', ' width="320"'),
  ],
  [
    "another alternative text leaves the caption's link alone",
    "old.png",
    [change("html", { alt: "New" })],
    HTML.replace("alt='Old &amp; good'", 'alt="New"'),
  ],
  [
    "a replaced picture has no other widths of the former one",
    "old.png",
    [change("html", { src: "new.png" })],
    HTML.replace(/src="old\.png".*loading/, "src=\"new.png\" alt='Old &amp; good' width=640 loading"),
  ],
  [
    "another caption takes the place of the former one",
    "old.png",
    [change("html", { caption: "By y" })],
    HTML.replace('By <a href="/x">x</a>', "By y"),
  ],
  [
    "a picture alone in its paragraph gets a figure for its caption, and stays chosen",
    "alone.png",
    [change("html", { caption: "Alone" }), change("html", { alt: "A" })],
    HTML.replace(
      "<p><img src=alone.png></p>",
      '<figure>\n<img src=alone.png alt="A">\n<figcaption>Alone</figcaption>\n</figure>',
    ),
  ],
  [
    "a removed picture takes its figure with it",
    "old.png",
    [removePicture("html")],
    HTML.replace(/<figure[\s\S]*<\/figure>\n/, ""),
  ],
];

for (const [format, source, cases] of [
  ["markdown", MARKDOWN, markdownCases],
  ["html", HTML, htmlCases],
] as const) {
  for (const [name, at, commands, expected] of cases) {
    test(`${format}: ${name}`, () => assert.equal(edit(format, source, at, ...commands), expected));
  }
}

test("a picture within a line of text has no caption in HTML", () => {
  edit("html", HTML, "in.png", (state) => {
    assert.equal(findPicture(state, "html")?.canCaption, false);
    return true;
  });
});

const write: Command = (state, dispatch) => {
  dispatch?.(state.tr.insertText("Typed"));
  return true;
};

test("Enter in a caption leaves the figure", () => {
  assert.equal(edit("html", HTML, "By ", leaveFigure, write), HTML.replace("</figure>\n", "</figure>\n<p>Typed</p>\n"));
});
