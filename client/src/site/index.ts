export { atomFeed, type FeedArticle, type FeedOptions, jsonFeed, rssFeed } from "./feeds.ts";
export { headTags, PAGE_FIELDS } from "./head.ts";
export { jsonLd } from "./json-ld.ts";
export { llmsTxt } from "./llms-txt.ts";
export { MAX_SITEMAP_ADDRESSES, sitemap, sitemapEntries, sitemapIndex, sitemapFile } from "./sitemap.ts";
export { PICTURE_WIDTHS, pictureSrcset } from "./srcset.ts";
export type { Alternate, SiteArticle, Website } from "./website.ts";
