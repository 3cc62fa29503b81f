import assert from "node:assert/strict";
import { test } from "node:test";
import { isCleanForOtherParsers } from "./other-parsers.ts";

const UNCLEAN = {
  "a tag of any kind": "a\n\n<script>",
  "the same after an escaped backslash": "\\\\<img onerror=k>",
  "a list item that goes on with a tab": "1.    a\n\t<img onerror=k>",
  "lines in a paragraph that are indented": "a\n    <img onerror=k>",
  "lines in a list that are indented": "- a\n\n    <img onerror=k>",
  "code that does not end in its line": "`a\n\nb `<img onerror=k>` c`",
  "code after code of another length": "``a` <img onerror=k> `b",
  "code whose beginning is escaped": "\\`<img onerror=k>`",
  "code that begins in an address": "[a](/x`y) <img onerror=k> `b`",
  "code that begins in the name of a link": "[a][x`y] <img onerror=k> `z]",
  "code that begins in the name of a definition": "[`]: javascript:x '`'",
  "code that begins in a tag": "<a href='`'> <img onerror=k> <b title='`'>",
  "code that GFM reads as part of an address": "http://x`<img onerror=k>`",
  "code across cells": "| a |\n|-|\n| `b | <img onerror=k>` |",
  "code in a line of an HTML block": "<div>\n`<img onerror=k>`\n</div>",
  "code after code in a list item": "1.     `\n   <img onerror=k> `",
  "a fence in a list that ends before it": "- a\n\n  ```\n<img onerror=k>\n  ```",
  "a fence in an HTML block": "<div>\n>\n> ```\n> <img onerror=k>\n> ```",
  "a fence in HTML of a list": "- <pre>\n\n~~~\n</pre>\n~~~\n<img onerror=k>\n~~~",
  "what follows another kind of fence": "~~~\n```\n~~~\n<img onerror=k>\n```",
  "what fenced code is written in": "``` <b onclick=x>\na\n```",
  "a footnote": "[^1]: <img src=x onerror=k>",
  "an attribute after a quote that only looks escaped": '<img title="a\\" onerror=k id="alt\\">',
  "a declaration": "a <!b\n\\<c>",
  "a tag that an empty line ends": "-\n<td\n\n->",
  "an escaped address": "[a](java\\script\\:x)",
  "an address with a reference": "[a]:\n> &#106;avascript:x",
  "an address in angle brackets": "<javascript:x>",
};
for (const [name, markdown] of Object.entries(UNCLEAN))
  test(`not clean for other parsers: ${name}`, () => assert.equal(isCleanForOtherParsers(markdown), false));

const CLEAN = {
  "tags that are kept": '<div class="a">\n\n<img src="b"\n  alt="c"> <kbd>d</kbd>\n\n</div>',
  "text that is no tag": "a <b, c <3, i <n and\n\nj > k",
  "escaped tags": "a \\<script> b",
  "code in a line, beside tags and links": "a <b>`<script>`</b> [x](y) `<i onclick>` <https://a.example>",
  "code across the lines of a paragraph": "a `b <script>\nc` d",
  "code in a footnote": "[^1]: The `<script>` tag.",
  "fenced code in a list and in a quote": "- a\n\n  ```\n  <script>\n  ```\n\n> ```\n> <script>\n> ```",
  "indented code after a paragraph": "- a\n\nb\n\n    <script>",
  "a comment of many lines": "<!--\n\na b\n\n-->\n\nc",
};
for (const [name, markdown] of Object.entries(CLEAN))
  test(`clean for other parsers: ${name}`, () => assert.equal(isCleanForOtherParsers(markdown), true));
