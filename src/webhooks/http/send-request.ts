import { createSecureContext, type SecureContext } from "node:tls";
import { LRUCache } from "lru-cache";
import type { PostResult } from "../../domain/webhooks/attempt.ts";
import type { AddressGuard } from "../net/ssrf-guard.ts";
import { Exchange, STOPPED } from "./http-attempt.ts";
import { EndpointPool } from "./connection-pool.ts";
import type { Verdict } from "./outcome.ts";

export interface Post {
  /** Groups connections: those of one endpoint id are used again while URL and CA stay the same. */
  endpointId: string;
  url: string;
  /** Names and values are the caller's to check. */
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
  /** PEM of a private CA, which then stands in for the public ones; or null. TLS is always verified. */
  ca: string | null;
}

export interface SenderOptions {
  guard: Pick<AddressGuard, "parseUrl" | "resolve">;
  /** Milliseconds for DNS, connect, TLS, request and response headers together. */
  timeoutMs: number;
  /** Milliseconds for the connect alone, over all addresses; 5,000 when left out. */
  connectTimeoutMs?: number;
}

/**
 * Sends the POSTs. Each ends at the latest 0.3 s after `timeoutMs`. Keeps connections: up to 8 for each endpoint, an idle
 * one for a minute, those of the 500 endpoints used last. When all 8 are busy a POST waits, and its time runs.
 */
export class Sender implements AsyncDisposable {
  readonly #guard: SenderOptions["guard"];
  readonly #timeoutMs: number;
  readonly #connectTimeoutMs: number;
  /** By endpoint id. */
  readonly #pools = new LRUCache<string, EndpointPool>({ max: 500, dispose: (pool) => pool.retire() });
  readonly #exchanges = new Set<Exchange>();
  readonly #closing = new Set<Promise<void>>();
  #publicContext: SecureContext | undefined;
  #isDisposed = false;

  constructor({ guard, timeoutMs, connectTimeoutMs = 5_000 }: SenderOptions) {
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /**
   * One POST; redirects are not followed. Never rejects. Sent a second time, within the same deadline, when a connection
   * that had been used before broke before any byte of the answer. An aborted signal ends it as `reset` with an error
   * that says it was stopped, unless the response headers had come.
   */
  send(post: Post, signal?: AbortSignal): Promise<PostResult> {
    if (this.#isDisposed || signal?.aborted === true) return Promise.resolve(notSent(STOPPED));
    let pool: EndpointPool;
    try {
      pool = this.#laneFor(post);
    } catch (error) {
      return Promise.resolve(
        notSent({ outcome: "blocked", error: error instanceof Error ? error.message : "Blocked." }),
      );
    }
    return new Promise((resolve) => {
      const exchange = new Exchange({
        request: { path: pool.path, method: "POST", headers: post.headers, body: post.body },
        timeoutMs: this.#timeoutMs,
        signal,
        onResult: (result, exchange) => {
          this.#exchanges.delete(exchange);
          resolve(result);
        },
      });
      this.#exchanges.add(exchange);
      pool.run(exchange);
    });
  }

  /** Stops what is under way and closes every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const exchange of this.#exchanges) exchange.stop();
    this.#pools.clear();
    await Promise.all(this.#closing);
  }

  #laneFor({ endpointId, url: text, ca }: Post): EndpointPool {
    const known = this.#pools.get(endpointId);
    if (known?.text === text && known.ca === ca) return known;
    const pool = new EndpointPool({
      guard: this.#guard,
      url: this.#guard.parseUrl(text),
      text,
      ca,
      connectTimeoutMs: this.#connectTimeoutMs,
      publicContext: () => (this.#publicContext ??= createSecureContext()),
      closing: this.#closing,
      onEmpty: () => this.#pools.delete(endpointId),
    });
    this.#pools.set(endpointId, pool);
    return pool;
  }
}

/** The result of an attempt that was not sent. */
function notSent({ outcome, error }: Verdict): PostResult {
  const timings = { dns: null, connect: null, firstByte: null, total: 0 };
  return { outcome, status: null, error, responseHeaders: [], responseBody: Buffer.alloc(0), timings };
}
