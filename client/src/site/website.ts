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
  /** With `include=language`; BCP 47, null: the website's own. */
  language?: string | null | undefined;
  /** With `include=canonical_url`. Sitemaps leave out an article whose original is on another host. */
  canonical_url?: string | null | undefined;
  /** With `include=translation_group`. */
  translation_group?: string | null | undefined;
  /** With `include=review_record`, of one article: its editor, publisher and source become structured data. */
  review_record?: string | null | undefined;
  /** Pages of the article in all its languages, its own included (`hreflang`). `sitemap` finds them by the translation group. */
  alternates?: readonly Alternate[] | undefined;
}

export interface Alternate {
  /** BCP 47. */
  language: string;
  /** Absolute URL. */
  url: string;
}

/** Adds the alternates of each article that has translations among these. */
export function withAlternates(website: Website, articles: readonly SiteArticle[]): readonly SiteArticle[] {
  const groups = new Map<string, SiteArticle[]>();
  for (const article of articles) {
    const { translation_group: group } = article;
    if (group == null) continue;
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [article]);
    else known.push(article);
  }
  if (groups.size === 0) return articles;
  return articles.map((article) => {
    const group = groups.get(article.translation_group ?? "") ?? [];
    const urls = new Map<string, string>();
    for (const one of group) {
      const language = one.language ?? website.language;
      const url = addressOf(website, one);
      const isListed = language === undefined || urls.has(language) || [...urls.values()].includes(url);
      if (!isListed) urls.set(language, url);
    }
    return urls.size < 2 ? article : { ...article, alternates: toAlternates(urls) };
  });
}

function toAlternates(urls: ReadonlyMap<string, string>): Alternate[] {
  return Array.from(urls, ([language, url]) => ({ language, url }));
}

/** Whether the article's original is on another host than this page: then search engines list that one. */
export function hasOriginalElsewhere(
  { canonical_url: original }: Pick<SiteArticle, "canonical_url">,
  url: string,
): boolean {
  return original != null && URL.canParse(original) && new URL(original).host !== new URL(url).host;
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
