/** Sitemaps (https://www.sitemaps.org/protocol.html), with images as Google reads them. */
import type { ArticleSummary } from "../types.ts";
import { addressOf, type Website } from "./website.ts";
import { element, escapeXml } from "./xml.ts";

/** Maximum number of URLs in one file, by the protocol. */
const MAX_ADDRESSES = 50_000;

/**
 * @param sitemapUrl absolute URL of a part: 1, 2, 3 … @returns one sitemap or, for more than 50,000 articles, an index and its
 * parts.
 */
export function sitemap(
  website: Website,
  articles: readonly ArticleSummary[],
  sitemapUrl: (part: number) => string,
): { index: string; parts: string[] } {
  const parts: string[] = [];
  for (let start = 0; start === 0 || start < articles.length; start += MAX_ADDRESSES) {
    parts.push(urlSet(website, articles.slice(start, start + MAX_ADDRESSES)));
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return { index: only, parts: [] };
  const entries = parts.map((_part, index) => `<sitemap>${element("loc", sitemapUrl(index + 1))}</sitemap>`);
  const index = `<?xml version="1.0" encoding="utf-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join("\n")}
</sitemapindex>
`;
  return { index, parts };
}

function urlSet(website: Website, articles: readonly ArticleSummary[]): string {
  const entries = articles.map((article) => {
    const { featured_image_url: image, published_at } = article;
    const picture = image === null ? "" : `<image:image><image:loc>${escapeXml(image)}</image:loc></image:image>`;
    return `<url>${element("loc", addressOf(website, article))}${element("lastmod", published_at)}${picture}</url>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
${entries.join("\n")}
</urlset>
`;
}
