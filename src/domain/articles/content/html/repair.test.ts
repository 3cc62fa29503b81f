import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownToHtml } from "../markdown/markdown.ts";
import { repairHtml } from "./repair.ts";
import { sanitiseHtml } from "./sanitise.ts";
import { scanHtml } from "./html-scanner.ts";
import { collectStats, visibleText } from "./text.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

const textOf = (html: string): string =>
  visibleText(collectStats(sanitiseHtml(html).tree).blocks)
    .replaceAll(/\s+/g, " ")
    .trim();

const VIDEO = "https://www.youtube.com/embed/x";

/** Everything between A and B, and B itself, is part of the text. */
const KEPT: Record<string, [html: string, text: string]> = {
  "a frame that closes itself": [`<p>A</p><iframe src="${VIDEO}" /><p>B</p>`, "A B"],
  "a frame that closes itself and is closed again": [`<p>A</p><iframe src="${VIDEO}" /></iframe><p>B</p>`, "A B"],
  "a frame that nothing closes": [`<p>A</p><iframe src="${VIDEO}"><p>B</p>`, "A B"],
  "a frame whose address ends in a slash and that nothing closes": [`A<iframe src=${VIDEO}/><p>B</p>`, "A B"],
  "a video that closes itself": ['<p>A</p><video src="/v.mp4" controls /><p>B</p>', "A B"],
  "a video that nothing closes": ['<p>A</p><video controls><source src="/v.mp4"><p>B</p>', "A B"],
  "a video without attributes that nothing closes": ['<p>A</p><video>\n<source src="/v.mp4"><p>B</p>', "A B"],
  "an element that nobody knows and that closes itself": ["<p>A</p><Player id='x' /><p>B</p>", "A B"],
  "an element of text that closes itself": ["<p>A <textarea/> B</p><p>C</p>", "A B C"],
  "a quote that is missing at the end": ["<p>A <a href='/x>link</a> B</p><p>C</p>", "A link B C"],
  "a comment that nothing closes": ["<p>A</p><!-- note <p>B</p>", "A <!-- note B"],
  "a comment that ends in a later paragraph, with another one": [
    "<p>A <!-- note -></p><p>B</p><p>C <!-- note --></p>",
    "A <!-- note -> B C",
  ],
  "a CDATA section": ["<p>A</p><![CDATA[<p>B</p> and 1 < 2]]><p>C</p>", "A B and 1 < 2 C"],
  "a CDATA section that nothing closes": ["<p>A</p><![CDATA[<p>B</p>", "A B"],
  "a document type that nothing closes": ["<!doctype html <p>A</p>", "<!doctype html A"],
  "what looks like a tag": ["<p>while i <n and more</p><p>B</p>", "while i <n and more B"],
  "what looks like the end of a tag": ["<p>I </3 it</p><p>B</p>", "I </3 it B"],
  "what looks like a declaration": ["<p>a <! b and <? c</p><p>B</p>", "a <! b and <? c B"],
  "types with parameters": [
    "<p>A List<String>, Map<K, V> and vector<int> B</p>",
    "A List<String>, Map<K, V> and vector<int> B",
  ],
  "a placeholder": [
    "<p>A git clone <your-name> or <name@example.org> B</p>",
    "A git clone <your-name> or <name@example.org> B",
  ],
  "an address in angle brackets": ["<p>A <https://example.org/> B</p>", "A <https://example.org/> B"],
  "a comparison that names an element": ["<p>A if (a<b && c>d || i<p; q>1) B</p>", "A if (a<b && c>d || i<p; q>1) B"],
  "a tag at the very end": ["<p>A</p><p>a <b", "A a <b"],
};
for (const name of "script style title textarea xmp noembed noframes iframe video audio object template select svg math".split(
  " ",
)) {
  KEPT[`<${name}> named in a sentence`] = [`<p>A <${name}> tag.</p><p>B</p>`, `A <${name}> tag. B`];
}
KEPT["<plaintext> named in a sentence"] = ["<p>A <plaintext> tag.</p><p>B</p>", "A <plaintext> tag. B"];

for (const [name, [html, text]] of Object.entries(KEPT))
  test(`no text is lost by ${name}`, () => {
    assert.equal(textOf(html), text);
    const once = sanitiseHtml(html).html;
    assert.equal(sanitiseHtml(once).html, once);
  });

