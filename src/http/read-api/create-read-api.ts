/** The read API with what it keeps in memory, for the service's own process and for reading processes. */
import { KEY_SCOPES } from "../../domain/people/api-key.ts";
import { apiUrl } from "../../domain/webhooks/event.ts";
import { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import type { Deps } from "../../operations/system/deps.ts";
import type { Store } from "../../store/store.ts";
import type { SavedKeyUse } from "./api-key-usage.ts";
import { ApiKeyCache } from "./key-auth.ts";
import type { RateLimits } from "./rate-limit.ts";
import { ReadApi, type ReadApiOptions } from "./read-api.ts";
import { ResponseCache } from "./response-cache.ts";

/** Share of the cache memory for list forms and sorted indexes; the rest is for prepared responses. */
const READ_MODEL_SHARE = 0.3;

export interface CreateReadApiOptions extends Omit<ReadApiOptions, "store" | "readModel" | "keys" | "cache"> {
  cacheBytes: number;
  /** Requests per second for keys without a rate of their own; 0: unlimited. */
  defaultRate: number;
  /** SQLite only: where the orders of large websites are saved. */
  ordersFolder: string | null;
  store: Store;
  clock: Deps["clock"];
  limits: RateLimits;
  usage: SavedKeyUse;
  onError: (error: unknown, message: string) => void;
}

export function createReadApi(options: CreateReadApiOptions): {
  readApi: ReadApi;
  readModel: ReadModel;
  keys: ApiKeyCache;
  cache: ResponseCache;
} {
  const { store, clock, cacheBytes, defaultRate, limits, usage, onError } = options;
  const readModelBytes = Math.floor(cacheBytes * READ_MODEL_SHARE);
  const cache = new ResponseCache(cacheBytes - readModelBytes);
  const readModel = new ReadModel({
    store,
    cacheBytes: readModelBytes,
    ordersFolder: options.ordersFolder,
    onChange: (websiteId, articleIds) => {
      for (const scope of KEY_SCOPES) {
        for (const id of articleIds) cache.drop(websiteId, scope, apiUrl(id));
      }
    },
  });
  const keys = new ApiKeyCache({
    deps: { store, clock },
    defaultRate,
    limits,
    usage,
    partition: (websiteId, scope) => cache.partition(websiteId, scope),
    onError: (error, message = KEY_USE_LOST) => onError(error, message),
  });
  return { readApi: new ReadApi({ ...options, readModel, keys, cache }), readModel, keys, cache };
}

export const KEY_USE_LOST = "the last use of API keys was not written down";
