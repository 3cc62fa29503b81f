export type {
  ArticlePage,
  Articles,
  ContentFormat,
  Detailed,
  DetailParameters,
  Listed,
  ListParameters,
} from "./articles.ts";
export { createClient, type Rostrum } from "./client.ts";
export { RostrumError, WebhookVerificationError } from "./errors.ts";
export { type EventPage, type Events, type FollowOptions } from "./events.ts";
export type { Label, Redirect } from "./labels.ts";
export { listPage, type ListPage, type ListPageOptions } from "./list-page.ts";
export { type Mirror, type MirrorOptions } from "./mirror.ts";
export { memoryStore } from "./stores/memory-store.ts";
export { neighboursIn } from "./stores/store.ts";
export type { ArticleStore, Changes, CopyState, StoredArticle, StoredList } from "./stores/store.ts";
export type { SyncOptions, SyncResult, SyncStore } from "./sync.ts";
export type { RequestOptions, TransportOptions } from "./transport.ts";
export type * from "./types.ts";
export { type SignedRequest, verifyWebhook, type WebhookMessage } from "./webhook.ts";
