import assert from "node:assert/strict";
import { test } from "node:test";
import { collectStats, visibleText } from "./text.ts";
import { parseTree } from "./tree.ts";

const textOf = (html: string): string => visibleText(collectStats(parseTree(html)).blocks);

test("paragraphs are separated by one empty line, items and rows by a line break", () => {
  assert.equal(
    textOf("<h2>A</h2>\n<p>b\n  <em>c</em></p><ul>\n<li>d</li><li>e<ul><li>f</li></ul></li></ul><p>g</p>"),
    "A\n\nb c\n\nd\ne\n\nf\n\ng",
  );
  assert.equal(
    textOf("<p>x</p><table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>"),
    "x\n\na b\nc d",
  );
});

test("code keeps its lines and its indentation", () => {
  assert.equal(textOf("<p>a</p><pre><code>if (x)\n  y;\n\nz</code></pre>"), "a\n\nif (x)\n  y;\n\nz");
});

test("the text contains nothing that is not shown", () => {
  assert.equal(
    textOf(
      '<p>a<script>x</script><style>y</style><img alt="z"><span hidden>h</span><video>no video</video>&nbsp;b</p>',
    ),
    "a b",
  );
});

test("text counts once, however headings and links are nested", () => {
  const found = collectStats(parseTree("<h1>a<div><h2>b</h2></div>c</h1>"));
  assert.deepEqual(found.headings, [{ level: 1, text: "a b c", block: 0 }]);
  const links = collectStats(parseTree('<a href="/x">a<table><tr><td><a href="/y">b</a></td></tr></table></a>'));
  assert.deepEqual(links.anchors.map(({ text }) => text).sort(), ["a", "b"]);
});

test("one traversal finds headings, anchors, images and embedded media", () => {
  const found = collectStats(
    parseTree(
      '<h2>A <code>b</code></h2><p><a href="/x"><b>c</b> d</a><img src="1.png"><img src="2.png" alt="t"></p><iframe></iframe><h3></h3>',
    ),
  );
  assert.deepEqual(found.headings, [
    { level: 2, text: "A b", block: 0 },
    { level: 3, text: "", block: null },
  ]);
  assert.deepEqual(found.anchors, [{ text: "c d", href: "/x", block: 1 }]);
  assert.deepEqual(found.pictures, [
    { block: 1, src: "1.png", alt: null },
    { block: 1, src: "2.png", alt: "t" },
  ]);
  assert.equal(found.embeds, 1);
});

test("inline code is known by its characters, and a block quote by its blocks", () => {
  const { blocks } = collectStats(
    parseTree("<p>Type  <code>a  b</code> now</p><blockquote><p>Said</p></blockquote><pre><code>c</code></pre>"),
  );
  assert.deepEqual(
    blocks.map(({ text, masked, isQuoted }) => ({ text, masked, isQuoted })),
    [
      { text: "Type a b now", masked: "Type \u0001 \u0001 now", isQuoted: undefined },
      { text: "Said", masked: undefined, isQuoted: true },
      { text: "c", masked: undefined, isQuoted: undefined },
    ],
  );
});
