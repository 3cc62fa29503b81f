import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../system/errors.ts";
import { isSafeInAnyMarkdownParser, markdownToHtml } from "./markdown.ts";
import { sanitiseHtml } from "../html/sanitise.ts";
import { htmlToMarkdown } from "./gfm.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

test("the HTML of GFM is clean already", () => {
  const html = markdownToHtml(
    "# A\n\n- [x] b\n- [ ] c\n\n| d | e |\n|:--|--:|\n| f | ~~g~~ |\n\n```js\nh < i;\n```\n\n<figure>j</figure>\n\nhttps://k.example **l**\\\nm\n",
  );
  assert.deepEqual(sanitiseHtml(html).html, html);
  for (const part of [
    '<h1 id="user-content-a">A</h1>',
    'type="checkbox"',
    'align="right"',
    "<del>g</del>",
    "language-js",
    "<figure>j",
  ])
    assert.ok(html.includes(part), part);
});

test("large tables, long lists of links and deep lists are read", () => {
  const table = `|a|b|c|d|\n|-|-|-|-|\n${"|1|2|3|4|\n".repeat(10_000)}`;
  assert.equal(markdownToHtml(table).match(/<tr>/g)?.length, 10_001);
  const links = Array.from({ length: 500 }, (_none, n) => `[link ${n}](https://example.com/${n})`).join(", ");
  assert.equal(markdownToHtml(links).match(/<a /g)?.length, 500);
  const list = Array.from({ length: 20 }, (_none, level) => `${"  ".repeat(level)}- level ${level}\n`).join("");
  assert.equal(markdownToHtml(list).match(/<ul>/g)?.length, 20);
});

test("a line of hyphens below a text in one column makes a heading, not a table", () => {
  assert.equal(markdownToHtml("a\n-\nb\n"), '<h2 id="user-content-a">a</h2>\n<p>b</p>\n');
  assert.match(markdownToHtml("a | b\n-|-\nc | d\n"), /<td>d<\/td>/);
});

test("a list in a quote that begins with an empty item is read", () => {
  assert.match(markdownToHtml("1. a\n   >-\nb\n"), /<li>a<blockquote>\n<ul>\n<li><\/li>\n<\/ul>\n<\/blockquote>/);
});

for (const [name, markdown] of Object.entries({
  "100,000 quotes in quotes": ">".repeat(100_000),
  "30,000 marks of emphasis in one paragraph": "*a_".repeat(30_000),
  "a table of 5,000 columns and 40,000 short rows": `${"|a".repeat(5_000)}|\n${"|-".repeat(5_000)}|\n${"|b|\n".repeat(20_000)}`,
  "many tables whose short rows become full ones":
    `${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n${"|b|\n".repeat(20)}\n`.repeat(100),
  "quotes in lists in quotes": ">- ".repeat(10_000),
  "5,000 quotes with lines that go on": `${"> ".repeat(5_000)}${"\n> a".repeat(5_000)}`,
  "quotes that end one after another": Array.from(
    { length: 300 },
    (_none, level) => `${">".repeat(300 - level)} a\n`,
  ).join(""),
  "exclamation marks": "!".repeat(100_000),
  "60,000 headings": "a\n=\n".repeat(60_000),
  "a list of 60,000 items": "- a\n".repeat(60_000),
  "6,000 definitions of links": Array.from({ length: 6_000 }, (_none, n) => `[a${n}]: b\n`).join(""),
  "20,000 references": Array.from({ length: 20_000 }, (_none, n) => `[a${n}]: b\n\n[a${n}]\n`).join("\n"),
}))
  test(`this is refused as invalid: ${name}`, () => {
    assert.throws(
      () => markdownToHtml(markdown),
      (error) => error instanceof AppError && error.code === "invalid" && error.field === "markdown",
    );
  });

