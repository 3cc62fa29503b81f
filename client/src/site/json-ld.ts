/** Structured data by schema.org's vocabulary: `BlogPosting` and `BreadcrumbList`. */
import { addressOf, descriptionOf, type SiteArticle, type Website } from "./website.ts";

/** @returns the text of a `<script type="application/ld+json">`; it cannot end that element. */
export function jsonLd(website: Website, article: SiteArticle): string {
  const url = addressOf(website, article);
  const { featured_image_url: image, published_at, word_count, seo_keywords, categories, authors = [] } = article;
  const people = authors.map((author) => ({ "@type": "Person", name: author.name, url: author.url ?? undefined }));
  const posting = {
    "@type": "BlogPosting",
    "@id": `${url}#article`,
    mainEntityOfPage: url,
    headline: article.title,
    description: descriptionOf(article),
    author: people.length === 0 ? undefined : people,
    datePublished: published_at ?? undefined,
    dateModified: article.updated_at,
    image: image ?? undefined,
    inLanguage: article.language ?? website.language,
    wordCount: word_count,
    keywords: seo_keywords.length === 0 ? undefined : seo_keywords,
    articleSection: categories.length === 0 ? undefined : categories,
    publisher: { "@type": "Organization", name: website.title, url: website.url },
  };
  const breadcrumbs = {
    "@type": "BreadcrumbList",
    itemListElement: [
      { "@type": "ListItem", position: 1, name: website.title, item: website.url },
      { "@type": "ListItem", position: 2, name: article.title, item: url },
    ],
  };
  const graph = { "@context": "https://schema.org", "@graph": [posting, breadcrumbs] };
  return JSON.stringify(graph).replaceAll("<", String.raw`\u003c`);
}
