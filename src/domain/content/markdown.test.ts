import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../errors.ts";
import { markdownToHtml } from "./markdown.ts";
import { sanitiseHtml } from "./sanitise.ts";

test("what GFM makes is clean already", () => {
  const html = markdownToHtml(
    "# A\n\n- [x] b\n- [ ] c\n\n| d | e |\n|:--|--:|\n| f | ~~g~~ |\n\n```js\nh < i;\n```\n\n<figure>j</figure>\n\nhttps://k.example **l**\\\nm\n",
  );
  assert.deepEqual(sanitiseHtml(html).html, html);
  for (const part of ["<h1>A</h1>", 'type="checkbox"', 'align="right"', "<del>g</del>", "language-js", "<figure>j"])
    assert.ok(html.includes(part), part);
});

for (const [name, markdown] of Object.entries({
  "100,000 quotes in quotes": ">".repeat(100_000),
  "30,000 marks of emphasis in one paragraph": "*a_".repeat(30_000),
}))
  test(`refused as invalid: ${name}`, () => {
    assert.throws(
      () => markdownToHtml(markdown),
      (error) => error instanceof AppError && error.code === "invalid" && error.field === "markdown",
    );
  });
