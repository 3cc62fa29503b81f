/** Storage for a site's own copy of the published articles. */
import type { Article, ArticleSummary, Neighbours } from "../types.ts";

/** The list form plus the content: everything a page needs. */
export interface StoredArticle extends ArticleSummary {
  /** The whole body as sanitised HTML. In a copy with another `format`, other fields contain the body. */
  content: string;
}

/** How up to date a copy is; opaque to the store. */
export interface CopyState {
  /** The version of what the key can read, at the last complete update. */
  version: string;
  /** Sequence of the last event in the copy. */
  sequence: number;
  /** The service's time at that update, milliseconds since 1970. */
  date: number;
  /** The requested forms of the content and other fields, sorted. */
  fields: readonly string[];
  /** The language of the copied articles, and the website's own. Absent in a copy of all languages. */
  languages?: readonly (string | null)[];
}

export interface Changes {
  articles: readonly StoredArticle[];
  /** Ids of articles that are no longer published. */
  removed: readonly string[];
  /** Null until the first copy is complete. */
  state: CopyState | null;
}

export interface StoredList {
  limit?: number | undefined;
  offset?: number | undefined;
  /** Case-insensitive. */
  category?: string | undefined;
  tag?: string | undefined;
}

export interface ArticleStore {
  state(): Promise<CopyState | null>;
  ids(): Promise<string[]>;
  /**
   * Applies all changes. A crash may leave the previous copy, or part of the articles without the new state: the next update then
   * applies the changes again.
   */
  apply(changes: Changes): Promise<void>;
  get(id: string): Promise<StoredArticle | null>;
  /** In a copy of one language each slug is unique. */
  getBySlug(slug: string): Promise<StoredArticle | null>;
  /** Without contents, newest publication first. */
  list(query: StoredList): Promise<{ articles: ArticleSummary[]; total: number }>;
}

/** The default order of the service's lists: newest publication first, then by id. */
export function byPublication(one: ArticleSummary, other: ArticleSummary): number {
  const [a, b] = [one.published_at ?? "", other.published_at ?? ""];
  if (a !== b) return a < b ? 1 : -1;
  return one.id < other.id ? -1 : 1;
}

export function page(sorted: readonly ArticleSummary[], { limit = 50, offset = 0, category, tag }: StoredList) {
  const found = sorted.filter((article) => has(article.categories, category) && has(article.tags, tag));
  return { articles: found.slice(offset, offset + limit), total: found.length };
}

/** What is beside the article in a list, the newest first. */
export function neighboursIn(
  sorted: readonly (ArticleSummary & { language?: string | null })[],
  { id: wanted }: Pick<ArticleSummary, "id">,
): Neighbours {
  const at = sorted.findIndex(({ id }) => id === wanted);
  const [previous = null, next = null] = [at - 1, at + 1].map((place) => {
    const one = at < 0 ? undefined : sorted[place];
    if (one === undefined) return null;
    const { id, title, slug, language = null, published_at, platform_url } = one;
    return { id, title, slug, language, published_at, platform_url };
  });
  return { previous, next };
}

export function summaryOf({ content: _content, ...summary }: StoredArticle): ArticleSummary {
  return summary;
}

export function has(labels: readonly string[], wanted: string | undefined): boolean {
  return wanted === undefined || labels.some((label) => label.toLowerCase() === wanted.toLowerCase());
}

/** The part of the detail form that a store keeps. */
export function storedOf(article: Article): StoredArticle {
  const {
    internal_links: _links,
    approved_at: _at,
    quality_metrics: _metrics,
    pipeline_steps: _steps,
    ...stored
  } = article;
  return stored;
}
