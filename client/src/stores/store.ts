/** Where a site keeps its own copy of the published articles. */
import type { Article, ArticleSummary } from "../types.ts";

/** The list form and the content: what a page needs. */
export interface StoredArticle extends ArticleSummary {
  /** The whole body as sanitised HTML. With another `format`, other fields hold it. */
  content: string;
}

/** How far a copy is; the store keeps it and looks at nothing in it. */
export interface CopyState {
  /** The version of what the key reads, at the last complete look. */
  version: string;
  /** The last event that is in the copy. */
  sequence: number;
  /** The service's time of that look, milliseconds since 1970. */
  date: number;
}

export interface Changes {
  articles: readonly StoredArticle[];
  /** Ids of articles that are no longer published. */
  removed: readonly string[];
  /** Null while the first copy is not complete. */
  state: CopyState | null;
}

export interface StoredList {
  limit?: number | undefined;
  offset?: number | undefined;
  /** Regardless of case. */
  category?: string | undefined;
  tag?: string | undefined;
}

export interface ArticleStore {
  state(): Promise<CopyState | null>;
  ids(): Promise<string[]>;
  /**
   * Applies all of it; what a crash leaves must be what was there before, or a part of the articles without the new state,
   * so that the next look does it again.
   */
  apply(changes: Changes): Promise<void>;
  get(id: string): Promise<StoredArticle | null>;
  getBySlug(slug: string): Promise<StoredArticle | null>;
  /** Without contents, by the day of publication, the newest first. */
  list(query: StoredList): Promise<{ articles: ArticleSummary[]; total: number }>;
}

/** The order of the service's list: published last first, then by id. */
export function byPublication(one: ArticleSummary, other: ArticleSummary): number {
  const [a, b] = [one.published_at ?? "", other.published_at ?? ""];
  if (a !== b) return a < b ? 1 : -1;
  return one.id < other.id ? -1 : 1;
}

export function page(sorted: readonly ArticleSummary[], { limit = 50, offset = 0, category, tag }: StoredList) {
  const found = sorted.filter((article) => has(article.categories, category) && has(article.tags, tag));
  return { articles: found.slice(offset, offset + limit), total: found.length };
}

export function summaryOf({ content: _content, ...summary }: StoredArticle): ArticleSummary {
  return summary;
}

function has(labels: readonly string[], wanted: string | undefined): boolean {
  return wanted === undefined || labels.some((label) => label.toLowerCase() === wanted.toLowerCase());
}

/** What a store keeps of the detail form. */
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
