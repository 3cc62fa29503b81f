import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../domain/system/errors.ts";
import { replaceBetween, withoutComments } from "./delimited.ts";
import { takeHeading } from "./markdown-heading.ts";
import { replaceTemplateTags } from "./template-tags.ts";
import { contentOfWordPress } from "./wordpress-text.ts";

function shout(text: string): string {
  return replaceBetween(text, /<(\w)>/g, /;/g, (start, inside) => `${start[1]}(${inside})`);
}

function long(part: string): string {
  return part.repeat(Math.ceil(400_000 / part.length));
}

test("each start goes with the next end, and a start without one stays", () => {
  assert.equal(shout("1<a>x;2<b>y<c>z;3<d>"), "1a(x)2b(y<c>z)3<d>");
  assert.equal(withoutComments("a<!-- b --><!---->c<!-- d"), "ac<!-- d");
});

test("texts made to keep a pattern busy are read to their end, which would take minutes in quadratic time", () => {
  for (const part of [
    "<a ",
    "<!-- ",
    "<!---->",
    "[caption]",
    "[caption ",
    "[code]",
    "<img data-src=",
    "<noscript>data-src=",
    "\n ",
    "[vc_",
  ]) {
    try {
      contentOfWordPress(`${long(part)}x`, new Map());
    } catch (error) {
      assert.ok(error instanceof AppError, "refused with a sentence");
    }
  }
  for (const part of [
    "{% highlight js %}",
    "{% comment %}",
    "{{< figure ",
    "{{< highlight ",
    "{{< youtube ",
    "```\n",
    "`",
    "~~~ x\n",
    "{%",
  ]) {
    replaceTemplateTags(`{{${long(part)}`, "markdown", true);
  }
  for (const part of ["[", " #", "```\n", "<!--", "*", "**", "_ "]) takeHeading(`# ${long(part)}`);
});
