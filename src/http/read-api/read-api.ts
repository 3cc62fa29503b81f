/**
 * The read API (docs/specification.md, sections 4, 5 and 7). It runs directly on node:http, in front of the framework that
 * serves everything else: a response that is ready costs a key lookup, a cache lookup and a write.
 *
 * `handle` answers from memory if the cached response is certain to be current; `#answer` does everything else.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReadModel, SnapshotReader } from "../../operations/articles/read-model.ts";
import type { Store } from "../../store/store.ts";
import { unlessAway } from "../database-away.ts";
import { type ErrorReply, errorReply, refusal } from "../errors.ts";
import type { ReadMetrics, Route } from "../metrics.ts";
import { clientNetwork } from "../proxies.ts";
import type { RequestIds } from "../request-ids.ts";
import { traceFacts } from "../trace-context.ts";
import { ARTICLES, pathOf, routeOf, searchOf } from "./routes.ts";
import {
  ANY_ETAG,
  API_VERSION,
  describedBy,
  eventsEtag,
  isValid,
  JSON_HEADERS,
  JSON_TYPE,
  listEtag,
  matchesEtag,
  newAnswer,
  notModifiedHeaders,
  READ_HEADERS,
  REQUEST_ID,
  stamp,
  VARY,
} from "./response-headers.ts";
import type { AuthenticatedKey, ApiKeyCache } from "./key-auth.ts";
import {
  checkVersion,
  parseDetailParameters,
  parseEventParameters,
  parseId,
  parseListParameters,
} from "./parameters.ts";
import { presentDetail, presentEvents, presentList, withDebug } from "./serializers.ts";
import { tooManyRequests, unauthorized } from "./error-responses.ts";
import { BufferPool } from "./buffer-pool.ts";
import {
  type Answer,
  type Body,
  chooseEncoding,
  type Encoding,
  type PreparedAnswer,
  type ResponseCache,
  variantOf,
} from "./response-cache.ts";

export interface RequestFacts {
  requestId: string;
  /** As returned by trace-context.ts. */
  traceparent?: string;
  method: string;
  url: string;
}

export interface RequestLog {
  /** Whether successful reads are logged as well. */
  readonly isVerbose: boolean;
  finished(facts: RequestFacts & { status: number; ms: number }): void;
  failed(facts: RequestFacts, error: unknown): void;
}

export interface ReadApiOptions {
  store: Pick<Store, "engine" | "changeToken" | "now" | "clockSkewMs">;
  readModel: ReadModel;
  keys: ApiKeyCache;
  cache: ResponseCache;
  metrics: ReadMetrics;
  log: RequestLog;
  /** The name of this process in `debug`. */
  node: string;
  requestIds: RequestIds;
  /** The OpenAPI description as JSON text. */
  description: () => Buffer;
}

/** One request in progress. */
interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  url: string;
  route: Route;
  requestId: string;
  /** `performance.now()`. */
  startedAt: number;
  holder: AuthenticatedKey | null;
  /** Whether the response was ready in memory. */
  isReady: boolean;
  /** Whether the key's bucket was empty, and whether a token was taken from it. */
  isOverLimit: boolean;
  hasTaken: boolean;
}

export class ReadApi {
  readonly #options: ReadApiOptions;
  readonly #readModel: ReadModel;
  readonly #keys: ApiKeyCache;
  readonly #cache: ResponseCache;
  readonly #scratch = new BufferPool();
  #description: PreparedAnswer | undefined;

  constructor(options: ReadApiOptions) {
    this.#options = options;
    this.#readModel = options.readModel;
    this.#keys = options.keys;
    this.#cache = options.cache;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#newExchange(req, res);
    if (!this.#answerNow(exchange)) {
      this.#answer(exchange).catch((error: unknown) => this.#fail(exchange, error));
    }
  }

