/** Answers what is not ready in memory: authenticates, parses, reads from one snapshot, serialises and caches. */
import type { IncomingMessage } from "node:http";
import type { ReadModel, SnapshotReader } from "../../operations/articles/read-model.ts";
import type { Previewed } from "../../operations/articles/site-preview.ts";
import type { Store } from "../../store/store.ts";
import { unlessAway } from "../database-away.ts";
import { type ErrorReply, refusal } from "../errors.ts";
import { clientNetwork } from "../proxies.ts";
import { BufferPool } from "./buffer-pool.ts";
import { tooManyRequests, unauthorized } from "./error-responses.ts";
import { ResponseHead } from "./head-writer.ts";
import type { AuthenticatedKey, ApiKeyCache } from "./key-auth.ts";
import {
  checkVersion,
  parseDetailParameters,
  parseEventParameters,
  parseId,
  parseListParameters,
} from "./parameters.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Exchange, Responder } from "./responder.ts";
import type { Answer, PreparedAnswer, ResponseCache } from "./response-cache.ts";
import {
  ANY_ETAG,
  API_VERSION,
  describedBy,
  eventsEtag,
  isValid,
  JSON_HEADERS,
  listEtag,
  matchesEtag,
  newAnswer,
  notModifiedHead,
  stamp,
  VARY,
} from "./response-headers.ts";
import { ARTICLES, getPath, matchRoute, getSearch } from "./routes.ts";
import { presentDetail, presentEvents, presentList, withDebug } from "./serializers.ts";

export interface UncachedReadsOptions {
  store: Pick<Store, "engine" | "changeToken" | "now">;
  readModel: ReadModel;
  keys: ApiKeyCache;
  cache: ResponseCache;
  /** The name of this process in `debug`. */
  node: string;
  /** The OpenAPI description as JSON text. */
  description: () => Buffer;
  /** The article that a preview token shows; undefined if it is not valid on this website. */
  findPreviewed: (websiteId: string, token: string) => Promise<Previewed | undefined>;
  responder: Responder;
}

export class UncachedReads {
  readonly #options: UncachedReadsOptions;
  readonly #readModel: ReadModel;
  readonly #keys: ApiKeyCache;
  readonly #cache: ResponseCache;
  readonly #responder: Responder;
  readonly #scratch = new BufferPool();
  #description: PreparedAnswer | undefined;

  constructor(options: UncachedReadsOptions) {
    this.#options = options;
    this.#readModel = options.readModel;
    this.#keys = options.keys;
    this.#cache = options.cache;
    this.#responder = options.responder;
  }

  async answer(exchange: Exchange): Promise<void> {
    const { req } = exchange;
    const route = matchRoute(exchange.url);
    exchange.route = route;
    if (route === "other") {
      return this.#responder.refuse(exchange, refusal(404, `There is nothing here; the articles are at ${ARTICLES}.`));
    }
    if (req.method !== "GET" && req.method !== "HEAD") {
      return this.#responder.refuse(
        exchange,
        refusal(405, "This API is read-only: use GET or HEAD.", { headers: { Allow: "GET, HEAD" } }),
      );
    }
    if (route === "openapi") return this.#describe(exchange);

