/** Every function that reads what strangers write, from one text. Refusals by an AppError are answers, too. */
import { replaceInSource } from "../../../src/domain/articles/comment.ts";
import { BLANK_SOURCE } from "../../../src/domain/articles/content/content-source.ts";
import { deriveContent } from "../../../src/domain/articles/content/content.ts";
import { toExcerpt } from "../../../src/domain/articles/content/excerpt.ts";
import { htmlToMarkdown } from "../../../src/domain/articles/content/markdown/gfm.ts";
import { Keyword, searchTokens } from "../../../src/domain/articles/content/measure/search.ts";
import { detectLanguage } from "../../../src/content-processes/language.ts";
import { markdownToHtml } from "../../../src/domain/articles/content/markdown/markdown.ts";
import {
  countSentences,
  countSyllables,
  readingEase,
  words,
} from "../../../src/domain/articles/content/measure/words.ts";
import { sanitiseHtml } from "../../../src/domain/articles/content/html/sanitise.ts";
import { scanHtml } from "../../../src/domain/articles/content/html/html-scanner.ts";
import { slugify, validSlug } from "../../../src/domain/articles/content/slug.ts";
import { redline } from "../../../src/domain/articles/content/redline/redline.ts";
import { followInText, withoutSpace } from "../../../src/domain/articles/passages.ts";
import { absoluteUrl, slugOfPath } from "../../../src/importers/urls.ts";
import { parseTime } from "../../../src/importers/dates.ts";
import { splitFrontMatter } from "../../../src/importers/markdown/front-matter.ts";
import { readHtmlFile } from "../../../src/importers/html/html-page.ts";
import { wxrItems } from "../../../src/importers/wordpress/wxr-items.ts";
import { XmlRepair } from "../../../src/importers/xml.ts";
import { readMarkdownFile } from "../../../src/importers/markdown/markdown.ts";
import { plainText } from "../../../src/importers/html/html-tree.ts";
import { contentOfWordPress } from "../../../src/importers/wordpress/wordpress-text.ts";

const context = { websiteUrl: "https://example.com", now: 0 };
const source = { ...BLANK_SOURCE, targetKeyword: "a", websiteUrl: "https://example.com" };

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text.toWellFormed());
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

export const GROWTH_ENTRIES: Record<string, (text: string) => unknown> = {
  "Markdown to HTML": (text) => markdownToHtml(text),
  "HTML scanned": (text) => scanHtml(text),
  "HTML sanitised": (text) => sanitiseHtml(text),
  "HTML to Markdown": (text) => htmlToMarkdown(sanitiseHtml(text).tree),
  "an article of HTML": (text) => deriveContent({ ...source, html: text }, { clock: () => 0, detectLanguage }),
  "an article of Markdown": (text) => deriveContent({ ...source, markdown: text }, { clock: () => 0, detectLanguage }),
  excerpt: (text) => toExcerpt(text, text),
  words: (text) => words(text),
  sentences: (text) => countSentences(text),
  "reading ease": (text) =>
    ["en", "de", "es", "fr", "it", "nl", "pt", "ru"].map((code) => {
      const all = words(text);
      const spoken = countSyllables(code, all, [Array.from(all.keys())]);
      return readingEase(code, { words: all.length, ...spoken }, 1);
    }),
  language: (text) => detectLanguage(text),
  "search tokens": (text) => searchTokens(text),
  keyword: (text) => new Keyword(text.slice(0, 500)).count(text),
  slug: (text) => [slugify(text.slice(0, 1000)), validSlug(text)],
  "front matter of YAML": (text) => splitFrontMatter(`---\n${text}\n---\nx`),
  "front matter of TOML": (text) => splitFrontMatter(`+++\n${text}\n+++\nx`),
  "front matter of JSON": (text) => splitFrontMatter(`{\n${text}\n}\nx`),
  "front matter": (text) => splitFrontMatter(text),
  "front matter after its fence": (text) => splitFrontMatter(`---${text}`),
  "a file of Markdown": (text) => readMarkdownFile("a.md", text, "markdown", context),
  "a Jekyll post": (text) =>
    readMarkdownFile("_posts/2020-01-01-a.md", `---\nlayout: post\n---\n${text}`, "markdown", context),
  "a file of HTML": (text) => readHtmlFile("a.html", `<html><body><article><h1>A</h1>${text}`, context),
  "a post of Medium": (text) =>
    readHtmlFile(
      "a.html",
      `<html><article class="h-entry"><h1 class="p-name">A</h1><section data-field="body">${text}`,
      context,
    ),
  "a bit of HTML": (text) => readHtmlFile("a.html", `<h1>A</h1>${text}`, context),
  "a WordPress post": (text) => contentOfWordPress(text),
  "a WordPress title": (text) => plainText(`&lt;${text}`),
  "a WordPress export": async (text) => {
    let last;
    for await (const item of wxrItems(bytesOf(`<?xml version="1.0"?><rss><channel><item><title>${text}`))) last = item;
    return last;
  },
  "a WordPress export's text": async (text) => {
    let last;
    const xml = `<rss><channel><item><content:encoded><![CDATA[${text}]]></content:encoded></item></channel></rss>`;
    for await (const item of wxrItems(bytesOf(xml))) last = item;
    return last;
  },
  "XML mended": (text) => new XmlRepair().write(text, true),
  "a time": (text) => parseTime(text),
  "what changed in an article": (text) => {
    const article = (html: string) => ({ title: text.slice(0, 500), html, imageUrl: null, imageAlt: null });
    const half = Math.floor(text.length / 2);
    return redline(
      article(sanitiseHtml(text).html),
      article(sanitiseHtml(`${text.slice(half)}<p>new</p>${text.slice(0, half)}`).html),
    );
  },
  "passages of comments": (text) => {
    const from = withoutSpace(text);
    const step = Math.max(1, Math.floor(from.length / 100));
    const passages = Array.from({ length: 100 }, (_none, at) => ({ start: at * step, end: (at + 3) * step })).filter(
      ({ end }) => end <= from.length,
    );
    const half = Math.floor(text.length / 2);
    return followInText({ from, to: `${text.slice(half)} new ${text.slice(0, half)}`, passages });
  },
  "a suggested replacement": (text) => {
    const visible = withoutSpace(text);
    const passage = { start: Math.floor(visible.length / 2), end: visible.length };
    const markdown = { source: "markdown", content: text, text: visible, passage, replacement: text } as const;
    return [replaceInSource(markdown), replaceInSource({ ...markdown, source: "html" })];
  },
  "an address": (text) => [absoluteUrl(`https://${text}`, null), slugOfPath(text)],
};

/** Readers that are as slow as none of ours may be: the measurement has to see it. */
export const PLANTED: Record<string, (text: string) => unknown> = {
  // Once takes less than the shortest time that `findGrowth` judges, on a fast machine.
  "an expression that looks again from each place": (text) => Array.from({ length: 3 }, () => /a*b/.test(text)),
};
