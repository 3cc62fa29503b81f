/** `llms.txt` (https://llmstxt.org): lists the website's articles for language models, as Markdown. */
import type { ArticleSummary } from "../types.ts";
import { addressOf, descriptionOf, type Website } from "./website.ts";

/** @param markdownUrl URL of an article's Markdown, if the site serves it; by default, the article's page. */
export function llmsTxt(
  website: Website,
  articles: readonly ArticleSummary[],
  markdownUrl: (article: ArticleSummary) => string = (article) => addressOf(website, article),
): string {
  const lines = articles.map(
    (article) => `- [${inLine(article.title)}](${markdownUrl(article)}): ${inLine(descriptionOf(article))}`,
  );
  const about = website.description === undefined ? "" : `> ${inLine(website.description)}\n\n`;
  return `# ${inLine(website.title)}\n\n${about}## Articles\n\n${lines.join("\n")}\n`;
}

/** The text on one line, with everything escaped that Markdown would take for a link, a tag or another mark. */
export function inLine(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[[\]\\<`*_]|&(?=[#\w]+;)/g, (character) => `\\${character}`)
    .trim();
}
