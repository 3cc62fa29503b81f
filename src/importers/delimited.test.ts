import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../domain/system/errors.ts";
import { replaceBetween, withoutComments } from "./delimited.ts";
import { takeHeading } from "./markdown/structure.ts";
import { convertDialect } from "./markdown/dialects/dialects.ts";
import { FrontMatterFields } from "./markdown/front-matter.ts";
import { NO_SITE } from "./site.ts";
import { contentOfWordPress } from "./wordpress/wordpress-text.ts";

function shout(text: string): string {
  return replaceBetween(text, /<(\w)>/g, /;/g, (start, inside) => `${start[1]}(${inside})`);
}

const SHORT_LENGTH = 50_000;
const LONG_LENGTH = 8 * SHORT_LENGTH;
/** Between 8, for linear time, and 64, for quadratic time. */
const MAX_GROWTH = 40;
/** Shorter CPU times are indistinguishable from chance. */
const MIN_CPU_MS = 10;

/** Asserts that the CPU time grows in proportion to the length of a text made of `part`. */
function assertLinear(part: string, read: (text: string) => void): void {
  const [short = 0, long = 0] = [SHORT_LENGTH, LONG_LENGTH].map((length) => {
    const text = part.repeat(Math.ceil(length / part.length));
    const before = process.threadCpuUsage();
    read(text);
    const { user, system } = process.threadCpuUsage(before);
    return Math.max(MIN_CPU_MS, (user + system) / 1_000);
  });
  assert.ok(long <= MAX_GROWTH * short, `${part}: ${long} ms instead of ${short} ms`);
}

test("each start is paired with the next end, and a start without one stays", () => {
  assert.equal(shout("1<a>x;2<b>y<c>z;3<d>"), "1a(x)2b(y<c>z)3<d>");
  assert.equal(withoutComments("a<!-- b --><!---->c<!-- d"), "ac<!-- d");
});

test("texts that are made to be slow take time in proportion to their length", () => {
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
    "<!-- wp:",
    "<!-- wp:a/b {} /-->",
    "[gallery ",
  ]) {
    assertLinear(part, (text) => {
      try {
        contentOfWordPress(`${text}x`);
      } catch (error) {
        assert.ok(error instanceof AppError, "refused with a sentence");
      }
    });
  }
  const signs = ["```\n", "`", "~~~ x\n", "{%", "{{ a", "a ", "`` ` "];
  const liquid = [
    "{% highlight js %}",
    "{% comment %}",
    "{% youtube x %}",
    "{% note %}",
    "{% if a %}b{% endif %}",
    "{% raw %}",
    "{{ a | b }}",
    "{: .a}",
    "{:\n",
    "<div markdown=1>",
    '{% img "',
  ];
  const shortcodes = [
    "{{< figure ",
    "{{< highlight ",
    "{{< x >}}{{< y >}}{{< /x >}}",
    "> {{< note >}}\n",
    "{{</* x */>}}",
  ];
  const file = { name: "a.md", fields: new FrontMatterFields({}) };
  const convert = (dialect: "jekyll" | "hugo") => (text: string) =>
    convertDialect({ ...file, body: `{{${text}` }, { language: "markdown", site: NO_SITE, dialect });
  for (const part of [...signs, ...liquid]) assertLinear(part, convert("jekyll"));
  for (const part of shortcodes) assertLinear(part, convert("hugo"));
  for (const part of ["[", " #", "```\n", "<!--", "*", "**", "_ "])
    assertLinear(part, (text) => takeHeading(`# ${text}`));
});
