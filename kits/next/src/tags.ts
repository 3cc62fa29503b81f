/** Cache tags: which answers a page has used, and which of them an event expires. */
import type { ArticleEvent } from "@rostrum/client";
import { withChanges } from "./changes.ts";

/** Covers all lists of articles. */
const LISTS = "rostrum-lists";
/** Covers all articles that were read by slug. */
const BY_SLUG = "rostrum-by-slug";
/** Covers all articles that were read with their neighbours. */
const NEIGHBOURS = "rostrum-neighbours";
/** A change of one of these shows on the pages of the articles beside it. */
const NEIGHBOUR_FIELDS = new Set(["title", "slug", "published_at", "platform_url", "language"]);

/** Next.js ignores longer tags. */
const MAX_TAG_LENGTH = 256 - "@".length - String(Number.MAX_SAFE_INTEGER).length;

function articleTag(id: string): string {
  return `rostrum-article-${id}`;
}

function slugTag(slug: string): string {
  const tag = `rostrum-slug-${encodeURIComponent(slug)}`;
  return tag.length > MAX_TAG_LENGTH ? BY_SLUG : tag;
}

/** @param path of the read API, such as `/api/public/articles/by-slug/water-for-tea`, and its query. */
export function tagsOfPath(path: string, query = new URLSearchParams()): string[] {
  const [, bySlug, name] = /\/articles\/(by-slug\/)?([^/]+)$/.exec(path) ?? [];
  if (name === undefined) return [LISTS];
  const decoded = decodeURIComponent(name);
  const own = bySlug === undefined ? [articleTag(decoded)] : [BY_SLUG, slugTag(decoded)];
  const fields = `${query.get("include")},${query.get("fields")}`.split(",");
  return fields.includes("neighbours") ? [...own, NEIGHBOURS] : own;
}

/** The tags of all answers that the event may change. */
export function tagsOfEvent({ event, data }: ArticleEvent): string[] {
  const { slug, updated_fields: fields } = data as { slug?: string; updated_fields?: string[] };
  const changed = fields ?? [];
  const showsBeside = fields === undefined || fields.some((field) => NEIGHBOUR_FIELDS.has(field));
  const tags = [LISTS, articleTag(data.article_id), ...(showsBeside ? [NEIGHBOURS] : [])];
  // The event does not name the former slug, and a thin event names none: everything that was read by slug expires.
  if (event === "article.deleted" || slug === undefined || changed.includes("slug")) return [...tags, BY_SLUG];
  return [...tags, slugTag(slug)];
}

/** For `cacheTag` in functions with "use cache" that do not read by the client; what the client reads is tagged already. */
export const rostrumTags = {
  /** For a function that reads a list. */
  lists: (): string[] => withChanges([LISTS]),
  /** For a function that reads one article. */
  article: (id: string): string[] => withChanges([articleTag(id)]),
  slug: (slug: string): string[] => withChanges([BY_SLUG, slugTag(slug)]),
  /** For a function that reads an article with its neighbours, beside the article's own tags. */
  neighbours: (): string[] => withChanges([NEIGHBOURS]),
};

/**
 * For `cacheLife` in functions with "use cache", whose entries webhooks invalidate: after a day in case a webhook is lost,
 * and in browsers after 30 seconds, the minimum of Next.js.
 */
export const rostrumCacheLife = { stale: 30, revalidate: 86_400, expire: 31_536_000 };
