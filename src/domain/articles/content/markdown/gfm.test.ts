import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../system/errors.ts";
import { htmlToMarkdown } from "./gfm.ts";
import { markdownToHtml } from "./markdown.ts";
import { sanitiseHtml } from "../html/sanitise.ts";
import { collectStats, visibleText } from "../html/text.ts";
import { parseTree } from "../html/tree.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";
import { LONG_ONLY } from "../../../../../test/helpers/full-run.ts";

const gfm = (html: string): string => htmlToMarkdown(parseTree(html));
const textOf = (html: string): string =>
  visibleText(collectStats(sanitiseHtml(html).tree).blocks)
    .replaceAll(/\s+/g, " ")
    .trim();

test("extremely deep nesting keeps its text and loses its depth", () => {
  const lines = "a<br>".repeat(1000);
  const quotes = gfm(`${"<blockquote>".repeat(200)}<p>${lines}</p>${"</blockquote>".repeat(200)}`);
  assert.equal(quotes.match(/a/g)?.length, 1000);
  assert.equal(/^(?:> )+/.exec(quotes)?.[0].length, 32);
  const lists = gfm(`${"<ul><li>".repeat(100)}<p>${lines}</p>${"</li></ul>".repeat(100)}`);
  assert.equal(lists.match(/a/g)?.length, 1000);
  assert.ok(lists.length < 100_000);
});

test("an article whose Markdown would be many times as long is refused", LONG_ONLY, () => {
  for (const html of [
    `${"<blockquote>".repeat(40)}<pre>${"a\n".repeat(400_000)}</pre>`,
    `<table>${"<tr><td colspan=100>a</td></tr>".repeat(60_000)}</table>`,
  ]) {
    assert.throws(
      () => gfm(html),
      (error) => error instanceof AppError && error.code === "invalid" && /simplify it/.test(error.message),
    );
  }
});

const CASES: Record<string, [html: string, markdown: string]> = {
  "headings, paragraphs and emphasis": [
    "<h2>A <em>b</em></h2><p>one\n two <strong>three</strong> <del>four</del></p>",
    "## A *b*\n\none two **three** ~~four~~\n",
  ],
  "links and images": [
    '<p><a href="/a" title="T">x</a> <img src="i.png" alt="an [i]"> <a href="https://e.com/">https://e.com/</a></p>',
    '[x](/a "T") ![an \\[i\\]](i.png) <https://e.com/>\n',
  ],
  "links within the article by the names that readers of Markdown make": [
    '<p><a href="#user-content-water">x</a></p><h2 id="user-content-water">Water</h2>',
    "[x](#water)\n\n## Water\n",
  ],
  "nested lists": ["<ul><li>a<ol start=3><li>b</li></ol></li><li><p>c</p></li></ul>", "- a\n\n  3. b\n\n- c\n"],
  "two lists in a row stay two": ["<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n+ b\n"],
  "task lists": [
    '<ul><li><input type="checkbox" checked disabled> done</li><li><input type="checkbox" disabled> open</li></ul>',
    "- [x] done\n- [ ] open\n",
  ],
  "code with its language, and fences longer than those inside": [
    '<pre><code class="language-md">```\nx\n```\n</code></pre><p><code>a`b</code></p>',
    "````md\n```\nx\n```\n````\n\n``a`b``\n",
  ],
  "tables with pipes, alignment and spans": [
    '<table><thead><tr><th align="right">a|b</th><th>c</th></tr></thead><tbody><tr><td colspan="2"><code>x`y</code></td></tr></tbody></table>',
    "| a\\|b | c |\n| --: | --- |\n| ``x`y`` | |\n",
  ],
  "tables with pipes in code, as HTML on one line": [
    '<ul><li>a<table class="b">\n<tr><td><code>x|y</code></td><!-- c --><td>&lt;b> [d](e)<pre>f\n\n*g*</pre></td></tr></table></li></ul>',
    '- a\n\n  <table class="b">&#10;<tbody><tr><td><code>x&#124;y</code></td><td>&lt;b&gt; &#91;d&#93;(e)<pre>f&#10;&#10;&#42;g&#42;</pre></td></tr></tbody></table>\n',
  ],
  "tables whose cells reach down or have code of several lines, as HTML": [
    "<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table><table><tr><th>d</th></tr><tr><td><pre>e\nf</pre></td></tr></table>",
    '<table><tbody><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>\n\n<table><tbody><tr><th>d</th></tr><tr><td><pre>e&#10;f</pre></td></tr></tbody></table>\n',
  ],
  "less-than signs, which a backslash does not make safe": [
    "<p>Write &lt;img src=x onerror=alert(1)&gt;</p><p>x\\<br>&lt;b> 1 &lt; 2</p>",
    "Write &lt;img src=x onerror=alert(1)>\n\nx\\\\\\\n&lt;b> 1 &lt; 2\n",
  ],
  "addresses and titles with quotation marks and parentheses": [
    "<p><a href='/a\"b`(c)' title='\"d\"'>e</a> <a href='/f)'>g</a></p>",
    '[e](/a%22b%60(c) "&quot;d&quot;") [g](/f%29)\n',
  ],
  "quotes, rules and hard breaks": [
    "<blockquote><p>a<br>b</p><p>c</p></blockquote><hr><p>d</p>",
    "> a\\\n> b\n>\n> c\n\n***\n\nd\n",
  ],
  "frames and videos as links": [
    '<iframe src="https://www.youtube.com/embed/1" title="A talk"></iframe><video><source src="/v.mp4"></video>',
    "[A talk](https://www.youtube.com/embed/1)[/v.mp4](/v.mp4)\n",
  ],
  "characters that would mean something": [
    "<p># 1</p><p>- a</p><p>1. b</p><p>*x* _y_ snake_case &lt;b&gt; &amp;amp; [z] https://a.b</p>",
    "\\# 1\n\n\\- a\n\n1\\. b\n\n\\*x\\* \\_y\\_ snake_case &lt;b> &amp;amp; \\[z\\] https\\://a.b\n",
  ],
  "characters that would mean something together with the next element": [
    '<p>&lt;<span>b</span> &gt; &amp;<a>lt;</a> &lt;<b>c</b> !<a href="/d">e</a></p>',
    "&lt;b > &amp;lt; &lt;**c** \\![e](/d)\n",
  ],
  "emphasis within words, as elements where markers would not work": [
    '<p>a<b>b</b>c x<b>"y"</b>z <b> s </b>t</p>',
    'a**b**c x<strong>"y"</strong>z **s** t\n',
  ],
};

