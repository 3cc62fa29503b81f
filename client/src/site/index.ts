export { atomFeed, type FeedOptions, jsonFeed, rssFeed } from "./feeds.ts";
export { jsonLd } from "./json-ld.ts";
export { llmsTxt } from "./llms-txt.ts";
export { sitemap } from "./sitemap.ts";
export type { Website } from "./website.ts";
