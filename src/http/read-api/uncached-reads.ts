/** Answers requests that have no prepared answer in memory: authenticates them and passes them to their endpoint. */
import { failFastIfDatabaseDown } from "../operators/database-away.ts";
import type { ErrorReply } from "../errors.ts";
import { clientNetwork } from "../connection/proxies.ts";
import { answerBySlug, answerDetail, answerPreview } from "./article-reads.ts";
import { keyRefused, NO_ENDPOINT, NO_KEY, ONLY_READS, tooManyRequests, tooManyUnknownKeys } from "./error-responses.ts";
import { answerEvents } from "./event-reads.ts";
import type { ApiKeyCache, AuthenticatedKey } from "./key-auth.ts";
import { answerLabels, answerRelated } from "./label-reads.ts";
import { answerList } from "./list-reads.ts";
import { checkVersion } from "./parameters.ts";
import { answerPreviewKey, isPreviewed } from "./preview-key-reads.ts";
import { answerRedirects } from "./redirect-reads.ts";
import { ReadContext, type ReadContextOptions } from "./read-context.ts";
import type { Exchange, Responder } from "./responder.ts";
import type { PreparedResponse } from "./response-cache.ts";
import { describedBy } from "./response-headers.ts";
import { matchRoute } from "./routes.ts";
import { answerState } from "./state-reads.ts";

export interface UncachedReadsOptions extends ReadContextOptions {
  keys: ApiKeyCache;
  /** The OpenAPI description as JSON text. */
  description: () => Buffer;
}

export class UncachedReads {
  readonly #options: UncachedReadsOptions;
  readonly #keys: ApiKeyCache;
  readonly #responder: Responder;
  readonly #context: ReadContext;
  #description: PreparedResponse | undefined;

  constructor(options: UncachedReadsOptions) {
    this.#options = options;
    this.#keys = options.keys;
    this.#responder = options.responder;
    this.#context = new ReadContext(options);
  }

  async answer(exchange: Exchange): Promise<void> {
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
      exchange.isOverLimit = caller.bucket !== null && !caller.bucket.take(this.#options.store.now());
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
    if (isPreview && (await answerPreview(this.#context, read, token))) return;
    if (caller.key.scope === "preview" && isPreviewed(route)) {
      if (exchange.isOverLimit) return this.#responder.refuse(exchange, tooManyRequests(caller));
      return answerPreviewKey(this.#context, read, route);
    }
    switch (route) {
      case "list":
        return answerList(this.#context, read);
      case "detail":
        return answerDetail(this.#context, read);
      case "slug":
        return answerBySlug(this.#context, read);
      case "related":
        return answerRelated(this.#context, read);
      case "redirects":
        return answerRedirects(this.#context, read);
      case "tags":
      case "categories":
        return answerLabels(this.#context, read, route);
      case "events":
        return answerEvents(this.#context, read);
      case "state":
        return answerState(this.#context, read);
    }
  }

  #describe(exchange: Exchange): void {
    this.#description ??= describedBy(this.#options.description());
    if (this.#context.sendNotModified(exchange, this.#description.etag)) return;
    this.#responder.sendPrepared(exchange, this.#description);
  }

  /** The request's key, if it is certain without a query. */
  #peek({ req, startedAt }: Exchange): AuthenticatedKey | undefined {
    const secret = req.headers["x-api-key"];
    return typeof secret === "string"
      ? this.#keys.peek(secret, this.#options.store.now(startedAt), startedAt)
      : undefined;
  }

  /** @returns the request's key, or the error response. */
  async #authenticate({ req }: Exchange): Promise<AuthenticatedKey | ErrorReply> {
    const secret = req.headers["x-api-key"];
    if (typeof secret !== "string" || secret === "") return NO_KEY;
    const now = this.#options.store.now();
    const caller = await failFastIfDatabaseDown(this.#options.store, this.#keys.find(secret, now));
    if (typeof caller !== "string") return caller;
    const wait = this.#keys.refuse(clientNetwork(req), now);
    return wait === null ? keyRefused(caller) : tooManyUnknownKeys(wait);
  }
}
