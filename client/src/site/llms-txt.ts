/** `llms.txt` (https://llmstxt.org): the website's articles for language models, as Markdown. */
import type { ArticleSummary } from "../types.ts";
import { addressOf, descriptionOf, type Website } from "./website.ts";

/** @param markdownUrl where the article's Markdown is, if it is served; default: its page. */
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

/** The text in one line, with nothing in it that Markdown would take for a link. */
function inLine(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[[\]\\]/g, (character) => `\\${character}`)
    .trim();
}
