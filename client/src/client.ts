import { Articles } from "./articles.ts";
import { Events } from "./events.ts";
import { type Label, fetchLabels, fetchRedirects, type Redirect } from "./labels.ts";
import { Mirror, type MirrorOptions } from "./mirror.ts";
import { sync, type SyncOptions, type SyncResult, type SyncStore } from "./sync.ts";
import { type RequestOptions, Transport, type TransportOptions } from "./transport.ts";
import type { WebsiteState } from "./types.ts";

export interface Rostrum {
  articles: Articles;
  events: Events;
  /** The labels of all published articles, the most frequent first. */
  tags: (options?: RequestOptions) => Promise<Label[]>;
  categories: (options?: RequestOptions) => Promise<Label[]>;
  /** Every earlier slug and address with the current one, for redirects on static sites. */
  redirects: (options?: RequestOptions) => AsyncIterable<Redirect>;
  state: (options?: RequestOptions) => Promise<WebsiteState>;
  /** Updates a copy of the published articles once, for builds. The first run reads everything. */
  sync: (options: SyncOptions & { store: SyncStore }) => Promise<SyncResult>;
  /** Keeps a copy up to date and serves from it, even while the service is unreachable. */
  mirror: (options: MirrorOptions) => Promise<Mirror>;
  /**
   * Call this when something has changed, for example when a webhook has arrived: cached answers are then confirmed before their
   * next use.
   */
  changed: () => void;
}

/**
 * @example
 * const rostrum = createClient({ url: process.env.ROSTRUM_URL, key: process.env.ROSTRUM_API_KEY });
 * for await (const article of rostrum.articles.all()) console.log(article.title);
 */
export function createClient(options: TransportOptions): Rostrum {
  const transport = new Transport(options);
  return {
    articles: new Articles(transport),
    events: new Events(transport),
    tags: (request = {}) => fetchLabels(transport, "tags", request),
    categories: (request = {}) => fetchLabels(transport, "categories", request),
    redirects: (request = {}) => fetchRedirects(transport, request),
    state: async (request = {}) => (await transport.get<WebsiteState>("/state", request)).data,
    sync: ({ store, ...request }) => sync(transport, store, request),
    mirror: (mirror) => Mirror.start(transport, mirror),
    changed: () => transport.expire(),
  };
}
