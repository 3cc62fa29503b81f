/** Metadata and sitemaps in the forms that Next.js expects. */
import type { Article, ArticleSummary, RequestedFields, Rostrum } from "@rostrum/client";

/** For `generateMetadata`. `url` is the article's page: absolute, or a path if `metadataBase` is set. */
export function metadataOf(article: ArticleSummary & Partial<RequestedFields>, url: string) {
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
    alternates: { canonical: article.canonical_url ?? url },
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

/** For `app/sitemap.ts`. `url` returns the absolute URL of an article's page. */
export async function sitemapOf(
  rostrum: Rostrum,
  url: (article: Pick<Article, "slug" | "id"> & Pick<RequestedFields, "language">) => string,
  { lang }: OfLanguage = {},
) {
  const entries: { url: string; lastModified: string }[] = [];
  for await (const article of rostrum.articles.all({ lang, fields: ["id", "slug", "updated_at", "language"] })) {
    entries.push({ url: url(article), lastModified: article.updated_at });
  }
  return entries;
}

/** For `generateStaticParams`. */
export async function slugsOf(rostrum: Rostrum, { lang }: OfLanguage = {}): Promise<{ slug: string }[]> {
  const slugs: { slug: string }[] = [];
  for await (const { slug } of rostrum.articles.all({ lang, fields: ["slug"] })) slugs.push({ slug });
  return slugs;
}
