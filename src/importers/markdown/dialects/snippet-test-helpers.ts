import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sanitiseHtml } from "../../../domain/articles/content/html/sanitise.ts";
import { markdownToHtml } from "../../../domain/articles/content/markdown/markdown.ts";
import { Warnings } from "../../../domain/articles/warnings.ts";
import { NO_SITE } from "../../site.ts";
import { FrontMatterFields } from "../front-matter.ts";
import type { Dialect } from "./dialect.ts";

/** Files of the site, by their paths. */
const FILES: Readonly<Record<string, string>> = {
  "docs/part.md": "Included **words**.\n",
  "blog/loop.md": "Once.\n\n<!--@include: ./loop.md-->\n",
  "docs/self.md": '---\ntitle: Self\n---\nWords.\n--8<-- "self.md"\n',
  "blog/_part.mdx": "---\na: 1\n---\nPart <Note>of</Note> it.\n",
  "snippets/a.js": "let a = 1;\n",
};

/** By its name, a text as the generator has it, its HTML, and the constructs of which people are warned. */
export type Snippets = Readonly<Record<string, readonly [text: string, html: string, ...warnings: string[]]>>;

export function testSnippets(dialect: Dialect, snippets: Snippets): void {
  describe(dialect.label, () => {
    for (const [name, [text, html, ...warnings]] of Object.entries(snippets))
      test(name, () => assert.deepEqual(convertSnippet(dialect, text), { html, warnings }));
  });
}

export function convertSnippet(dialect: Dialect, text: string): { html: string; warnings: string[] } {
  const warnings = new Warnings();
  const name = dialect.name === "pelican" ? "content/posts/a.md" : `blog/a.${dialect.name === "mdx" ? "mdx" : "md"}`;
  const markdown = dialect.convert(text, {
    name,
    pathInSite: name,
    fields: new FrontMatterFields({ title: "The title", author: { name: "Ann" }, price: 5 }),
    language: "markdown",
    site: {
      ...NO_SITE,
      dialect: dialect.name,
      values: { site_name: "Tea site" },
      readFile: (path) => FILES[path] ?? null,
    },
    warnings,
  });
  const { html } = sanitiseHtml(markdownToHtml(markdown));
  return { html, warnings: warnings.list.map(({ detail }) => detail) };
}
