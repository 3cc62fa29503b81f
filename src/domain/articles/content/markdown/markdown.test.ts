import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../system/errors.ts";
import { markdownToHtml } from "./markdown.ts";
import { sanitiseHtml } from "../html/sanitise.ts";

test("the HTML of GFM is clean already", () => {
  const html = markdownToHtml(
    "# A\n\n- [x] b\n- [ ] c\n\n| d | e |\n|:--|--:|\n| f | ~~g~~ |\n\n```js\nh < i;\n```\n\n<figure>j</figure>\n\nhttps://k.example **l**\\\nm\n",
  );
  assert.deepEqual(sanitiseHtml(html).html, html);
  for (const part of ["<h1>A</h1>", 'type="checkbox"', 'align="right"', "<del>g</del>", "language-js", "<figure>j"])
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
  assert.equal(markdownToHtml("a\n-\nb\n"), "<h2>a</h2>\n<p>b</p>\n");
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
  "6,000 definitions of links": Array.from({ length: 6_000 }, (_none, n) => `[a${n}]: b\n`).join(""),
  "20,000 references": Array.from({ length: 20_000 }, (_none, n) => `[a${n}]: b\n\n[a${n}]\n`).join("\n"),
}))
  test(`this is refused as invalid: ${name}`, () => {
    assert.throws(
      () => markdownToHtml(markdown),
      (error) => error instanceof AppError && error.code === "invalid" && error.field === "markdown",
    );
  });
