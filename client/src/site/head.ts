import type { RequestedFields } from "../types.ts";
import { jsonLd } from "./json-ld.ts";
import { addressOf, descriptionOf, type SiteArticle, type Website } from "./website.ts";
import { element, escapeXml } from "./xml.ts";

/** The fields that an article's page and the sitemap use beyond those of every article: pass them as `include`. */
export const PAGE_FIELDS = [
  "authors",
  "meta_title",
  "canonical_url",
  "language",
  "translation_group",
  "updated_at",
] as const;

/**
 * The elements of an article's page for search engines and link previews, for its `<head>`: title, description, canonical address, links to
 * its `alternates` (`hreflang`), Open Graph, structured data.
 */
export function headTags(
  website: Website,
  article: SiteArticle & Partial<Pick<RequestedFields, "meta_title">>,
): string {
  const url = addressOf(website, article);
  const title = article.meta_title ?? article.title;
  const description = descriptionOf(article);
  const image = article.featured_image_url;
  const properties: [string, string | null | undefined][] = [
    ["og:type", "article"],
    ["og:title", title],
    ["og:description", description],
    ["og:url", url],
    ["og:site_name", website.title],
    ["og:image", image],
    ["og:image:alt", image === null ? null : article.featured_image_alt],
    ["article:published_time", article.published_at],
    ...article.tags.map((tag): [string, string] => ["article:tag", tag]),
  ];
  const metas = properties.map(([property, content]) => (content ? meta("property", property, content) : ""));
  const canonical = `<link rel="canonical" href="${escapeXml(article.canonical_url ?? url)}">`;
  const alternates = (article.alternates ?? []).map(
    ({ language, url: page }) => `<link rel="alternate" hreflang="${escapeXml(language)}" href="${escapeXml(page)}">`,
  );
  const structured = `<script type="application/ld+json">${jsonLd(website, article)}</script>`;
  return [
    element("title", title),
    meta("name", "description", description),
    canonical,
    ...alternates,
    ...metas,
    structured,
  ].join("");
}

function meta(kind: "name" | "property", name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escapeXml(content)}">`;
}
