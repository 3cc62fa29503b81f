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
  assert.deepEqual(found.headings, [{ level: 1, text: "a b c" }]);
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
    { level: 2, text: "A b" },
    { level: 3, text: "" },
  ]);
  assert.deepEqual(found.anchors, [{ text: "c d", href: "/x" }]);
  assert.deepEqual(found.pictures, [
    { src: "1.png", alt: null },
    { src: "2.png", alt: "t" },
  ]);
  assert.equal(found.embeds, 1);
});
