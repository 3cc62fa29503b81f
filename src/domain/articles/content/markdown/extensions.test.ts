/** What our Markdown has beyond GFM as marked reads it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sanitiseHtml } from "../html/sanitise.ts";
import { markdownToHtml } from "./markdown.ts";

const SNIPPETS: Readonly<Record<string, Readonly<Record<string, readonly [markdown: string, html: string]>>>> = {
  footnotes: {
    "a note and its references": [
      "One[^a], two[^a].\n\n[^a]: The *note*.\n",
      '<p>One<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup>, two<sup><a href="#user-content-fn-1" id="user-content-fnref-1-2" data-footnote-ref="">1</a></sup>.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>The <em>note</em>. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a> <a href="#user-content-fnref-1-2" data-footnote-backref="" aria-label="Back to reference 1-2">↩<sup>2</sup></a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "numbers in the order of the references": [
      "One[^z] two[^a].\n\n[^a]: First written.\n[^z]: First read.\n",
      '<p>One<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup> two<sup><a href="#user-content-fn-2" id="user-content-fnref-2" data-footnote-ref="">2</a></sup>.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>First read. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n<li id="user-content-fn-2">\n<p>First written. <a href="#user-content-fnref-2" data-footnote-backref="" aria-label="Back to reference 2">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "without a space": [
      "お茶[^1]。\n\n[^1]:緑茶のこと。\n",
      '<p>お茶<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup>。</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>緑茶のこと。 <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "Chinese, with a name": [
      "水[^注]。\n\n[^注]: 软水。\n",
      '<p>水<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup>。</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>软水。 <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "a single word": [
      "Tea[^1].\n\n[^1]: Green.\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup>.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>Green. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "an address alone": [
      "Tea[^1].\n\n[^1]: https://tea.example/a\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup>.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p><a href="https://tea.example/a">https://tea.example/a</a> <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "an address in brackets": [
      "Tea[^1].\n\n[^1]: <https://tea.example/a>\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup>.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p><a href="https://tea.example/a">https://tea.example/a</a> <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "right after the paragraph": [
      "Tea[^1]\n[^1]: Green.\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>Green. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "lines that go on": [
      "Tea[^1]\n\n[^1]: A note\nthat goes on.\n\nThe end.\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<p>The end.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>A note\nthat goes on. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "paragraphs and code in it": [
      "Tea[^1]\n\n[^1]: One.\n\n    Two.\n\n    ```js\n    a < b\n    ```\n\nThe end.\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<p>The end.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>One.</p>\n<p>Two.</p>\n<pre><code class="language-js">a &lt; b\n</code></pre>\n<p><a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "a list in it": [
      "Tea[^1]\n\n[^1]:\n    - a\n    - b\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p><a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "one that nothing refers to": [
      "Tea.\n\n[^1]: Still here.\n",
      '<p>Tea.</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>Still here.</p>\n</li>\n</ol>\n</section>\n',
    ],
    "a reference without a note": ["Tea[^1].\n", "<p>Tea[^1].</p>\n"],
    "in a list": [
      "- Tea[^1]\n- Water\n\n[^1]: Green.\n",
      '<ul>\n<li>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></li>\n<li>Water</li>\n</ul>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>Green. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "in a table": [
      "| a |\n|---|\n| b[^1] |\n\n[^1]: Green.\n",
      '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>b<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></td>\n</tr>\n</tbody></table>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>Green. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "a note in a note": [
      "Tea[^1]\n\n[^1]: See[^2].\n[^2]: Seen.\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>See<sup><a href="#user-content-fn-2" id="user-content-fnref-2" data-footnote-ref="">2</a></sup>. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n<li id="user-content-fn-2">\n<p>Seen. <a href="#user-content-fnref-2" data-footnote-backref="" aria-label="Back to reference 2">↩</a></p>\n</li>\n</ol>\n</section>\n',
    ],
    "two of one name": [
      "Tea[^1]\n\n[^1]: One.\n[^1]: Two.\n",
      '<p>Tea<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="">1</a></sup></p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>One. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p>\n</li>\n<li id="user-content-fn-2">\n<p>Two.</p>\n</li>\n</ol>\n</section>\n',
    ],
    "not in code": [
      "`[^1]` and\n\n    [^1]\n\n[^1]: Green.\n",
      '<p><code>[^1]</code> and</p>\n<pre><code>[^1]\n</code></pre>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="user-content-fn-1">\n<p>Green.</p>\n</li>\n</ol>\n</section>\n',
    ],
  },
  alerts: {
    "a note": [
      "> [!NOTE]\n> Mind *this*.\n",
      "<blockquote>\n<p><strong>Note</strong></p>\n<p>Mind <em>this</em>.</p>\n</blockquote>\n",
    ],
    "in lower case, with a title": [
      "> [!warning] Hot *water*\n> Careful.\n",
      "<blockquote>\n<p><strong>Hot <em>water</em></strong></p>\n<p>Careful.</p>\n</blockquote>\n",
    ],
    "folded, of another kind": [
      "> [!recipe]- For two\n> Tea.\n",
      "<blockquote>\n<p><strong>For two</strong></p>\n<p>Tea.</p>\n</blockquote>\n",
    ],
    "an empty line after it": [
      "> [!TIP]\n>\n> Cool it.\n",
      "<blockquote>\n<p><strong>Tip</strong></p>\n<p>Cool it.</p>\n</blockquote>\n",
    ],
    "a list": [
      "> [!IMPORTANT]\n> - a\n> - b\n",
      "<blockquote>\n<p><strong>Important</strong></p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n</blockquote>\n",
    ],
    "without a text": ["> [!CAUTION]\n", "<blockquote>\n<p><strong>Caution</strong></p>\n</blockquote>\n"],
    "in a list": [
      "- a\n\n  > [!NOTE]\n  > b\n",
      "<ul>\n<li><p>a</p>\n<blockquote>\n<p><strong>Note</strong></p>\n<p>b</p>\n</blockquote>\n</li>\n</ul>\n",
    ],
    "an ordinary quote": ["> [a] b\n", "<blockquote>\n<p>[a] b</p>\n</blockquote>\n"],
  },
  tables: {
    "a cell that reaches down": [
      "| a | b |\n|---|---|\n| tea | 1 |\n| ^^ | 2 |\n| ^^ | 3 |\n| gin | ^^ |\n",
      `<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td rowspan="3">tea</td>\n<td>1</td>\n</tr>\n<tr>\n<td>2</td>\n</tr>\n<tr>\n<td rowspan="2">3</td>\n</tr>\n<tr>\n<td>gin</td>\n</tr>\n</tbody></table>\n`,
    ],
    "an operator": [
      "| a |\n|---|\n| ^^ |\n| && |\n| ^^ |\n",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>^^</td>\n</tr>\n<tr>\n<td>&amp;&amp;</td>\n</tr>\n<tr>\n<td>^^</td>\n</tr>\n</tbody></table>\n",
    ],
    "rows of several lines": [
      "| a | b |\n|:--|---|\n| one | ```js | \\\n| two |  if (x) | \\\n| | y(); |  \\\n| | ``` |\n| z | `\\` \\\n",
      '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td align="left">one\ntwo</td>\n<td><pre><code class="language-js"> if (x)\ny();\n</code></pre></td>\n</tr>\n<tr>\n<td align="left">z</td>\n<td><code>\\</code></td>\n</tr>\n</tbody></table>\n',
    ],
    "a backslash of the text": [
      "a | b\n--|--\n1 | C:\\\n2 | 3\n",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>1</td>\n<td>C:\\</td>\n</tr>\n<tr>\n<td>2</td>\n<td>3</td>\n</tr>\n</tbody></table>\n",
    ],
  },
  containers: {
    "a word": [
      ":::tip\n\nInside **bold**.\n\n:::\n\nAfter.\n",
      "<blockquote>\n<p><strong>Tip</strong></p>\n<p>Inside <strong>bold</strong>.</p>\n</blockquote>\n<p>After.</p>\n",
    ],
    "a word that the text says itself": [
      ":::note\n**Note:** Mind this.\n:::\n",
      "<blockquote>\n<p><strong>Note:</strong> Mind this.</p>\n</blockquote>\n",
    ],
    "a space, no empty lines": [
      "::: warning\nCareful.\n:::\nAfter.\n",
      "<blockquote>\n<p><strong>Warning</strong></p>\n<p>Careful.</p>\n</blockquote>\n<p>After.</p>\n",
    ],
    "a title": [
      ":::note Mind *this*\nInside.\n:::\n",
      "<blockquote>\n<p><strong>Mind <em>this</em></strong></p>\n<p>Inside.</p>\n</blockquote>\n",
    ],
    "a title in brackets": [
      ":::note[Mind this]{#id}\nInside.\n:::\n",
      "<blockquote>\n<p><strong>Mind this</strong></p>\n<p>Inside.</p>\n</blockquote>\n",
    ],
    "a class in braces": [
      "::: {.caution}\nInside.\n:::\n",
      "<blockquote>\n<p><strong>Caution</strong></p>\n<p>Inside.</p>\n</blockquote>\n",
    ],
    "after a paragraph": [
      "Before\n:::info\nInside.\n:::\n",
      "<p>Before</p>\n<blockquote>\n<p><strong>Info</strong></p>\n<p>Inside.</p>\n</blockquote>\n",
    ],
    "one in another": [
      "::::danger\nOut.\n\n:::tip\nIn.\n:::\n\n::::\n",
      "<blockquote>\n<p><strong>Danger</strong></p>\n<p>Out.</p>\n<blockquote>\n<p><strong>Tip</strong></p>\n<p>In.</p>\n</blockquote>\n</blockquote>\n",
    ],
    "code with colons": [
      ":::tip\n```\n:::\n```\n:::\n",
      "<blockquote>\n<p><strong>Tip</strong></p>\n<pre><code>:::\n</code></pre>\n</blockquote>\n",
    ],
    details: [":::details Click\nInside.\n:::\n", "<details>\n<summary>Click</summary>\n<p>Inside.</p>\n</details>\n"],
    "of a kind that nobody knows": [":::columns\nOne.\n\nTwo.\n:::\n", "<p>One.</p>\n<p>Two.</p>\n"],
    "without an end": [":::tip\nInside.\n", "<p>:::tip\nInside.</p>\n"],
    "of a kind that nobody knows, without an end": [
      "Before\n:::aside-box\n> One.\n\n:::wide{.x}\nTwo.\n",
      "<p>Before</p>\n<blockquote>\n<p>One.</p>\n</blockquote>\n<p>Two.</p>\n",
    ],
    "words behind colons, without an end": [":::end of part one\n", "<p>:::end of part one</p>\n"],
    "of MkDocs": [
      "!!! note\n    One.\n\n    - two\n\nAfter.\n",
      "<blockquote>\n<p><strong>Note</strong></p>\n<p>One.</p>\n<ul>\n<li>two</li>\n</ul>\n</blockquote>\n<p>After.</p>\n",
    ],
    "of MkDocs with a title": [
      '!!! danger "Mind this"\n    One.\n',
      "<blockquote>\n<p><strong>Mind this</strong></p>\n<p>One.</p>\n</blockquote>\n",
    ],
    "of MkDocs, folded": [
      '??? question "Why?"\n    Because.\n',
      "<details>\n<summary>Why?</summary>\n<p>Because.</p>\n</details>\n",
    ],
    "exclamation marks": ["!!! note that\n", "<p>!!! note that</p>\n"],
  },
  "definition lists": {
    "without a line break at the end": ["Tea\n: a drink", "<dl>\n<dt>Tea</dt>\n<dd>a drink</dd>\n</dl>\n"],
    "a long definition": [
      `Tea\n: ${"a drink ".repeat(40)}end\n`,
      `<dl>\n<dt>Tea</dt>\n<dd>${"a drink ".repeat(40)}end</dd>\n</dl>\n`,
    ],
    "terms and definitions": [
      "Tea\n: a drink\n\nWater\n: wet\n: clear\n",
      "<dl>\n<dt>Tea</dt>\n<dd>a drink</dd>\n<dt>Water</dt>\n<dd>wet</dd>\n<dd>clear</dd>\n</dl>\n",
    ],
    "two terms": ["Tea\nChai\n: a drink\n", "<dl>\n<dt>Tea</dt>\n<dt>Chai</dt>\n<dd>a drink</dd>\n</dl>\n"],
    "emphasis and code": ["*Tea*\n: `leaf`\n", "<dl>\n<dt><em>Tea</em></dt>\n<dd><code>leaf</code></dd>\n</dl>\n"],
    "lines that go on": ["Tea\n: a drink\n  of leaves\n", "<dl>\n<dt>Tea</dt>\n<dd>a drink\nof leaves</dd>\n</dl>\n"],
    paragraphs: [
      "Tea\n\n: A drink.\n\n    Of leaves.\n\nAfter.\n",
      "<dl>\n<dt>Tea</dt>\n<dd>\n<p>A drink.</p>\n<p>Of leaves.</p>\n</dd>\n</dl>\n<p>After.</p>\n",
    ],
    "a list within": [
      "Tea\n: - green\n  - black\n",
      "<dl>\n<dt>Tea</dt>\n<dd><ul>\n<li>green</li>\n<li>black</li>\n</ul>\n</dd>\n</dl>\n",
    ],
    "a term with a colon": [
      "At\n10:30\n: no\n\n- a\n",
      "<dl>\n<dt>At</dt>\n<dt>10:30</dt>\n<dd>no</dd>\n</dl>\n<ul>\n<li>a</li>\n</ul>\n",
    ],
    "no definition without a term": [": a\n", "<p>: a</p>\n"],
  },
  headings: {
    "ids by GitHub's rule": [
      "# Tea & *water*: `3` ways!\n\n## Tea\n\n## Tea\n\n## 緑茶 の話\n",
      '<h1 id="user-content-tea--water-3-ways">Tea &amp; <em>water</em>: <code>3</code> ways!</h1>\n<h2 id="user-content-tea">Tea</h2>\n<h2 id="user-content-tea-1">Tea</h2>\n<h2 id="user-content-緑茶-の話">緑茶 の話</h2>\n',
    ],
    "an id in braces": [
      "## Water {#w}\n\n[See](#w).\n",
      '<h2 id="user-content-w">Water</h2>\n<p><a href="#user-content-w">See</a>.</p>\n',
    ],
    "with a colon, and a class": ["## Water {: #w .big}\n", '<h2 id="user-content-w">Water</h2>\n'],
    "in a comment of MDX": ["## Water {/* #w */}\n", '<h2 id="user-content-w">Water</h2>\n'],
    "on the next line": ["## Water\n{: #w}\n\nText.\n", '<h2 id="user-content-w">Water</h2>\n<p>Text.</p>\n'],
    "a class alone": ["## Water {.unlisted}\n", '<h2 id="user-content-water">Water</h2>\n'],
    underlined: ["Water {#w}\n=====\n", '<h1 id="user-content-w">Water</h1>\n'],
    "an id that is taken": [
      "## A {#b}\n\n## B\n",
      '<h2 id="user-content-b">A</h2>\n<h2 id="user-content-b-1">B</h2>\n',
    ],
    "braces that are text": [
      "## A set {a, b} and {}\n\n## `{#c}`\n",
      '<h2 id="user-content-a-set-a-b-and-">A set {a, b} and {}</h2>\n<h2 id="user-content-c"><code>{#c}</code></h2>\n',
    ],
    "a link to an encoded id": [
      "[a](#%E7%B7%91)\n\n## 緑\n",
      '<p><a href="#user-content-%E7%B7%91">a</a></p>\n<h2 id="user-content-緑">緑</h2>\n',
    ],
    "a link in HTML": [
      '## Tea\n\n<a href="#tea">a</a>\n',
      '<h2 id="user-content-tea">Tea</h2>\n<p><a href="#user-content-tea">a</a></p>\n',
    ],
    "links by kramdown's rule": [
      "[a](#tea--water)\n\n## 2. Tea & water\n",
      '<p><a href="#user-content-tea--water">a</a></p>\n<h2 id="user-content-tea--water">2. Tea &amp; water</h2>\n',
    ],
    "links by VitePress' rule": [
      "[a](#_2-tea-water)\n\n## 2. Tea & water\n",
      '<p><a href="#user-content-_2-tea-water">a</a></p>\n<h2 id="user-content-_2-tea-water">2. Tea &amp; water</h2>\n',
    ],
    "links by Python-Markdown's rule": [
      "[a](#cafe-the)\n\n## Café / thé\n",
      '<p><a href="#user-content-cafe-the">a</a></p>\n<h2 id="user-content-cafe-the">Café / thé</h2>\n',
    ],
    "links in the letters of a heading, and its emoji's names": [
      "[a](#What-Next) [b](#tea-teapot)\n\n## What next?\n\n## Tea (🫖)\n",
      '<p><a href="#user-content-What-Next">a</a> <a href="#user-content-tea-teapot">b</a></p>\n<h2 id="user-content-What-Next">What next?</h2>\n<h2 id="user-content-tea-teapot">Tea (🫖)</h2>\n',
    ],
    "a link to a name in HTML": [
      '[a](#Tea)\n\n<a id="user-content-Tea"></a>\n\n## Tea\n',
      '<p><a href="#Tea">a</a></p>\n<p><a id="user-content-Tea"></a></p>\n<h2 id="user-content-tea">Tea</h2>\n',
    ],
    "a link to what is not there": ["[a](#b)\n\n## C\n", '<p><a href="#b">a</a></p>\n<h2 id="user-content-c">C</h2>\n'],
  },
  formulas: {
    "within a line": ["So $a_1 * b_2 * c_3$ and $x$.\n", "<p>So $a_1 * b_2 * c_3$ and $x$.</p>\n"],
    "in parentheses": ["So \\(a_1*b*c\\) and \\(x\\).\n", "<p>So \\(a_1*b*c\\) and \\(x\\).</p>\n"],
    "words in parentheses": ["So \\(a few *words*\\).\n", "<p>So (a few <em>words</em>).</p>\n"],
    "between two signs": ["So $$a*b*c$$ here.\n", "<p>So $$a*b*c$$ here.</p>\n"],
    "a block": [
      "$$\n\\frac{a_1}{b_2} * c * d\n- e\n\n< f\n$$\n",
      "<p>$$\n\\frac{a_1}{b_2} * c * d\n- e\n\n&lt; f\n$$</p>\n",
    ],
    "a block on one line": ["$$ a * b * c $$\n", "<p>$$ a * b * c $$</p>\n"],
    "a block in brackets": ["\\[\na_1 * b * c\n\\]\n", "<p>\\[\na_1 * b * c\n\\]</p>\n"],
    "in emphasis": ["*So $a*b$ here*\n", "<p><em>So $a*b$ here</em></p>\n"],
    prices: ["From $5 *and* up to $10, US$ *7*.\n", "<p>From $5 <em>and</em> up to $10, US$ <em>7</em>.</p>\n"],
    "prices in bold": [
      "**5$** or **6$**, (*7$*).\n",
      "<p><strong>5$</strong> or <strong>6$</strong>, (<em>7$</em>).</p>\n",
    ],
    variables: [
      "Set $HOME and *then* $PATH, `$a` *b* `$c`.\n",
      "<p>Set $HOME and <em>then</em> $PATH, <code>$a</code> <em>b</em> <code>$c</code>.</p>\n",
    ],
    "an escaped sign": ["\\$a*b*c$\n", "<p>$a<em>b</em>c$</p>\n"],
    "brackets that are escaped": ["\\[a\\] \\(b *c*\n", "<p>[a] (b <em>c</em></p>\n"],
  },
  emoji: {
    names: ["Well :tada: done :+1::white_check_mark:!\n", "<p>Well 🎉 done 👍✅!</p>\n"],
    "not in code": [
      "`:tada:`\n\n    :tada:\n\n<kbd>:tada:</kbd>\n",
      "<p><code>:tada:</code></p>\n<pre><code>:tada:\n</code></pre>\n<p><kbd>:tada:</kbd></p>\n",
    ],
    "not in words, times and names that nobody knows": [
      "a:tea:b 10:30:45 std::key::x :nobody: https://x.example/:tada:/\n",
      '<p>a:tea:b 10:30:45 std::key::x :nobody: <a href="https://x.example/:tada:/">https://x.example/:tada:/</a></p>\n',
    ],
  },
  "Chinese, Japanese and Korean": {
    "quotation marks": ["これは**「重要」**です。\n", "<p>これは<strong>「重要」</strong>です。</p>\n"],
    "a colon": ["**標題：**內容。\n", "<p><strong>標題：</strong>內容。</p>\n"],
    "punctuation of Latin": [
      "**注意!**请看**(这里)**和**“那里”**。\n",
      "<p><strong>注意!</strong>请看<strong>(这里)</strong>和<strong>“那里”</strong>。</p>\n",
    ],
    Korean: [
      '**이것(this)**은 **"저것"**을\n',
      "<p><strong>이것(this)</strong>은 <strong>&quot;저것&quot;</strong>을</p>\n",
    ],
    "both kinds of emphasis": [
      "***「粗」***字と*「斜」*体\n",
      "<p><em><strong>「粗」</strong></em>字と<em>「斜」</em>体</p>\n",
    ],
    "as ever between letters": [
      "中**文**字 **a**b **c** *d*e\n",
      "<p>中<strong>文</strong>字 <strong>a</strong>b <strong>c</strong> <em>d</em>e</p>\n",
    ],
    "not at spaces": ["中 ** 文 ** 字\n", "<p>中 ** 文 ** 字</p>\n"],
  },
};

for (const [kind, snippets] of Object.entries(SNIPPETS))
  describe(kind, () => {
    for (const [name, [markdown, html]] of Object.entries(snippets))
      test(name, () => {
        assert.equal(markdownToHtml(markdown), html);
        assert.equal(sanitiseHtml(html).html, html, "sanitising changes nothing");
      });
  });
