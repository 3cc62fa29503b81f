/** How endpoints answer from a snapshot: conditional requests, the cache and its headers, and uncached answers. */
import type { IncomingMessage } from "node:http";
import { AppError } from "../../domain/system/errors.ts";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import type { ReadModel, SnapshotReader } from "../../operations/articles/read-model/read-model.ts";
import type { View } from "../../operations/articles/read-model/views.ts";
import type { Previewed } from "../../operations/articles/review/site-preview.ts";
import type { ChangeFeed, Clock, ReadOptions, Store } from "../../store/store.ts";
import { failFastIfDatabaseDown } from "../operators/database-away.ts";
import { ResponseHead } from "./head-writer.ts";
import type { AuthenticatedKey } from "./key-auth.ts";
import { chargeLarge, type Exchange, type Responder } from "./responder.ts";
import { type CachedResponse, isValid, type PreparedResponse, type ResponseCache } from "./response-cache.ts";
import {
  ANY_ETAG,
  API_VERSION,
  CHECKED,
  JSON_HEADERS,
  matchesEtag,
  notModifiedHead,
  VARY,
  getVersion,
  type Versions,
  warningHeaders,
} from "./response-headers.ts";
import { withDebug } from "./serializers.ts";

/** Articles with their latest changes that are read at once; fewer of a website than texts may wait. */
const LATEST_SLOTS = { capacity: 8, perKey: 4, maxWaiting: 500 };

/** Limits pages with contents that are made at the same time. */
const CONTENT_SLOTS = { capacity: 2, perKey: 1 };

/** Large enough for a page of a hundred articles. */
const SCRATCH_BYTES = 128 * 1024;
const MAX_IDLE_BUFFERS = 64;

/** The operator's settings for caches between the read API and its clients. */
export interface HttpCaches {
  /** Whether caches that serve several clients may keep published articles. */
  isShared: boolean;
  /** The header with the tags by which such a cache is purged; null for none. */
  tagHeader: "Cache-Tag" | "Surrogate-Key" | null;
}

export interface SnapshotAnswersOptions {
  store: Pick<Store & ChangeFeed & Clock, "engine" | "changeToken" | "now">;
  readModel: ReadModel;
  cache: ResponseCache;
  node: string;
  httpCaches: HttpCaches;
  /** The article that a preview token shows; undefined if it is not valid on this website. */
  findPreviewed: (websiteId: string, token: string) => Promise<Previewed | undefined>;
  /** An article with the changes of its draft copy; undefined if the website has no such article. */
  findLatest: (websiteId: string, id: string) => Promise<Previewed | undefined>;
  responder: Responder;
}

/** A request with an accepted key. */
export interface Read {
  exchange: Exchange;
  caller: AuthenticatedKey;
  /** Duration of the authentication in milliseconds. */
  authMs: number;
}

export interface DebugFacts {
  query: object | null;
  databaseMs: number;
  cache: "hit" | "miss";
  version: number;
  warnings: string[];
}

export class SnapshotAnswers {
  readonly readModel: ReadModel;
  readonly responder: Responder;
  readonly #cache: ResponseCache;
  readonly #store: SnapshotAnswersOptions["store"];
  readonly #node: string;
  readonly #httpCaches: HttpCaches;
  readonly #findPreviewed: SnapshotAnswersOptions["findPreviewed"];
  readonly #findLatest: SnapshotAnswersOptions["findLatest"];
  /** A key's pages with contents are made one by one: their cost is known only afterwards. */
  readonly contentTurns = new FairQueue(CONTENT_SLOTS);
  /** Drafts are prepared for each request: a site's build leaves its editors their turn. */
  readonly #latestSlots = new FairQueue(LATEST_SLOTS);
  /** Buffers for bodies that are not cached: allocating 35 kB for each would leave tens of megabytes of garbage. */
  readonly #idleBuffers: Buffer[] = [];
  readonly #underWay = new Map<string, Promise<PreparedResponse>>();

  constructor(options: SnapshotAnswersOptions) {
    this.readModel = options.readModel;
    this.#cache = options.cache;
    this.responder = options.responder;
    this.#store = options.store;
    this.#node = options.node;
    this.#httpCaches = options.httpCaches;
    this.#findPreviewed = options.findPreviewed;
    this.#findLatest = options.findLatest;
  }

  /** Like `ReadModel.read`. @throws AppError `unavailable` at once while the database is known to be unreachable. */
  read<T>({ caller }: Read, work: (snapshot: SnapshotReader) => Promise<T>, options?: ReadOptions): Promise<T> {
    return failFastIfDatabaseDown(this.#store, this.readModel.read(caller.key.websiteId, work, options));
  }

  /** The website's view, brought up to date. */
  async state(read: Read): Promise<View> {
    const { websiteId } = read.caller.key;
    return this.readModel.current(websiteId) ?? this.read(read, (snapshot) => Promise.resolve(snapshot.view));
  }

  /** Shares the answer of an identical request that is already under way at the same version. */
  share(read: Read, view: View, work: () => Promise<PreparedResponse>): Promise<PreparedResponse> {
    const { exchange, caller } = read;
    const { websiteId, scope } = caller.key;
    const name = [websiteId, scope, view.generation, view.contentVersion, exchange.url].join(" ");
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const made = work().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, made);
    return made;
  }