  /** Answers every request with 503: the process is about to stop. */
  refuseAll(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#newExchange(req, res);
    exchange.route = routeOf(exchange.url);
    this.#refuse(
      exchange,
      refusal(503, "This process is stopping; try again in a second.", { headers: { "Retry-After": "1" } }),
    );
  }

  #newExchange(req: IncomingMessage, res: ServerResponse): Exchange {
    return {
      req,
      res,
      url: req.url ?? "",
      route: "other",
      requestId: this.#options.requestIds.take(req),
      startedAt: performance.now(),
      holder: null,
      isReady: false,
      isOverLimit: false,
      hasTaken: false,
    };
  }

  /** @returns false if no response is ready, or none that is certain to be current. */
  #answerNow(exchange: Exchange): boolean {
    const { req, url } = exchange;
    const secret = req.headers["x-api-key"];
    if (typeof secret !== "string" || (req.method !== "GET" && req.method !== "HEAD")) return false;
    if (req.headers["accept-version"] !== undefined) return false;
    const now = this.#options.store.now(exchange.startedAt);
    const holder = this.#keys.peek(secret, now, exchange.startedAt);
    if (holder === undefined) return false;
    const { partition, seenAt } = holder;
    partition.view ??= this.#readModel.current(holder.key.websiteId);
    if (partition.view === undefined || partition.view.seenAt !== seenAt) {
      partition.view = undefined;
      return false;
    }
    const answer = this.#cache.get(partition, url);
    if (answer === undefined || !isValid(answer, partition.view)) return false;
    const condition = req.headers["if-none-match"];
    if (condition !== undefined && condition !== ANY_ETAG && matchesEtag(condition, answer.etag)) {
      exchange.holder = holder;
      exchange.route = answer.route;
      exchange.isReady = true;
      this.#write(exchange, 304, answer.notModified, null);
      return true;
    }
    const ready = condition !== ANY_ETAG && isPrepared(answer) ? answer : null;
    if (ready === null && condition !== ANY_ETAG) return false;
    exchange.holder = holder;
    exchange.route = answer.route;
    exchange.isReady = true;
    if (holder.bucket !== null && !holder.bucket.take(now)) {
      this.#refuse(exchange, tooManyRequests(holder));
    } else if (ready === null) {
      this.#write(exchange, 304, answer.notModified, null);
    } else {
      this.#sendReady(exchange, ready);
    }
    return true;
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { req } = exchange;
    const route = routeOf(exchange.url);
    exchange.route = route;
    if (route === "other") {
      return this.#refuse(exchange, refusal(404, `There is nothing here; the articles are at ${ARTICLES}.`));
    }
    if (req.method !== "GET" && req.method !== "HEAD") {
      return this.#refuse(
        exchange,
        refusal(405, "This API is read-only: use GET or HEAD.", { headers: { Allow: "GET, HEAD" } }),
      );
    }
    if (route === "openapi") return this.#describe(exchange);

    const authStartedAt = performance.now();
    if (exchange.holder === null) {
      const holder = await this.#authenticate(exchange);
      if ("status" in holder) return this.#refuse(exchange, holder);
      exchange.holder = holder;
      exchange.isOverLimit = holder.bucket !== null && !holder.bucket.take(this.#options.store.now());
      exchange.hasTaken = !exchange.isOverLimit;
    }
    const authMs = performance.now() - authStartedAt;
    const version = req.headers["accept-version"];
    checkVersion(typeof version === "string" ? version : undefined);
    const { holder } = exchange;
    // For lists and events, a 304 needs no work and no token, so they check the limit later.
    if (exchange.isOverLimit && route === "detail") return this.#refuse(exchange, tooManyRequests(holder));
    switch (route) {
      case "list":
        return this.#list(exchange, holder, authMs);
      case "detail":
        return this.#detail(exchange, holder, authMs);
      case "events":
        return this.#events(exchange, holder);
    }
  }

  async #list(exchange: Exchange, holder: AuthenticatedKey, authMs: number): Promise<void> {
    const { query, fields, debug, warnings } = parseListParameters(searchOf(exchange.url));
    if (query.status !== "published" && holder.key.scope === "published") {
      return this.#refuse(
        exchange,
        refusal(
          403,
          `This API key reads published articles only; use a key of scope "all" for status=${query.status}.`,
        ),
      );
    }
    const current = this.#readModel.current(holder.key.websiteId);
    if (current !== undefined && !debug && this.#sendUnchanged(exchange, listEtag(current))) return;
    if (exchange.isOverLimit) return this.#refuse(exchange, tooManyRequests(holder));
    const databaseStartedAt = performance.now();
    const ready = current && this.#readModel.pageNow(current, query);
    const { view, page } =
      ready !== undefined && current !== undefined
        ? { view: stamp(current), page: ready }
        : await this.#read(holder.key.websiteId, async (snapshot) => ({
            page: await snapshot.page(query),
            view: stamp(snapshot.view),
          }));
    const databaseMs = performance.now() - databaseStartedAt;
    // The commit did not change this website's articles.
    if (!debug && this.#sendNotModified(exchange, listEtag(view))) return;
    if (debug) {
      return this.#sendDebug(exchange, holder, presentList(page, query, fields), {
        query: {
          status: query.status,
          limit: query.limit,
          offset: query.offset,
          sort: `${query.sort.descending ? "-" : ""}${query.sort.field}`,
        },
        authMs,
        databaseMs,
        cache: ready === undefined ? "miss" : "hit",
        version: view.version,
        warnings,
      });
    }
    const isAskedAgain = this.#cache.isAskedAgain(holder.key.websiteId, exchange.url, view.version);
    const body = presentList(page, query, fields, isAskedAgain ? undefined : (bytes) => this.#scratch.take(bytes));
    const answer = newAnswer("list", listEtag(view), view, false, body);
    if (isAskedAgain) this.#keep(exchange, holder, answer);
    else this.#giveBackAfter(exchange, body);
    this.#sendReady(exchange, answer);
  }

  async #detail(exchange: Exchange, holder: AuthenticatedKey, authMs: number): Promise<void> {
    const path = pathOf(exchange.url);
    const id = parseId(path.slice(ARTICLES.length + 1));
    const { debug, warnings } = parseDetailParameters(searchOf(exchange.url));
    const databaseStartedAt = performance.now();
    const { view, detail } = await this.#read(holder.key.websiteId, async (snapshot) => ({
      detail: await snapshot.detail(id),
      view: stamp(snapshot.view),
    }));
    const databaseMs = performance.now() - databaseStartedAt;
    if (detail === undefined) {
      return this.#refuse(exchange, refusal(404, "There is no article with this id; take the id from the list."));
    }
    if (detail.status === "pending" || (detail.status === "approved" && holder.key.scope === "published")) {
      return this.#refuse(
        exchange,
        refusal(
          403,
          detail.status === "pending"
            ? "This article exists but is not approved or published yet; ask again when it is."
            : 'This article is not published yet, and this API key reads published articles only; use a key of scope "all".',
        ),
      );
    }
    if (debug) {
      return this.#sendDebug(exchange, holder, presentDetail(detail), {
        query: null,
        authMs,
        databaseMs,
        cache: "miss",
        version: view.version,
        warnings,
      });
    }
    const etag = `W/"${view.epoch}.a${detail.version}"`;
    // Only under its canonical URL is a cached response found again when the article changes.
    const isPlainAddress = exchange.url === `${ARTICLES}/${id}`;
    const isAskedAgain = isPlainAddress && holder.partition.answers.get(exchange.url)?.etag === etag;
    const body = presentDetail(detail, isAskedAgain ? undefined : (bytes) => this.#scratch.take(bytes));
    const answer = newAnswer("detail", etag, view, true, body);
    if (isAskedAgain) {
      this.#keep(exchange, holder, answer);
    } else {
      if (isPlainAddress) this.#keep(exchange, holder, { ...answer, variants: null });
      this.#giveBackAfter(exchange, body);
    }
    if (!this.#sendNotModified(exchange, etag)) this.#sendReady(exchange, answer);
  }

  async #events(exchange: Exchange, holder: AuthenticatedKey): Promise<void> {
    const { after, limit } = parseEventParameters(searchOf(exchange.url));
    const current = this.#readModel.current(holder.key.websiteId);
    if (current !== undefined && this.#sendUnchanged(exchange, eventsEtag(current))) return;
    if (exchange.isOverLimit) return this.#refuse(exchange, tooManyRequests(holder));
    const { view, events, etag } = await this.#read(holder.key.websiteId, async (snapshot) => ({
      events: await snapshot.events({ after, limit }),
      view: { ...stamp(snapshot.view), eventSequence: snapshot.view.eventSequence },
      etag: eventsEtag(snapshot.view),
    }));
    if (this.#sendNotModified(exchange, etag)) return;
    const body = presentEvents(events, { after, limit, latest: view.eventSequence });
    this.#sendReady(exchange, newAnswer("events", etag, view, false, body));
  }

  #describe(exchange: Exchange): void {
    this.#description ??= describedBy(this.#options.description());
    if (this.#sendNotModified(exchange, this.#description.etag)) return;
    this.#sendReady(exchange, this.#description);
  }

  /** Like `ReadModel.read`. @throws AppError `unavailable` as soon as the database is known to be unreachable. */
  #read<T>(websiteId: string, work: (snapshot: SnapshotReader) => Promise<T>): Promise<T> {
    return unlessAway(this.#options.store, this.#readModel.read(websiteId, work));
  }

  /** @returns the request's key, or the error response. */
  async #authenticate({ req }: Exchange): Promise<AuthenticatedKey | ErrorReply> {
    const secret = req.headers["x-api-key"];
    if (typeof secret !== "string" || secret === "") {
      return unauthorized("Send your API key: put a valid API key in the X-API-Key header.");
    }
    const now = this.#options.store.now();
    const holder =
      this.#keys.peek(secret, now) ?? (await unlessAway(this.#options.store, this.#keys.find(secret, now)));
    if (typeof holder !== "string") return holder;
    const wait = this.#keys.refuse(clientNetwork(req), now);
    if (wait !== null) {
      return refusal(
        429,
        `Too many requests with unknown API keys from this address; wait ${wait} s and use a valid one.`,
        {
          headers: { "Retry-After": String(wait) },
        },
      );
    }
    const states = { unknown: "not known here", revoked: "revoked", expired: "expired" };
    return unauthorized(`This API key is ${states[holder]}: put a valid API key in the X-API-Key header.`);
  }

  /** Caches the answer unless it is no longer current. */
  #keep(exchange: Exchange, holder: AuthenticatedKey, answer: Answer): void {
    const view = this.#readModel.current(holder.key.websiteId);
    if (view !== undefined && isValid(answer, view) && answer.version === view.contentVersion) {
      this.#cache.keep(holder.partition, exchange.url, answer);
    }
  }

  /** Gives the buffer of an answer that is not cached back to the pool once it is sent. */
  #giveBackAfter({ res }: Exchange, body: Buffer): void {
    res.once("finish", () => this.#scratch.giveBack(body));
  }

  #sendReady(exchange: Exchange, answer: PreparedAnswer): void {
    const encoding = chooseEncoding(exchange.req.headers["accept-encoding"], answer.variants.identity.body.length);
    const variant = answer.variants[encoding];
    if (variant !== undefined) this.#write(exchange, 200, variant.headers, variant.body);
    else this.#sendCompressed(exchange, answer, encoding).catch((error: unknown) => this.#fail(exchange, error));
  }

  async #sendCompressed(exchange: Exchange, answer: PreparedAnswer, encoding: Encoding): Promise<void> {
    const { headers, body } = await variantOf(answer, encoding);
    // The cached answer has grown by a variant; it may have been evicted meanwhile.
    const partition = exchange.holder?.partition;
    if (partition?.answers.get(exchange.url) === answer) this.#cache.keep(partition, exchange.url, answer);
    this.#write(exchange, 200, headers, body);
  }

  /**
   * Needs no query, and gives the token back: a client that names the ETag has had the response before. `*` names none, and
   * counts like any request.
   *
   * @returns whether a 304 was sent.
   */
  #sendUnchanged(exchange: Exchange, etag: string): boolean {
    if (exchange.req.headers["if-none-match"] === ANY_ETAG && exchange.isOverLimit) return false;
    if (exchange.hasTaken && namesEtag(exchange.req, etag)) exchange.holder?.bucket?.giveBack();
    return this.#sendNotModified(exchange, etag);
  }

  /** @returns whether a 304 was sent. */
  #sendNotModified(exchange: Exchange, etag: string): boolean {
    if (!namesEtag(exchange.req, etag) && exchange.req.headers["if-none-match"] !== ANY_ETAG) return false;
    this.#write(exchange, 304, notModifiedHeaders(etag), null);
    return true;
  }

  #sendDebug(
    exchange: Exchange,
    holder: AuthenticatedKey,
    body: Buffer,
    facts: {
      query: object | null;
      authMs: number;
      databaseMs: number;
      cache: "hit" | "miss";
      version: number;
      warnings: string[];
    },
  ): void {
    const total = performance.now() - exchange.startedAt;
    const debugged = withDebug(body, {
      request_id: exchange.requestId,
      api_version: API_VERSION,
      node: this.#options.node,
      query: facts.query,
      timing_ms: {
        total: milliseconds(total),
        auth: milliseconds(facts.authMs),
        database: milliseconds(facts.databaseMs),
        serialize: milliseconds(total - facts.authMs - facts.databaseMs),
      },
      cache: facts.cache,
      content_version: facts.version,
      api_key: { name: holder.key.name, prefix: holder.key.prefix },
      warnings: facts.warnings,
    });
    const headers = [...JSON_HEADERS, "Cache-Control", "no-store", "Vary", VARY];
    this.#write(exchange, 200, [...headers, "Content-Length", String(debugged.length), ...REQUEST_ID], debugged);
  }

  #refuse(exchange: Exchange, reply: ErrorReply): void {
    const body = Buffer.from(JSON.stringify(reply.body));
    const headers = [...READ_HEADERS, ...JSON_TYPE, ...Object.entries(reply.headers).flat()];
    this.#write(exchange, reply.status, [...headers, "Content-Length", String(body.length), ...REQUEST_ID], body);
  }

  #fail(exchange: Exchange, error: unknown): void {
    const reply = errorReply(error, exchange.requestId);
    if (reply.status >= 500) {
      this.#options.log.failed(factsOf(exchange), error);
    }
    if (!exchange.res.headersSent) this.#refuse(exchange, reply);
  }

  #write(exchange: Exchange, status: number, headers: string[], body: Body | null): void {
    const { res, req, holder } = exchange;
    const { store } = this.#options;
    if (holder !== null) this.#keys.count(holder);
    // The array is shared, but it is written to the socket's buffer before the next request can change it.
    headers[headers.length - 1] = exchange.requestId;
    let all = headers;
    if (holder !== null && holder.bucket !== null) {
      const { burst, rate, remaining, resetSeconds } = holder.bucket;
      const policy = `"key";q=${burst};w=${Math.ceil(burst / rate)}`;
      all = headers.concat("RateLimit-Policy", policy, "RateLimit", `"key";r=${remaining};t=${resetSeconds}`);
    }
    // Clients use it for `updated_since`, which is compared with the database's clock.
    if (store.clockSkewMs() !== 0) all = all.concat("Date", new Date(store.now()).toUTCString());
    res.writeHead(status, all);
    if (body === null || req.method === "HEAD") res.end();
    else res.end(body, "latin1");
    const ms = performance.now() - exchange.startedAt;
    const { log, metrics } = this.#options;
    metrics.observe(exchange.route, status, ms, exchange.isReady);
    if (metrics.websites !== null && holder !== null) metrics.websites.count(holder.key.websiteId, "reads");
    if (log.isVerbose || status >= 400) {
      log.finished({ ...factsOf(exchange), status, ms });
    }
  }
}

function isPrepared(answer: Answer): answer is PreparedAnswer {
  return answer.variants !== null;
}

function factsOf({ requestId, req, url }: Exchange): RequestFacts {
  return { requestId, ...traceFacts(req), method: req.method ?? "", url };
}

/** Whether the request's If-None-Match names this very ETag. */
function namesEtag({ headers }: IncomingMessage, etag: string): boolean {
  const { "if-none-match": condition } = headers;
  return condition !== undefined && matchesEtag(condition, etag);
}

function milliseconds(value: number): number {
  return Math.round(Math.max(0, value) * 1000) / 1000;
}
