import { parseHtml, elementText } from "./html-tree.ts";

/** The visible text of an HTML fragment: titles and summaries may contain tags and entities. */
export function plainText(html: string): string {
  return /[<&]/.test(html) ? elementText(parseHtml(html, true)) : html.trim();
}

/** The same on one line, for titles. */
export function plainLine(html: string): string {
  return plainText(html).replace(/\s+/g, " ");
}

/** A title derived from the slug: `my-first_post` becomes "My first post". */
export function titleOfSlug(slug: string): string {
  const words = slug.replace(/[-_\s]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