  /** Whether the key owes tokens for large answers. */
  isOwing({ bucket }: Pick<AuthenticatedKey, "bucket">): boolean {
    return bucket !== null && bucket.owesMs(this.#store.now()) > 0;
  }

  findPreviewed({ caller }: Read, token: string): Promise<Previewed | undefined> {
    return failFastIfDatabaseDown(this.#store, this.#findPreviewed(caller.key.websiteId, token));
  }

  /** @throws AppError `busy`. */
  async findLatest({ caller }: Read, id: string): Promise<Previewed | undefined> {
    const { websiteId } = caller.key;
    if (this.#latestSlots.isFull(websiteId)) {
      throw new AppError("busy", "Too many articles with drafts are being read: try again in a few seconds.");
    }
    return this.#latestSlots.run(websiteId, () => failFastIfDatabaseDown(this.#store, this.#findLatest(websiteId, id)));
  }

  /** A buffer of at least `bytes` for a body that is sent once; `releaseAfter` returns it to the pool. */
  readonly allocate = (bytes: number): Buffer => {
    if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#idleBuffers.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  };

  /** Returns the buffer to the pool when the response was sent: its bytes have been passed to the kernel. */
  releaseAfter({ res }: Exchange, { buffer }: Buffer): void {
    if (buffer.byteLength !== SCRATCH_BYTES) return;
    res.once("finish", () => {
      if (this.#idleBuffers.length < MAX_IDLE_BUFFERS) this.#idleBuffers.push(Buffer.from(buffer));
    });
  }

  /** Caches the answer unless it is no longer current. */
  cache({ exchange, caller }: Read, answer: CachedResponse): void {
    // The view at the request's start: a change after it drops the answer, or gives the website another version.
    const view = this.readModel.current(caller.key.websiteId, exchange.startedAt);
    const isOfArticle = answer.dependsOn === "article";
    if (view !== undefined && isValid(answer, view) && (!isOfArticle || answer.version === view.contentVersion)) {
      this.#cache.set(caller.partition, exchange.url, answer);
    }
  }

  wasRequestedBefore({ exchange, caller }: Read, version: number): boolean {
    return this.#cache.wasRequestedBefore(caller.key.websiteId, exchange.url, version);
  }

  send(exchange: Exchange, answer: PreparedResponse): void {
    this.responder.sendPrepared(exchange, answer);
  }

  /**
   * Sends a 304 without a query. It returns the token, as a client with the ETag has had the response before; `*` names
   * none, and counts like any request. @returns whether it was sent.
   */
  sendUnchanged(exchange: Exchange, etag: string, cacheControl?: string): boolean {
    if (exchange.req.headers["if-none-match"] === ANY_ETAG && exchange.isOverLimit) return false;
    if (exchange.hasTaken && listsEtag(exchange.req, etag)) exchange.caller?.bucket?.giveBack();
    return this.sendNotModified(exchange, etag, cacheControl);
  }

  /** @returns whether a 304 was sent. */
  sendNotModified(exchange: Exchange, etag: string, cacheControl?: string): boolean {
    if (!listsEtag(exchange.req, etag) && exchange.req.headers["if-none-match"] !== ANY_ETAG) return false;
    this.responder.write(exchange, notModifiedHead(etag, cacheControl), null);
    return true;
  }

  /**
   * How long it may be cached: for ever if the request names its version. `isPublished`: contains published articles
   * only, so that shared caches may store it where the operator allows that.
   */
  cacheControl({ caller }: Read, view: Versions, named: string | null, isPublished: boolean): string {
    const { scope } = caller.key;
    if (scope === "preview") return CHECKED;
    if (named !== getVersion(view, scope === "published" ? "published" : "website")) return CHECKED;
    return `${isPublished && this.#httpCaches.isShared ? "public" : "private"}, max-age=31536000, immutable`;
  }

  /** `dependsOnOthers`: the answer about this article also changes with others. */
  tagHeaders({ caller }: Read, articleId: string | null, dependsOnOthers = articleId === null): string[] {
    const { tagHeader } = this.#httpCaches;
    if (tagHeader === null) return [];
    const { websiteId } = caller.key;
    const tags = [`website-${websiteId}`];
    if (articleId !== null) tags.push(`article-${articleId}`);
    if (dependsOnOthers) tags.push(`articles-${websiteId}`);
    return [tagHeader, tags.join(tagHeader === "Cache-Tag" ? "," : " ")];
  }

  sendDebug({ exchange, caller, authMs }: Read, body: Buffer, facts: DebugFacts): void {
    const total = performance.now() - exchange.startedAt;
    const debugged = withDebug(body, {
      request_id: exchange.requestId,
      api_version: API_VERSION,
      node: this.#node,
      query: facts.query,
      timing_ms: {
        total: milliseconds(total),
        auth: milliseconds(authMs),
        database: milliseconds(facts.databaseMs),
        serialize: milliseconds(total - authMs - facts.databaseMs),
      },
      cache: facts.cache,
      content_version: facts.version,
      api_key: { name: caller.key.name, prefix: caller.key.prefix },
      warnings: facts.warnings,
    });
    this.sendUncacheable(exchange, debugged, facts.warnings);
  }

  sendUncacheable(exchange: Exchange, body: Buffer, warnings: readonly string[]): void {
    chargeLarge(exchange, body.length);
    const headers = [...JSON_HEADERS, "Cache-Control", "no-store", "Vary", VARY, ...warningHeaders(warnings)];
    const head = new ResponseHead(200, [...headers, "Content-Length", String(body.length)]);
    this.responder.write(exchange, head, body);
  }
}

/** Whether the request's If-None-Match contains exactly this ETag. */
function listsEtag({ headers }: IncomingMessage, etag: string): boolean {
  const { "if-none-match": condition } = headers;
  return condition !== undefined && matchesEtag(condition, etag);
}

function milliseconds(value: number): number {
  return Math.round(Math.max(0, value) * 1000) / 1000;
}
