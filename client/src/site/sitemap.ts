/** Sitemaps (https://www.sitemaps.org/protocol.html), with images and languages as Google reads them. */
import {
  addressOf,
  changeOf,
  hasOriginalElsewhere,
  type SiteArticle,
  type Website,
  withAlternates,
} from "./website.ts";
import { element, escapeXml } from "./xml.ts";

/** Maximum number of URLs in one file, by the protocol. */
export const MAX_SITEMAP_ADDRESSES = 50_000;

/**
 * @param sitemapUrl absolute URL of a part: 1, 2, 3 … @returns one sitemap or, for more than 50,000 articles, an index and its
 * parts. Articles whose original is elsewhere are left out, if they have `canonical_url`.
 */
export function sitemap(
  website: Website,
  articles: readonly SiteArticle[],
  sitemapUrl: (part: number) => string,
): { index: string; parts: string[] } {
  const parts: string[] = [];
  const own = articles.filter((article) => !hasOriginalElsewhere(article, website.url));
  const all = withAlternates(website, own);
  for (let start = 0; start === 0 || start < all.length; start += MAX_SITEMAP_ADDRESSES) {
    parts.push(sitemapFile(sitemapEntries(website, all.slice(start, start + MAX_SITEMAP_ADDRESSES))));
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return { index: only, parts: [] };
  return { index: sitemapIndex(parts.map((_part, index) => sitemapUrl(index + 1))), parts };
}

/** @param addresses absolute ones of sitemaps. */
export function sitemapIndex(addresses: readonly string[]): string {
  const entries = addresses.map((address) => `<sitemap>${element("loc", address)}</sitemap>`);
  return `<?xml version="1.0" encoding="utf-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join("\n")}
</sitemapindex>
`;
}

/** A part of what `sitemapFile` takes: with many articles you can make it in parts. */
export function sitemapEntries(website: Website, articles: readonly SiteArticle[]): string {
  const entries = articles.map((article) => {
    const { featured_image_url: image } = article;
    const picture = image === null ? "" : `<image:image><image:loc>${escapeXml(image)}</image:loc></image:image>`;
    const links = (article.alternates ?? []).map(
      ({ language, url }) => `<xhtml:link rel="alternate" hreflang="${escapeXml(language)}" href="${escapeXml(url)}"/>`,
    );
    const change = element("lastmod", changeOf(article));
    return `<url>${element("loc", addressOf(website, article))}${change}${links.join("")}${picture}</url>`;
  });
  return entries.join("\n");
}

/** @param entries of `sitemapEntries`, of at most MAX_SITEMAP_ADDRESSES articles together. */
export function sitemapFile(entries: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${entries}
</urlset>
`;
}
