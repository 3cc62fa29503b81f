import type { ArticleSummary } from "../types.ts";
import { type ArticleStore, byPublication, type CopyState, page, type StoredArticle, summaryOf } from "./store.ts";

/** Stores the copy in memory: after each start, the first update reads everything again. */
export function memoryStore(): ArticleStore {
  const articles = new Map<string, StoredArticle>();
  const slugs = new Map<string, string>();
  let sorted: ArticleSummary[] | null = null;
  let state: CopyState | null = null;
  const remove = (id: string) => {
    const before = articles.get(id);
    if (before !== undefined && slugs.get(before.slug) === id) slugs.delete(before.slug);
    articles.delete(id);
  };
  return {
    state: async () => state,
    ids: async () => [...articles.keys()],
    async apply(changes) {
      for (const id of changes.removed) remove(id);
      for (const article of changes.articles) remove(article.id);
      for (const article of changes.articles) {
        articles.set(article.id, article);
        slugs.set(article.slug, article.id);
      }
      sorted = null;
      state = changes.state;
    },
    get: async (id) => articles.get(id) ?? null,
    getBySlug: async (slug) => articles.get(slugs.get(slug) ?? "") ?? null,
    async list(query) {
      sorted ??= [...articles.values()].map(summaryOf).sort(byPublication);
      return page(sorted, query);
    },
  };
}