const UNSAFE = {
  "a tag": "a <b>c</b>",
  "a tag that is code to our parser": "```html\n<script>\n```",
  "an escaped tag": "a \\<script> b",
  "a reference to the beginning of a tag": "a &lt;script> &LT;b",
  "a number of the same": "a &#0060;script>",
  "a hexadecimal number of the same": "a &#x3C;script>",
  "a link to a script": "[a](javascript:b)",
  "an image of another kind": "![a](data:text/html,b)",
  "an address on the next line of a quote": "[a](\n> javascript:b)",
  "an address with a reference": "[a](&#106;avascript:b)",
  "an address whose colon is a reference": "[a](javascript&colon;b)",
  "an address with a reference to a tab": "[a](java&Tab;script:b)",
  "an address with escaped characters": "[a](java\\script\\:b)",
  "a definition of a script": "[a]\n\n[a]: javascript:b",
  "a definition on two lines": "[a]\n\n[a]:\n  javascript:b",
  "a definition whose name has another link": "[x\\](/a]:javascript:b",
  "an address of a footnote": "a[^1]\n\n[^1]: javascript:b",
  "a quotation mark in an address": '[a](/b"onclick="c)',
  "an apostrophe in an address": "[a](/b'onclick='c)",
  "a title with more quotation marks than two": '[a](/b "c" onclick="d")',
  "a quotation mark between apostrophes": "[a](/b 'c\" onclick=\"d')",
  "an escaped quotation mark in a title": '[a](/b "c\\" onclick=\\"d")',
  "a title in parentheses": '[a](/b (c" onclick="d))',
  "a quotation mark in the title of a definition": '[a]: /b "c" onclick="d"',
  "the same on the next line": '[a]: /b\n"c" onclick="d"',
  "a link that does not end": "[a](/b c",
  "attributes in braces": '# a {onclick="b"}',
  "attributes of a span": '[a](/b){: style="c" }',
};
for (const [name, markdown] of Object.entries(UNSAFE))
  test(`not safe in any parser: ${name}`, () => assert.equal(isSafeInAnyMarkdownParser(markdown), false));

const SAFE = {
  "all that Markdown has":
    "One\n===\n\n* __two__\n1. *three*\n\n> four\n\n`five`\n\n    six\n\n~~~js\nseven && 8 > 7\n~~~\n",
  "links and images": "[a](https://b.example/c?d=1&e=2 \"It's f\") ![g](/h.png 'i') [j](#k) [l](mailto:m@n.example)",
  "an address with parentheses": "[a](https://en.example.org/wiki/B_(c)) [d](/e\\)f)",
  "links by name": '[a][b] [c]\n\n[b]: https://d.example "e"\n[c]: /f\n\n"A quotation."',
  "addresses that are written as such": "https://a.example/b?c='d' and www.e.example",
  footnotes: "a[^1]\n\n[^1]: Words, and https://b.example.",
  "references to other characters": "a &amp; b &gt; c &quot;d&quot; &#169; &#xa9;",
  "braces without attributes": "{% raw %} {{ a }} ${b} {#c .d}",
  "tasks and tables": "- [x] a\n- [ ] b\n\n| c | d |\n|---|:-:|\n| 1 | 2 \\| 3 |\n",
  nothing: "",
};
for (const [name, markdown] of Object.entries(SAFE))
  test(`safe in any parser: ${name}`, () => assert.equal(isSafeInAnyMarkdownParser(markdown), true));

for (const [name, markdown] of Object.entries({
  "links that do not end": "](".repeat(500_000),
  "definitions without white space": "[a]:b".repeat(200_000),
  "titles that do not end": '](/a "b'.repeat(150_000),
  "an address of a megabyte": `[a](${"b".repeat(1_000_000)})`,
  braces: "{on".repeat(300_000),
}))
  test(`a megabyte of this is checked in one pass: ${name}`, () => {
    assert.equal(typeof isSafeInAnyMarkdownParser(markdown), "boolean");
  });

test("Markdown that is safe in any parser has nothing that is removed from its HTML", () => {
  const scraps =
    'a |[b](|[c]: |[c]|)|javascript:d|/e|https://f.example| "g"| \'h\'|\n|\n\n|> |- |\\|`|```|(|&#106;|&colon;|![|](|]|{onx="i"}|    |**'.split(
      "|",
    );
  let safe = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...scraps), { maxLength: 10 }), (parts) => {
      const markdown = parts.join("");
      if (!isSafeInAnyMarkdownParser(markdown)) return;
      safe += 1;
      assert.deepEqual(sanitiseHtml(markdownToHtml(markdown)).removed, [], JSON.stringify(markdown));
    }),
    { numRuns: cases(3000) },
  );
  assert.ok(safe > cases(300));
});

test("Markdown derived from any HTML has nothing that would be removed from the HTML", () => {
  const attacks =
    "<p>|</p>|<a href='javascript:a'>|</a>|&lt;script>alert(1)&lt;/script>|[a](javascript:b)|&lt;javascript:c>|<code>&lt;img onerror=d></code>|<img src=e alt='](javascript:f)'>|<td>|<table><tr>|</table>|<pre>|</pre>|`|\\|[g]: javascript:h|<a href='i' title='\"><script>'>|<li>|<b>|</b>|\n\n|&amp;lt;b onclick=x>|<br>|<code>a|</code>".split(
      "|",
    );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...attacks), { maxLength: 10 }), (parts) => {
      const { tree } = sanitiseHtml(parts.join(""));
      const markdown = htmlToMarkdown(tree);
      assert.deepEqual(
        sanitiseHtml(markdownToHtml(markdown)).removed,
        [],
        JSON.stringify({ html: parts.join(""), markdown }),
      );
    }),
    { numRuns: cases(1500) },
  );
});
