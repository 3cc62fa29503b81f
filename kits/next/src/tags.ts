/** Cache tags: which answers a page has used, and which of them an event makes old. */
import type { ArticleEvent } from "@rostrum/client";

/** All lists of articles. */
const LISTS = "rostrum-lists";
/** All articles that were asked for by their slug. */
const BY_SLUG = "rostrum-by-slug";

/** Next.js ignores longer ones. */
const MAX_TAG_LENGTH = 256;

function articleTag(id: string): string {
  return `rostrum-article-${id}`;
}

function slugTag(slug: string): string {
  const tag = `rostrum-slug-${slug}`;
  return tag.length > MAX_TAG_LENGTH ? BY_SLUG : tag;
}

/** @param path of the read API, such as `/api/public/articles/by-slug/water-for-tea`. */
export function tagsOfPath(path: string): string[] {
  const [, bySlug, name] = /\/articles\/(by-slug\/)?([^/]+)$/.exec(path) ?? [];
  if (name === undefined) return [LISTS];
  const decoded = decodeURIComponent(name);
  return bySlug === undefined ? [articleTag(decoded)] : [BY_SLUG, slugTag(decoded)];
}

/** The tags of all answers that may differ after the event. */
export function tagsOfEvent({ event, data }: ArticleEvent): string[] {
  const tags = [LISTS, articleTag(data.article_id)];
  // The slug that it had before is not known: whatever was asked for by a slug is asked for again.
  if (event === "article.deleted" || (event === "article.updated" && data.updated_fields.includes("slug"))) {
    return [...tags, BY_SLUG];
  }
  return [...tags, slugTag(data.slug)];
}

/** For `cacheTag` in functions with "use cache". */
export const rostrumTags = {
  /** Of a function that reads a list. */
  lists: (): string[] => [LISTS],
  /** Of a function that reads one article. */
  article: (id: string): string[] => [articleTag(id)],
  slug: (slug: string): string[] => [BY_SLUG, slugTag(slug)],
};
