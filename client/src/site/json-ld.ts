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
    ...describeReview(article.review_record),
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

/** The parts of a review record's payload that structured data has a place for. */
interface Reviewed {
  origin?: { digital_source_type: string };
  review: { person: string; is_pseudonym: boolean };
  responsible: { name: string; url: string | null };
}

/** The record comes from the service, over its own connection, and is not verified here. */
function describeReview(jws: string | null | undefined): object {
  if (jws == null) return {};
  const [, payload = ""] = jws.split(".");
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );
  // The service signed it in this form.
  const { origin, review, responsible } = JSON.parse(new TextDecoder().decode(bytes)) as Reviewed;
  const type = origin?.digital_source_type.split("/").at(-1) ?? "";
  return {
    publisher: { "@type": "Organization", name: responsible.name, url: responsible.url ?? undefined },
    ...(review.is_pseudonym ? {} : { editor: { "@type": "Person", name: review.person } }),
    // schema.org names the IPTC's types with a capital letter.
    ...(type === ""
      ? {}
      : { digitalSourceType: `https://schema.org/${type.charAt(0).toUpperCase()}${type.slice(1)}DigitalSource` }),
  };
}
