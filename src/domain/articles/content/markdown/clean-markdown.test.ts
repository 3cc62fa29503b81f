import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanMarkdown } from "./clean-markdown.ts";
import { htmlToMarkdown } from "./gfm.ts";
import { markdownToHtml } from "./markdown.ts";
import { isCleanForOtherParsers } from "./other-parsers.ts";
import { sanitiseHtml } from "../html/sanitise.ts";
import { collectStats, visibleText } from "../html/text.ts";
import { collapse } from "../html/tree.ts";
import { cases, fc } from "../../../../../test/helpers/properties.ts";

const clean = (markdown: string): string => cleanMarkdown(markdown, sanitiseHtml(markdownToHtml(markdown)).tree);
const rendered = (markdown: string) => sanitiseHtml(markdownToHtml(markdown));
const textOf = (markdown: string): string => collapse(visibleText(collectStats(rendered(markdown).tree).blocks));

const KEPT = [
  "One\n===\n\n* __two__\n* *three*\n\n\n\n[four][a]\n\n[a]: /b 'c'\n",
  "`<script>` and\n\n```html\n<script>alert(1)</script>\n```\n\n    <b onclick=x>",
  '<figure class="wide"><img src="a.png" width="10"><figcaption>b</figcaption></figure>\n\n<details>\n\n*c*\n\n</details>\n',
  "A line\r\nand another\r\n",
  "a \\<script> b &lt;script> <https://example.com> https://example.com",
  'See [top](#top).\n\n<a id="top"/>\n\n## Head\n',
  'Note <a id="n1"/>, <kbd/>, <span/> and\n\n<div class="y"/>\n',
  "- a\n\n  ```html\n  <script>\n  ```\n- Use `<b onclick>`\n\n> ```\n> <style>\n> ```\n",
  "| Type | `Map<string, A \\| B>` |\n|---|---|\n| a | `<img onerror>` |\n",
  "A paragraph with `a <script>\nin a` line.\n\n<pre>\na\n\n*b*\n</pre>\n\n<!-- more -->\n",
  "i <n, j < k, Map<a, b> and <https://example.com/?a=b>\n",
  '<img\n  src="a.png"\n  alt="b">\n\n<!--\n\nc\n-->\n\n- d <a\n  href="/e">f</a>\n',
  "- a\n\t- b\n\n\t\tc <b>d</b>\n",
  "",
];
for (const markdown of KEPT)
  test(`this is kept byte for byte: ${JSON.stringify(markdown.slice(0, 40))}`, () =>
    assert.equal(clean(markdown), markdown));

const CLEANED: [markdown: string, clean: string][] = [
  ["__a__\n\n<script>b()</script>\n\nc", "__a__\n\nc\n"],
  ["__a__\n\nb <script>c()</script>\n\n* d\n", "__a__\n\nb\n\n* d\n"],
  ["__a__ b\n\n[c](javascript:d) __e__\n\n* f", "__a__ b\n\nc **e**\n\n* f\n"],
  ["![a](javascript:b) c", "c\n"],
  ["<javascript:a> b", "javascript:a b\n"],
  ["[a](javascript&colon;b)", "a\n"],
  ["[a]\n\n[a]: javascript:b", "a\n"],
  ["a\n\n[unused]: javascript:b\n\nc", "a\n\nc\n"],
  ["[a] and [b]\n\n[a]: javascript:x\n[b]: /y", "a and [b](/y)\n"],
  ['<div style="x" class="y">\n\n__a__\n\n</div>\n', '<div class="y"></div>\n\n__a__\n\n</div>\n'],
  ['<p align="center" onclick="x()">a</p>\n\n* b\n', '<p align="center">a</p>\n\n* b\n'],
  ['<a href="&#106;avascript:x">a</a> *b*', "a *b*\n"],
  ["> a <b onclick=x>b</b>\n\n__c__", "> a **b**\n\n__c__\n"],
  ["a <script>alert(1);/*\n\n__b__\n", "a \\<script>alert(1);/\\*\n\n__b__\n"],
  ["<title>a\n\n__b__\n", "&lt;title>a\n\n__b__\n"],
  ["<script\n\nsrc=//a/b.js>\n\n</script >\n\n__c__\n", "\\<script\n\nsrc=//a/b.js>\n\n</script >\n\n__c__\n"],
  ["__a__\n\n<textarea\n\nautofocus onfocus=b()>\n", "__a__\n\n\\<textarea\n\nautofocus onfocus=b()>\n"],
  ["- a\n\n  <style\n\n  onload=b()>\n", "- a\n\n  \\<style\n\n  onload=b()>\n"],
  ["<!--\n\n__a__\n", "\\<!--\n\n__a__\n"],
  ["1. <!--\n-->\n\n__a__\n", "1. \\<!--\n-->\n\n__a__\n"],
  ["a\n<div\n\n__b__\n", "a \\<div\n\n__b__\n"],
  ["> \t<img src=x onerror=a()>\n\n__b__\n", "> ```\n> <img src=x onerror=a()>\n> ```\n\n__b__\n"],
  ["> \t[a](javascript:b)\n\n__c__\n", "> ```\n> [a](javascript:b)\n> ```\n\n__c__\n"],
  ["1.    a\n\t<script>b()</script>\n\n__c__\n", "1. a\n\n```\n<script>b()</script>\n```\n\n**c**\n"],
  ["__a__\n\n| b |\n|---|\n| c | <img onerror=d> |\n", "__a__\n\n| b |\n| --- |\n| c |\n"],
  [
    "http://a[](javascript:b)\n\n__c__\n",
    "[http://a\\[\\]\\(javascript:b)](<http://a%5B%5D(javascript:b)>)\n\n__c__\n",
  ],
  ["a[^1]\n\n[^1]: <img src=x onerror=b()>\n", "a[^1](<img%20src=x%20onerror=b()>)\n"],
  ['<table style="x">\n<tr><td>a</td></tr>\n\n<tr><td>b</td></tr>\n</table>\n', "| a |\n| --- |\n| b |\n"],
];
for (const [markdown, expected] of CLEANED)
  test(`this is cleaned: ${JSON.stringify(markdown.slice(0, 50))}`, () => {
    assert.equal(clean(markdown), expected);
    assert.equal(clean(expected), expected);
  });

