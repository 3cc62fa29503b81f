import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { tempFolder } from "../../../test/helpers/folder.ts";
import { cases, fc } from "../../../test/helpers/properties.ts";
import { markdownToHtml } from "../../domain/articles/content/markdown/markdown.ts";
import { templateSafe } from "./template-safe.ts";

const BEGIN = "<!-- {% raw %} -->\n";
const END = "\n\n<!-- {% endraw %} -->";

/** The text between the two comments. */
function between(text: string): string {
  assert.ok(text.startsWith(BEGIN) && text.endsWith(END));
  return text.slice(BEGIN.length, -END.length);
}

test("a text without a generator's syntax stays as it is", () => {
  for (const text of ["A {brace}.", "`{ x }`", "```\n{ }\n```", ""]) assert.equal(templateSafe(text), text);
});

test("what Liquid would execute stands in raw, which no text can end", () => {
  assert.equal(templateSafe("a {{ x }} b"), `${BEGIN}a {{ x }} b${END}`);
  assert.equal(between(templateSafe("a {% endraw %} {%- endraw -%}")), "a &#123;% endraw %} &#123;%- endraw -%}");
  assert.equal(between(templateSafe("```\n{% endraw %}\n```")), "<pre><code>&#123;% endraw %}</code></pre>");
});

test("what Hugo would execute becomes an entity, in code HTML, also in quotes and lists", () => {
  const cased: [string, string][] = [
    ["a {{< b >}} {{% c %}}", "a &#123;{< b >}} &#123;{% c %}}"],
    ["a `{{< *b* >}}` `c`", "a <code>&#123;&#123;&#60; &#42;b&#42; &#62;&#125;&#125;</code> `c`"],
    ["``{{<`x>}}`` b", "<code>&#123;&#123;&#60;&#96;x&#62;&#125;&#125;</code> b"],
    [
      "```go\nx < 1\n\n{{< b >}}\n```\nc",
      '<pre><code class="language-go">x &lt; 1\n\n&#123;&#123;&lt; b &gt;}}</code></pre>\nc',
    ],
    ["- ~~~\n  {{< b >}}\n  ~~~\n- c", "- <pre><code>&#123;&#123;&lt; b &gt;}}</code></pre>\n- c"],
    ["> ```\n> a\n> {{< b >}}\n> ```", "> <pre><code>a\n> &#123;&#123;&lt; b &gt;}}</code></pre>"],
    ["a\n\n    {{< b >}}\n\nc", "a\n\n<pre><code>&#123;&#123;&lt; b &gt;}}</code></pre>\n\nc"],
    ["```\n{{ x }}\n```\n\n{{< y >}}", "```\n{{ x }}\n```\n\n&#123;{< y >}}"],
    ["` a\n\n{{< b >}} `", "` a\n\n&#123;{< b >}} `"],
  ];
  for (const [from, to] of cased) assert.equal(between(templateSafe(from)), to);
});

const part = fc.constantFrom(
  ..."{{< {{% >}} {% endraw %} {{ }} {%-endraw `  `` ``` ~~~ \n \n\n - > 1. # a b &lt; * _ | < \\".split(" "),
  "\n",
  "\n\n",
  "    ",
  "\n```\n",
  "\n\n    ",
  "\n- ",
  "\n> ",
);

test("nothing that is executed is left, whatever the text", () => {
  const property = fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
    const text = templateSafe(parts.join(""));
    if (!text.startsWith(BEGIN)) return;
    assert.doesNotMatch(between(text), /\{\{[<%]|\{%[-+]?\s*endraw/);
  });
  fc.assert(property, { numRuns: cases(20_000) });
});

/** Code that was written as Markdown ends with a line break. */
function html(text: string): string {
  return markdownToHtml(text).replaceAll("\n</code>", "</code>").replaceAll("</pre>\n</li>", "</pre></li>");
}

function decoded(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) =>
    String.fromCharCode(Number(code)).replace("<", "&lt;").replace(">", "&gt;"),
  );
}

test("ordinary texts look the same", () => {
  const texts = ["Use `{{< figure >}}` here.", "```\n{{< a >}}\n```", "- x\n\n  ```\n  {{% a %}}\n    b\n  ```\n- y"];
  for (const text of texts) assert.equal(decoded(html(between(templateSafe(text)))).trim(), html(text).trim());
});

test("Hugo builds a text with shortcodes in every place, and shows them", async (t) => {
  if (spawnSync("hugo", ["version"]).status !== 0) {
    t.skip("there is no hugo");
    return;
  }
  await using folder = await tempFolder();
  for (const name of ["content", "layouts/_default"]) mkdirSync(folder.at(name), { recursive: true });
  writeFileSync(folder.at("config.toml"), "[markup.goldmark.renderer]\nunsafe = true\n");
  writeFileSync(folder.at("layouts/_default/single.html"), "{{ .Content }}");
  const text =
    "a {{< none1 >}} `{{< none2 >}}` {{ x }}\n\n```go\n{{% none3 %}}\n```\n\n- b\n\n  ```\n  {{< none4 >}}\n  ```\n\n    {{< none5 >}}\n";
  writeFileSync(folder.at("content/a.md"), `---\ntitle: A\n---\n\n${templateSafe(text)}\n`);
  const built = spawnSync("hugo", ["--quiet"], { cwd: folder.path, encoding: "utf8" });
  assert.equal(built.status, 0, built.stderr + built.stdout);
  const page = readFileSync(folder.at("public/a/index.html"), "utf8");
  for (const number of [1, 2, 3, 4, 5]) assert.match(page, new RegExp(`none${number}`));
});