const TAKEN_OUT: Record<string, string> = {
  "scripts and styles":
    "<p>A</p><script>if (a < b) { document.write('<p>x</p>'); }</script><style>p { color: red }</style><p>B</p>",
  "a script that closes itself and is closed again": '<p>A</p><script src="/x.js" /></script><p>B</p>',
  "a script in a paragraph": "<p>A<script>x(1);</script></p><p>B</p>",
  "the title of a page": "<html><head><meta charset=utf-8><title>T</title></head><body><p>A</p><p>B</p></body></html>",
  "drawings with drawings in them": "<p>A</p><svg><title>T</title><svg><text>x</text></svg><path d='' /></svg><p>B</p>",
  "lists to choose from": "<p>A</p><select><option>1<option>2</select><p>B</p>",
  "elements of other programs that are closed": "<p>A</p><o:p></o:p><x-note></x-note><string></string><p>B</p>",
  "an element of another program with an attribute": '<p>A</p><x-note kind="a"><p>B</p>',
  comments: "<p>A</p><!-- <p>x</p> --><p>B</p>",
  "what a browser without frames shows": `<p>A</p><iframe src="${VIDEO}"><p>no frames</p></iframe><p>B</p>`,
};

for (const [name, html] of Object.entries(TAKEN_OUT))
  test(`what is no text does not become text: ${name}`, () => assert.equal(textOf(html), "A B"));

test("a video keeps its sources when it is closed for its author", () => {
  const { html } = sanitiseHtml('<video controls><source src="/v.mp4"><track src="/t.vtt"><p>B</p>');
  assert.equal(html, '<video controls><source src="/v.mp4"><track src="/t.vtt"></video><p>B</p>');
});

test("Markdown continues after a frame that closes itself, and after tags named in it", () => {
  const markdown = `A\n\n<iframe src="${VIDEO}" />\n\n**B** with a <script> tag.\n\nC`;
  assert.equal(textOf(markdownToHtml(markdown)), "A B with a <script> tag. C");
});

for (const start of ["<script> tags", "<style> tags", "<textarea> tags", "<!-- a note"])
  test(`Markdown continues after a line that begins with ${start} and never ends`, () => {
    const html = markdownToHtml(`A\n\n${start}\nand *more*\n\n**B**\n\n- C`);
    assert.equal(textOf(html), `A ${start} and more B C`);
    assert.ok(html.includes("<strong>B</strong>"), html);
  });

const SCRAPS =
  '<p>|</p>|<div>|</div>|<li>|<iframe src=x>|</iframe>|<video>|</video>|<script>|</script>|<b>|</b>|<!--|-->|<a href="|\'|"|/>|>|<|<title>|x y|<img src=a />|<br>|a > b|<ul>|</ul>|1 < 2|</|<svg>|</svg>|<math>|</math>|<audio>|</audio>|<object>|</object>|<select>|</select>|<table>|<td>|</table>'.split(
    "|",
  );
const scraps = fc.array(fc.constantFrom(...SCRAPS), { maxLength: 12 }).map((parts) => parts.join(""));

test("a source that may be kept byte for byte is not changed", () => {
  let clean = 0;
  fc.assert(
    fc.property(scraps, (source) => {
      if (!scanHtml(source).clean) return;
      clean += 1;
      assert.equal(repairHtml(source), source);
    }),
    { numRuns: cases(5000) },
  );
  assert.ok(clean > cases(100));
});

test("a repaired source needs no further repair", () => {
  fc.assert(
    fc.property(scraps, (source) => {
      const once = sanitiseHtml(source).html;
      assert.equal(sanitiseHtml(once).html, once);
    }),
    { numRuns: cases(2000) },
  );
});

for (const [name, source] of Object.entries({
  "tags that never end": "<a ".repeat(300_000),
  "quotes that never end": "<a b='".repeat(150_000),
  "quotes of both kinds": `<a b='<a c="`.repeat(80_000),
  "raw text that nothing closes": "<script>".repeat(120_000),
  "raw text that is closed at the end": `${"<p><script>".repeat(90_000)}</p></script>`,
  "frames in frames": "<iframe src=x>".repeat(70_000),
  "comments in comments": "<!--".repeat(250_000),
  "CDATA in CDATA": `${"<![CDATA[".repeat(100_000)}]]>`,
  "words in angle brackets": Array.from({ length: 100_000 }, (_none, index) => `<w${index}>`).join(""),
  "end tags within end tags": "</a".repeat(300_000),
  "blocks that nothing closes": "<div><p><li>".repeat(80_000),
  "blocks and end tags of others": "<div></p>".repeat(100_000),
}))
  test(`a megabyte of this is read in one pass, and does not grow: ${name}`, () => {
    assert.ok(repairHtml(source).length <= 5 * source.length);
  });
