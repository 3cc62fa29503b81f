/** The website, as the functions in this folder need it. They are pure: articles in, text out. */
import type { ArticleSummary, Author } from "../types.ts";

export interface Website {
  /** Absolute URL of the start page. */
  url: string;
  title: string;
  description?: string | undefined;
  /** Language tag (BCP 47), such as `en`. */
  language?: string | undefined;
  /** Path or absolute URL of an article's page. Default: the article's `platform_url`, else `/blog/<slug>`. */
  addressOf?: ((article: ArticleSummary) => string) | undefined;
}

/** @returns the absolute URL of the article's page. */
export function addressOf(website: Website, article: ArticleSummary): string {
  const address = website.addressOf?.(article) ?? article.platform_url ?? `/blog/${encodeURIComponent(article.slug)}`;
  return new URL(address, website.url).href;
}

/** An article with what else a request may have asked for. */
export interface SiteArticle extends ArticleSummary {
  /** With `include=authors`. */
  authors?: readonly Author[] | undefined;
  /** With `include=updated_at`; ISO 8601. */
  updated_at?: string | undefined;
}

/** The last change, else the publication; null for an article that was never published. */
export function changeOf({ updated_at, published_at }: SiteArticle): string | null {
  return updated_at ?? published_at;
}

export function descriptionOf({ meta_description, excerpt }: ArticleSummary): string {
  return meta_description ?? excerpt;
}

/** The latest change of the articles, ISO 8601; null if there is none. */
export function newestOf(articles: readonly SiteArticle[]): string | null {
  return articles.reduce<string | null>((newest, article) => {
    const change = changeOf(article);
    return change !== null && change > (newest ?? "") ? change : newest;
  }, null);
}
