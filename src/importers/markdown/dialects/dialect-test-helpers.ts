import assert from "node:assert/strict";
import { deriveContent } from "../../../domain/articles/content/content.ts";
import { BLANK_SOURCE } from "../../../domain/articles/content/content-source.ts";
import { NO_SITE, type Site } from "../../site.ts";
import { readMarkdownFile } from "../markdown.ts";

/** A text, its article as it is delivered, and what the import warns of. */
export type DialectCase = readonly [text: string, html: string, warnings?: readonly string[]];

interface Article {
  /** The file's path within the import. */
  name: string;
  frontMatter: string;
  site: Partial<Site>;
  /** Files of the site by their paths. */
  files: Readonly<Record<string, string>>;
}

/** Imports the text as the article's, and compares all that is delivered. */
export function assertDialect(article: Article, [text, html, warnings = []]: DialectCase): void {
  const { name, frontMatter, files } = article;
  const readFile = (path: string) => (Object.hasOwn(files, path) ? (files[path] ?? null) : null);
  const site = { ...NO_SITE, root: "/site", ...article.site, readFile };
  const item = readMarkdownFile(name, `---\n${frontMatter}\n---\n${text}\n`, "markdown", {
    websiteUrl: null,
    now: Date.UTC(2026, 0, 15),
    site,
  });
  assert.ok(item.kind === "draft");
  const deps = { clock: () => 0, detectLanguage: () => null };
  const made = deriveContent({ ...BLANK_SOURCE, markdown: item.input.markdown ?? "" }, deps);
  assert.equal(made.html.trimEnd(), html);
  assert.deepEqual(
    (item.warnings ?? []).map(({ detail }) => detail),
    warnings,
  );
}
