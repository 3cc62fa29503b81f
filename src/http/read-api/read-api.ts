/**
 * The read API (docs/specification.md, sections 4, 5 and 7), directly on node:http. What is certain to be current is
 * answered from memory, for two lookups and a write; all else is authenticated and answered from a snapshot.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { KEY_SCOPES } from "../../domain/people/api-key.ts";
import { apiUrl } from "../../domain/articles/api-format.ts";
import { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import type { Deps } from "../../operations/system/deps.ts";
import type { ChangeFeed, Clock, Store } from "../../store/store.ts";
import { clientNetwork } from "../connection/proxies.ts";
import type { ErrorReply } from "../errors.ts";
import { failFastIfDatabaseDown } from "../operators/database-away.ts";
import { answerBySlug, answerDetail, answerPreview } from "./article-reads.ts";
import {
  keyRefused,
  NO_ENDPOINT,
  NO_KEY,
  ONLY_READS,
  STOPPING,
  tooManyRequests,
  tooManyUnknownKeys,
} from "./error-responses.ts";
import { answerEvents, answerState } from "./event-reads.ts";
import { ApiKeyCache, type ApiKeyCacheOptions, type AuthenticatedKey } from "./key-auth.ts";
import { answerLabels, answerRelated } from "./label-reads.ts";
import { answerList } from "./list-reads.ts";
import { checkVersion } from "./parameters.ts";
import { answerPreviewKey, isPreviewed } from "./preview-key-reads.ts";
import { answerRedirects } from "./redirect-reads.ts";
import { type Exchange, Responder, type ResponderOptions } from "./responder.ts";
import { isPrepared, isValid, type PreparedResponse, ResponseCache } from "./response-cache.ts";
import { ANY_ETAG, describedBy, matchesEtag } from "./response-headers.ts";
import { matchRoute } from "./routes.ts";
import { SnapshotAnswers, type SnapshotAnswersOptions } from "./snapshot-answers.ts";

/** Share of the cache memory for list forms and sorted indexes; the rest is for prepared responses. */
const READ_MODEL_SHARE = 0.3;

export interface ReadApiOptions
  extends
    Omit<ResponderOptions, "keys" | "cache">,
    Pick<ApiKeyCacheOptions, "defaultRate" | "onError">,
    Omit<SnapshotAnswersOptions, "responder" | "readModel" | "cache"> {
  cacheBytes: number;
  description: () => Buffer;
  store: Store & ChangeFeed & Clock;
  clock: Deps["clock"];
}

export class ReadApi {
  readonly readModel: ReadModel;
  readonly keys: ApiKeyCache;
  readonly #store: ReadApiOptions["store"];
  readonly #cache: ResponseCache;
  readonly #responder: Responder;
  readonly #answers: SnapshotAnswers;
  readonly #readDescription: () => Buffer;
  #description: PreparedResponse | undefined;

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
    this.#answers = new SnapshotAnswers({ ...options, readModel, cache, responder: this.#responder });
    this.#readDescription = options.description;
  }

  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#responder.newExchange(req, res);
    if (!this.#answerFromMemory(exchange)) {
      this.#answerFromSnapshot(exchange).catch((error: unknown) => this.#responder.fail(exchange, error));
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

  async #answerFromSnapshot(exchange: Exchange): Promise<void> {
    const { req } = exchange;
    const route = matchRoute(exchange.url);
    exchange.route = route;
    if (route === "other") return this.#responder.refuse(exchange, NO_ENDPOINT);
    if (req.method !== "GET" && req.method !== "HEAD") return this.#responder.refuse(exchange, ONLY_READS);
    if (route === "openapi") return this.#describe(exchange);

    const authStartedAt = performance.now();
    if (exchange.caller === null) {
      const caller = this.#peek(exchange) ?? (await this.#authenticate(exchange));
      if ("status" in caller) return this.#responder.refuse(exchange, caller);
      exchange.caller = caller;
      exchange.isOverLimit = caller.bucket !== null && !caller.bucket.take(this.#store.now());
      exchange.hasTaken = !exchange.isOverLimit;
    }
    const { caller } = exchange;
    const read = { exchange, caller, authMs: performance.now() - authStartedAt };
    const version = req.headers["accept-version"];
    checkVersion(typeof version === "string" ? version : undefined);
    // For lists, events and the state, a 304 needs no work and no token, so they check the limit later.
    const isCheckedLater = route === "list" || route === "events" || route === "state";
    const token = req.headers["x-preview-token"];
    const isPreview = typeof token === "string" && route !== "events" && route !== "state";
    if (exchange.isOverLimit && (isPreview || !isCheckedLater)) {
      return this.#responder.refuse(exchange, tooManyRequests(caller));
    }
    if (isPreview && (await answerPreview(this.#answers, read, token))) return;
    if (caller.key.scope === "preview" && isPreviewed(route)) {
      if (exchange.isOverLimit) return this.#responder.refuse(exchange, tooManyRequests(caller));
      return answerPreviewKey(this.#answers, read, route);
    }
    switch (route) {
      case "list":
        return answerList(this.#answers, read);
      case "detail":
        return answerDetail(this.#answers, read);
      case "slug":
        return answerBySlug(this.#answers, read);
      case "related":
        return answerRelated(this.#answers, read);
      case "redirects":
        return answerRedirects(this.#answers, read);
      case "tags":
      case "categories":
        return answerLabels(this.#answers, read, route);
      case "events":
        return answerEvents(this.#answers, read);
      case "state":
        return answerState(this.#answers, read);
    }
  }

  #describe(exchange: Exchange): void {
    this.#description ??= describedBy(this.#readDescription());
    if (this.#answers.sendNotModified(exchange, this.#description.etag)) return;
    this.#responder.sendPrepared(exchange, this.#description);
  }

  #peek({ req, startedAt }: Exchange): AuthenticatedKey | undefined {
    const secret = req.headers["x-api-key"];
    return typeof secret === "string" ? this.keys.peek(secret, this.#store.now(startedAt), startedAt) : undefined;
  }

  /** @returns the request's key, or the error response. */
  async #authenticate({ req }: Exchange): Promise<AuthenticatedKey | ErrorReply> {
    const secret = req.headers["x-api-key"];
    if (typeof secret !== "string" || secret === "") return NO_KEY;
    const now = this.#store.now();
    const caller = await failFastIfDatabaseDown(this.#store, this.keys.find(secret, now));
    if (typeof caller !== "string") return caller;
    const wait = this.keys.refuse(clientNetwork(req), now);
    return wait === null ? keyRefused(caller) : tooManyUnknownKeys(wait);
  }
}
