/**
 * Finds articles while the user types. The service finds words in the full text; unfinished words are matched with the titles of
 * the most recently changed articles.
 */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ArticlePage, ArticleView } from "../../../src/http/admin/contract/articles.ts";
import { get } from "../api/client.ts";

export const MAX_FOUND = 10;
const RECENT = 100;

export function foundArticlesQuery(websiteId: string, view: ArticleView, q: string) {
  const query = { website_id: websiteId, view, q, limit: MAX_FOUND };
  return queryOptions({
    queryKey: ["articles", websiteId, "find", query],
    queryFn: ({ signal }) => get<ArticlePage>("/articles", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

export function recentArticlesQuery(websiteId: string, view: ArticleView) {
  const query = { website_id: websiteId, view, sort: "-updated_at", limit: RECENT };
  return queryOptions({
    queryKey: ["articles", websiteId, "list", query],
    queryFn: ({ signal }) => get<ArticlePage>("/articles", { query, signal }),
  });
}

/** Whether each word of the text begins a word of the label, in any order. */
export function matchesWords(label: string, text: string): boolean {
  const words = fold(label).split(/[^\p{L}\p{N}]+/u);
  return fold(text)
    .split(/\s+/)
    .every((wanted) => words.some((word) => word.startsWith(wanted)));
}

/** How well a title fits what is typed: 0 the same, 1 begins so, 2 has words that begin so, 3 has them elsewhere. */
export function rankTitle(title: string, text: string): 0 | 1 | 2 | 3 {
  const [of, wanted] = [simplify(title), simplify(text)];
  if (of === wanted) return 0;
  if (of.startsWith(wanted)) return 1;
  return matchesWords(title, text) ? 2 : 3;
}

function simplify(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