test("Markdown that our parser refuses is derived from the HTML beside it", () => {
  const { tree } = sanitiseHtml("<p>a <b>b</b></p>");
  assert.equal(cleanMarkdown(">".repeat(1_000), tree), "a **b**\n");
});

const SCRAPS =
  "__a__ |[b](javascript:c) |[d](/e) |<script>|</script>|<b onclick=x>|</b>|\n\n|\n|* |> |`|```\n|<div style=x>|</div>|[f]: javascript:g\n|[f]|![h](data:i)|<img src=x onerror=j>|<svg>|\t|- |<textarea\n|<script\n|</script >|<!--|\n    |<a id='q'/>|<pre|[^r]: |<style|1. |&lt;|<!-- k -->|<!-- <b> -->|# || l | m |\n|---|---|\n|<a href='javascript:n'>|</a>|\\|<javascript:o>|    p".split(
    "|",
  );

test("delivered Markdown has the article's text, and nothing that would be removed from its HTML", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...SCRAPS), { maxLength: 10 }), (parts) => {
      const markdown = parts.join("");
      const cleaned = clean(markdown);
      const { removed, isRepaired } = rendered(cleaned);
      assert.deepEqual([removed, isRepaired], [[], undefined], JSON.stringify({ markdown, cleaned }));
      const before = rendered(markdown);
      const isClean = before.removed.length === 0 && before.isRepaired !== true && isCleanForOtherParsers(markdown);
      if (isClean) assert.equal(cleaned, markdown);
      const whole = visibleText(collectStats(before.tree).blocks);
      assert.equal(
        textOf(cleaned).replaceAll(" ", ""),
        collapse(whole).replaceAll(" ", ""),
        JSON.stringify({ markdown, cleaned }),
      );
    }),
    { numRuns: cases(1500) },
  );
});

test("Markdown derived from any HTML has nothing that would be removed from the HTML", () => {
  const attacks =
    "<p>|</p>|<a href='javascript:a'>|</a>|&lt;script>alert(1)&lt;/script>|[a](javascript:b)|&lt;javascript:c>|<code>&lt;img onerror=d></code>|<img src=e alt='](javascript:f)'>|<td>|<table><tr>|</table>|<pre>|</pre>|`|\\|[g]: javascript:h|<a href='i' title='\"><script>'>|<li>|<b>|</b>|\n\n|&amp;lt;b onclick=x>".split(
      "|",
    );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...attacks), { maxLength: 10 }), (parts) => {
      const { tree } = sanitiseHtml(parts.join(""));
      const markdown = htmlToMarkdown(tree);
      assert.deepEqual(rendered(markdown).removed, [], JSON.stringify({ html: parts.join(""), markdown }));
    }),
    { numRuns: cases(1500) },
  );
});
