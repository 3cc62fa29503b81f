/** Metadata and sitemaps in the forms that Next.js expects. */
import type { ArticleSummary, RequestedFields, Rostrum, Translation } from "@rostrum/client";

interface MetadataOptions {
  /** The page of each translation, if the article has `translations`. */
  translationUrl?: ((translation: Translation) => string) | undefined;
  /** The website's own language, a BCP 47 tag, for articles and translations that name none. */
  language?: string | undefined;
}

/** For `generateMetadata`. URLs are absolute, or paths if `metadataBase` is set. @param url of the article's page. */
export function metadataOf(
  article: ArticleSummary & Partial<RequestedFields>,
  url: string,
  { translationUrl, language }: MetadataOptions = {},
) {
  const languages = translationUrl === undefined ? undefined : languagesOf(article, url, translationUrl, language);
  const description = article.meta_description ?? article.excerpt;
  const image = article.featured_image_url;
  const { authors = [], meta_title: metaTitle } = article;
  return {
    title: metaTitle ?? article.title,
    description,
    keywords: article.seo_keywords,
    ...(authors.length === 0
      ? {}
      : { authors: authors.map(({ name, url: page }) => (page === null ? { name } : { name, url: page })) }),
    alternates: { canonical: article.canonical_url ?? url, ...(languages === undefined ? {} : { languages }) },
    openGraph: {
      type: "article" as const,
      title: article.title,
      description,
      url,
      tags: article.tags,
      ...(article.published_at === null ? {} : { publishedTime: article.published_at }),
      ...(image === null ? {} : { images: [{ url: image, alt: article.featured_image_alt ?? "" }] }),
    },
  };
}

interface OfLanguage {
  /** Only articles in this language, a BCP 47 tag. */
  lang?: string | undefined;
}

export interface SitemapEntry {
  url: string;
  lastModified: string;
  alternates?: { languages: Record<string, string> };
}

/**
 * For `app/sitemap.ts`. Links translations to each other (`hreflang`); with `lang`, those whose page has an address of their language.
 * @param url the absolute URL of the page of an article, or of a translation; its `language` is null only if the website names none.
 */
export async function sitemapOf(
  rostrum: Rostrum,
  url: (article: Translation) => string,
  { lang }: OfLanguage = {},
): Promise<SitemapEntry[]> {
  const { language: own } = await rostrum.state();
  const pageOf = ({ id, slug, language }: Translation) => url({ id, slug, language: language ?? own });
  // At the address that it would have in `lang`, this site has another article, or none.
  const isElsewhere = (one: Translation) => lang === undefined || pageOf(one) !== pageOf({ ...one, language: lang });
  const entries: SitemapEntry[] = [];
  const fields = ["id", "slug", "canonical_url", "updated_at", "language", "translations"] as const;
  for await (const article of rostrum.articles.all({ lang, fields })) {
    const page = pageOf({ ...article, language: lang ?? article.language });
    const { canonical_url: original } = article;
    // Search engines list the original, on its own host.
    if (original !== null && URL.canParse(original) && new URL(original).host !== new URL(page).host) continue;
    const translations = article.translations.filter(isElsewhere);
    const languages = languagesOf({ ...article, translations }, page, pageOf, own);
    entries.push({
      url: page,
      lastModified: article.updated_at,
      ...(languages === undefined ? {} : { alternates: { languages } }),
    });
  }
  return entries;
}

/** The pages of an article in all its languages, its own included; undefined if there is only one. Each address has one language. */
function languagesOf(
  article: Partial<RequestedFields>,
  url: string,
  translationUrl: (translation: Translation) => string,
  websiteLanguage: string | null | undefined,
): Record<string, string> | undefined {
  const { language = null, translations = [] } = article;
  const pages = new Map<string, string>();
  const add = (named: string | null | undefined, page: string) => {
    if (named != null && !pages.has(named) && ![...pages.values()].includes(page)) pages.set(named, page);
  };
  add(language ?? websiteLanguage, url);
  for (const one of translations) add(one.language ?? websiteLanguage, translationUrl(one));
  return pages.size < 2 ? undefined : Object.fromEntries(pages);
}

/** For `generateStaticParams`. */
export async function slugsOf(rostrum: Rostrum, { lang }: OfLanguage = {}): Promise<{ slug: string }[]> {
  const slugs: { slug: string }[] = [];
  for await (const { slug } of rostrum.articles.all({ lang, fields: ["slug"] })) slugs.push({ slug });
  return slugs;
}
