/**
 * The read API (docs/specification.md, sections 4, 5 and 7). It runs directly on node:http, in front of the framework that
 * serves everything else. This file answers from memory, if the prepared answer is certain to be current: that costs a key
 * lookup, a cache lookup and a write. uncached-reads.ts answers everything else.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { KEY_SCOPES } from "../../domain/people/api-key.ts";
import { apiUrl } from "../../domain/articles/api-format.ts";
import { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { STOPPING, tooManyRequests } from "./error-responses.ts";
import { ApiKeyCache, type ApiKeyCacheOptions } from "./key-auth.ts";
import { type Exchange, Responder, type ResponderOptions } from "./responder.ts";
import { isPrepared, ResponseCache } from "./response-cache.ts";
import { ANY_ETAG, isValid, matchesEtag } from "./response-headers.ts";
import { matchRoute } from "./routes.ts";
import { UncachedReads, type UncachedReadsOptions } from "./uncached-reads.ts";

/** Share of the cache memory for list forms and sorted indexes; the rest is for prepared responses. */
const READ_MODEL_SHARE = 0.3;

export interface ReadApiOptions
  extends
    Omit<ResponderOptions, "keys" | "cache">,
    Pick<ApiKeyCacheOptions, "defaultRate" | "onError">,
    Omit<UncachedReadsOptions, "responder" | "readModel" | "keys" | "cache"> {
  cacheBytes: number;
  store: Deps["store"];
  clock: Deps["clock"];
}

export class ReadApi {
  readonly readModel: ReadModel;
  readonly keys: ApiKeyCache;
  readonly #store: ReadApiOptions["store"];
  readonly #cache: ResponseCache;
  readonly #responder: Responder;
  readonly #uncached: UncachedReads;

  constructor(options: ReadApiOptions) {
    const { store, clock, cacheBytes, defaultRate, onError } = options;
    const readModelBytes = Math.floor(cacheBytes * READ_MODEL_SHARE);
    const cache = new ResponseCache(cacheBytes - readModelBytes);
    const readModel = new ReadModel({
      store,
      cacheBytes: readModelBytes,
      onChange: (websiteId, articleIds) => {
        for (const scope of KEY_SCOPES) {
          for (const id of articleIds) cache.drop(websiteId, scope, apiUrl(id));
        }
      },
    });
    const partition: ApiKeyCacheOptions["partition"] = (websiteId, scope) => cache.partition(websiteId, scope);
    const keys = new ApiKeyCache({ deps: { store, clock }, defaultRate, partition, onError });
    this.readModel = readModel;
    this.keys = keys;
    this.#store = store;
    this.#cache = cache;
    this.#responder = new Responder({ ...options, keys, cache });
    this.#uncached = new UncachedReads({ ...options, readModel, keys, cache, responder: this.#responder });
  }

  /** The memory that prepared responses take. */
  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#responder.newExchange(req, res);
    if (!this.#answerFromMemory(exchange)) {
      this.#uncached.answer(exchange).catch((error: unknown) => this.#responder.fail(exchange, error));
    }
  }

  /** Answers every request with 503: the process is about to stop. */
  refuseAll(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#responder.newExchange(req, res);
    exchange.route = matchRoute(exchange.url);
    this.#responder.refuse(exchange, STOPPING);
  }

  /** @returns false if no response is ready, or none that is certain to be current. */
  #answerFromMemory(exchange: Exchange): boolean {
    const { req, url } = exchange;
    const secret = req.headers["x-api-key"];
    if (typeof secret !== "string" || (req.method !== "GET" && req.method !== "HEAD")) return false;
    if (req.headers["accept-version"] !== undefined || req.headers["x-preview-token"] !== undefined) return false;
    const now = this.#store.now(exchange.startedAt);
    const caller = this.keys.peek(secret, now, exchange.startedAt);
    if (caller === undefined) return false;
    const { partition, seenAt } = caller;
    partition.view ??= this.readModel.current(caller.key.websiteId);
    if (partition.view === undefined || partition.view.seenAt !== seenAt) {
      partition.view = undefined;
      return false;
    }
    const answer = this.#cache.get(partition, url);
    if (answer === undefined || !isValid(answer, partition.view)) return false;
    const condition = req.headers["if-none-match"];
    if (condition !== undefined && condition !== ANY_ETAG && matchesEtag(condition, answer.etag)) {
      exchange.caller = caller;
      exchange.route = answer.route;
      exchange.isReady = true;
      this.#responder.write(exchange, answer.notModified, null);
      return true;
    }
    const ready = condition !== ANY_ETAG && isPrepared(answer) ? answer : null;
    if (ready === null && condition !== ANY_ETAG) return false;
    const { bucket } = caller;
    const isOverLimit = bucket !== null && !bucket.take(now);
    exchange.caller = caller;
    exchange.route = answer.route;
    exchange.isReady = true;
    if (isOverLimit) {
      this.#responder.refuse(exchange, tooManyRequests(caller));
    } else if (ready === null) {
      this.#responder.write(exchange, answer.notModified, null);
    } else {
      this.#responder.sendPrepared(exchange, ready);
    }
    return true;
  }
}