    const authStartedAt = performance.now();
    if (exchange.caller === null) {
      const caller = await this.#authenticate(exchange);
      if ("status" in caller) return this.#responder.refuse(exchange, caller);
      exchange.caller = caller;
      exchange.isOverLimit = caller.bucket !== null && !(await this.#takeToken(caller.bucket));
      exchange.hasTaken = !exchange.isOverLimit;
    }
    const authMs = performance.now() - authStartedAt;
    const version = req.headers["accept-version"];
    checkVersion(typeof version === "string" ? version : undefined);
    const { caller } = exchange;
    // For lists and events, a 304 needs no work and no token, so they check the limit later.
    if (exchange.isOverLimit && route === "detail") return this.#responder.refuse(exchange, tooManyRequests(caller));
    const token = req.headers["x-preview-token"];
    if (typeof token === "string" && route !== "events") {
      if (exchange.isOverLimit) return this.#responder.refuse(exchange, tooManyRequests(caller));
      if (await this.#preview(exchange, caller, token)) return;
    }
    switch (route) {
      case "list":
        return this.#list(exchange, caller, authMs);
      case "detail":
        return this.#detail(exchange, caller, authMs);
      case "events":
        return this.#events(exchange, caller);
    }
  }

  async #list(exchange: Exchange, caller: AuthenticatedKey, authMs: number): Promise<void> {
    const { query, fields, debug, warnings } = parseListParameters(getSearch(exchange.url));
    if (query.status !== "published" && caller.key.scope === "published") {
      return this.#responder.refuse(
        exchange,
        refusal(
          403,
          `This API key reads published articles only; use a key of scope "all" for status=${query.status}.`,
        ),
      );
    }
    const current = this.#readModel.current(caller.key.websiteId);
    if (current !== undefined && !debug && this.#sendUnchanged(exchange, listEtag(current))) return;
    if (exchange.isOverLimit) return this.#responder.refuse(exchange, tooManyRequests(caller));
    const databaseStartedAt = performance.now();
    const ready = current && this.#readModel.pageNow(current, query);
    const { view, page } =
      ready !== undefined && current !== undefined
        ? { view: stamp(current), page: ready }
        : await this.#read(caller.key.websiteId, async (snapshot) => ({
            page: await snapshot.page(query),
            view: stamp(snapshot.view),
          }));
    const databaseMs = performance.now() - databaseStartedAt;
    // The commit did not change this website's articles.
    if (!debug && this.#sendNotModified(exchange, listEtag(view))) return;
    if (debug) {
      return this.#sendDebug(exchange, caller, presentList(page, query, fields), {
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
    const wasRequestedBefore = this.#cache.wasRequestedBefore(caller.key.websiteId, exchange.url, view.version);
    const body = presentList(
      page,
      query,
      fields,
      wasRequestedBefore ? undefined : (bytes) => this.#scratch.take(bytes),
    );
    const answer = newAnswer("list", listEtag(view), view, false, body);
    if (wasRequestedBefore) this.#keep(exchange, caller, answer);
    else this.#giveBackAfter(exchange, body);
    this.#responder.sendPrepared(exchange, answer);
  }

  async #detail(exchange: Exchange, caller: AuthenticatedKey, authMs: number): Promise<void> {
    const path = getPath(exchange.url);
    const id = parseId(path.slice(ARTICLES.length + 1));
    const { debug, warnings } = parseDetailParameters(getSearch(exchange.url));
    const databaseStartedAt = performance.now();
    const { view, detail } = await this.#read(caller.key.websiteId, async (snapshot) => ({
      detail: await snapshot.detail(id),
      view: stamp(snapshot.view),
    }));
    const databaseMs = performance.now() - databaseStartedAt;
    if (detail === undefined) {
      return this.#responder.refuse(
        exchange,
        refusal(404, "There is no article with this id; take the id from the list."),
      );
    }
    if (detail.status === "pending" || (detail.status === "approved" && caller.key.scope === "published")) {
      return this.#responder.refuse(
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
      return this.#sendDebug(exchange, caller, presentDetail(detail), {
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
    const wasRequestedBefore = isPlainAddress && caller.partition.answers.get(exchange.url)?.etag === etag;
    const body = presentDetail(detail, wasRequestedBefore ? undefined : (bytes) => this.#scratch.take(bytes));
    const answer = newAnswer("detail", etag, view, true, body);
    if (wasRequestedBefore) {
      this.#keep(exchange, caller, answer);
    } else {
      if (isPlainAddress) this.#keep(exchange, caller, { ...answer, variants: null });
      this.#giveBackAfter(exchange, body);
    }
    if (!this.#sendNotModified(exchange, etag)) this.#responder.sendPrepared(exchange, answer);
  }

  /**
   * Answers with the article of a preview token (docs/specification.md, section 4.5), whatever its state: under its own id, and
   * for a list that filters by its slug. Such an answer is never cached.
   *
   * @returns false if the request is for something else, which is answered as without the token.
   */
  async #preview(exchange: Exchange, caller: AuthenticatedKey, token: string): Promise<boolean> {
    const { websiteId } = caller.key;
    const { store, findPreviewed } = this.#options;
    const previewed = await unlessAway(store, findPreviewed(websiteId, token));
    if (previewed === undefined) {
      this.#responder.refuse(
        exchange,
        refusal(403, "This preview has expired or was revoked; open the preview again from the dashboard."),
      );
      return true;
    }
    const search = getSearch(exchange.url);
    if (exchange.route === "detail") {
      parseDetailParameters(search);
      if (parseId(getPath(exchange.url).slice(ARTICLES.length + 1)) !== previewed.id) return false;
      this.#sendUncacheable(exchange, presentDetail(previewed.detail));
      return true;
    }
    const { query, fields } = parseListParameters(search);
    if (query.filter.slug !== previewed.slug) return false;
    const rows = query.offset === 0 ? [Buffer.from(previewed.detail.list_form)] : [];
    this.#sendUncacheable(exchange, presentList({ rows, total: 1 }, query, fields));
    return true;
  }

  async #events(exchange: Exchange, caller: AuthenticatedKey): Promise<void> {
    const { after, limit } = parseEventParameters(getSearch(exchange.url));
    const current = this.#readModel.current(caller.key.websiteId);
    if (current !== undefined && this.#sendUnchanged(exchange, eventsEtag(current))) return;
    if (exchange.isOverLimit) return this.#responder.refuse(exchange, tooManyRequests(caller));
    const { view, events, etag } = await this.#read(caller.key.websiteId, async (snapshot) => ({
      events: await snapshot.events({ after, limit }),
      view: { ...stamp(snapshot.view), eventSequence: snapshot.view.eventSequence },
      etag: eventsEtag(snapshot.view),
    }));
    if (this.#sendNotModified(exchange, etag)) return;
    const body = presentEvents(events, { after, limit, latest: view.eventSequence });
    this.#responder.sendPrepared(exchange, newAnswer("events", etag, view, false, body));
  }

  #describe(exchange: Exchange): void {
    this.#description ??= describedBy(this.#options.description());
    if (this.#sendNotModified(exchange, this.#description.etag)) return;
    this.#responder.sendPrepared(exchange, this.#description);
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
    const caller =
      this.#keys.peek(secret, now) ?? (await unlessAway(this.#options.store, this.#keys.find(secret, now)));
    if (typeof caller !== "string") return caller;
    const wait = await this.#keys.refuse(clientNetwork(req), now);
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
    return unauthorized(`This API key is ${states[caller]}: put a valid API key in the X-API-Key header.`);
  }

  async #takeToken(bucket: RateLimit): Promise<boolean> {
    while (!bucket.take(this.#options.store.now())) {
      if (bucket.gather === null || !(await bucket.gather())) return false;
    }
    return true;
  }

  /** Caches the answer unless it is no longer current. */
  #keep(exchange: Exchange, caller: AuthenticatedKey, answer: Answer): void {
    const view = this.#readModel.current(caller.key.websiteId);
    if (view !== undefined && isValid(answer, view) && answer.version === view.contentVersion) {
      this.#cache.keep(caller.partition, exchange.url, answer);
    }
  }

  /** Gives the buffer of an answer that is not cached back to the pool once it is sent. */
  #giveBackAfter({ res }: Exchange, body: Buffer): void {
    res.once("finish", () => this.#scratch.giveBack(body));
  }

  /**
   * Needs no query, and gives the token back: a client that names the ETag has had the response before. `*` names none, and
   * counts like any request.
   *
   * @returns whether a 304 was sent.
   */
  #sendUnchanged(exchange: Exchange, etag: string): boolean {
    if (exchange.req.headers["if-none-match"] === ANY_ETAG && exchange.isOverLimit) return false;
    if (exchange.hasTaken && namesEtag(exchange.req, etag)) exchange.caller?.bucket?.giveBack();
    return this.#sendNotModified(exchange, etag);
  }

  /** @returns whether a 304 was sent. */
  #sendNotModified(exchange: Exchange, etag: string): boolean {
    if (!namesEtag(exchange.req, etag) && exchange.req.headers["if-none-match"] !== ANY_ETAG) return false;
    this.#responder.write(exchange, notModifiedHead(etag), null);
    return true;
  }

  #sendDebug(
    exchange: Exchange,
    caller: AuthenticatedKey,
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
      api_key: { name: caller.key.name, prefix: caller.key.prefix },
      warnings: facts.warnings,
    });
    this.#sendUncacheable(exchange, debugged);
  }

  #sendUncacheable(exchange: Exchange, body: Buffer): void {
    const headers = [...JSON_HEADERS, "Cache-Control", "no-store", "Vary", VARY];
    const head = new ResponseHead(200, [...headers, "Content-Length", String(body.length)]);
    this.#responder.write(exchange, head, body);
  }
}

/** Whether the request's If-None-Match names this very ETag. */
function namesEtag({ headers }: IncomingMessage, etag: string): boolean {
  const { "if-none-match": condition } = headers;
  return condition !== undefined && matchesEtag(condition, etag);
}

function milliseconds(value: number): number {
  return Math.round(Math.max(0, value) * 1000) / 1000;
}
