import { parseHtml, visibleText } from "./html-tree.ts";

/** The visible text of a bit of HTML: titles and summaries that come with tags and entities. */
export function plainText(html: string): string {
  return /[<&]/.test(html) ? visibleText(parseHtml(html, true)) : html.trim();
}

/** The same on one line, for titles. */
export function plainLine(html: string): string {
  return plainText(html).replace(/\s+/g, " ");
}

/** A title where the source has none: `my-first_post` is "My first post". */
export function titleOfSlug(slug: string): string {
  const words = slug.replace(/[-_\s]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
