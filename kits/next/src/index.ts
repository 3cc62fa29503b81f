export { createRostrum, type NextRostrum, type PageArticle, rostrumFetch } from "./client.ts";
export { createDraftHandlers, previewOptions } from "./draft.ts";
export { metadataOf, sitemapOf, slugsOf } from "./pages.ts";
export { createSite, type SiteOptions } from "./site.ts";
export { rostrumCacheLife, rostrumTags } from "./tags.ts";
export { createWebhookHandler, type WebhookHandlerOptions } from "./webhook.ts";