for (const [name, [html, markdown]] of Object.entries(CASES))
  test(`GFM keeps ${name}`, () => {
    assert.equal(gfm(html), markdown);
  });

const inlineText = fc
  .stringMatching(/^[a-c1 .,*_`~[\]()<>&!#+=|\\:/@-]{0,12}$/)
  .map((text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
const { block } = fc.letrec<{ inline: string; block: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    inlineText,
    fc
      .tuple(fc.constantFrom("b", "em", "del", "sup", "span"), tie("inline"))
      .map(([tag, x]) => `<${tag}>${x}</${tag}>`),
    fc.tuple(tie("inline"), tie("inline")).map(([a, b]) => a + b),
    inlineText.map((x) => `<code>${x}</code>`),
    inlineText.map((x) => `<a href="/u?a=1&amp;b=(2)">${x}</a>`),
    fc.constant("<br>"),
  ),
  block: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(fc.constantFrom("p", "h2", "div"), tie("inline")).map(([tag, x]) => `<${tag}>${x}</${tag}>`),
    fc.tuple(tie("inline"), tie("block")).map(([a, b]) => `<ul><li>${a}</li><li>${b}</li></ul>`),
    fc.tuple(tie("block"), tie("inline")).map(([a, b]) => `<ol start="4"><li>${a}</li><li>${b}</li></ol>`),
    tie("block").map((x) => `<blockquote>${x}</blockquote>`),
    fc.tuple(tie("block"), tie("block")).map(([a, b]) => a + b),
    inlineText.map((x) => `<pre><code class="language-c">${x}\n\n  y</code></pre>`),
    fc
      .tuple(tie("inline"), tie("inline"))
      .map(([a, b]) => `<table><tr><th>${a}</th></tr><tr><td>${b}</td></tr></table>`),
  ),
}));

test("Markdown made from any HTML is read back with the same text", () => {
  fc.assert(
    fc.property(block, (html) => {
      assert.equal(textOf(markdownToHtml(gfm(html))), textOf(html));
    }),
    { numRuns: cases(500) },
  );
});
