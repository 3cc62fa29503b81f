import { createSecureContext, type SecureContext } from "node:tls";
import { LRUCache } from "lru-cache";
import type { PostResult } from "../../domain/webhooks/attempt.ts";
import type { AddressGuard } from "../net/ssrf-guard.ts";
import { HttpAttempt, STOPPED, type AttemptOutcome } from "./http-attempt.ts";
import { EndpointPool } from "./connection-pool.ts";

export interface Post {
  /** Groups connections: those of one endpoint are reused while URL and CA stay the same. */
  endpointId: string;
  url: string;
  /** The caller validates names and values. */
  headers: Record<string, string>;
  /** JSON; bytes are UTF-8. */
  body: string | Uint8Array;
  /** PEM of a private CA, which replaces the public ones; null: none. TLS is always verified. */
  ca: string | null;
}

export interface RequestSenderOptions {
  guard: Pick<AddressGuard, "parseUrl" | "resolve">;
  /** Milliseconds for DNS, connect, TLS, request and response headers together. */
  timeoutMs: number;
  /** Milliseconds to connect, over all addresses; default 5,000. */
  connectTimeoutMs?: number;
}

/** POSTs end 0.3 s after `timeoutMs` at most, waits included. 500 endpoints keep up to 8 connections, for a minute. */
export class RequestSender implements AsyncDisposable {
  readonly #guard: RequestSenderOptions["guard"];
  readonly #timeoutMs: number;
  readonly #connectTimeoutMs: number;
  readonly #pools = new LRUCache<string, EndpointPool>({ max: 500, dispose: (pool) => pool.retire() });
  readonly #attempts = new Set<HttpAttempt>();
  /** Signals that have a listener. */
  readonly #signals = new WeakSet<AbortSignal>();
  readonly #closing = new Set<Promise<void>>();
  #publicContext: SecureContext | undefined;
  #isDisposed = false;

  constructor({ guard, timeoutMs, connectTimeoutMs = 5_000 }: RequestSenderOptions) {
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /**
   * Follows no redirects and never rejects. Sends again, within the deadline, if a reused connection broke before any
   * byte of the response. An aborted signal ends it as `reset`, unless the response's headers have arrived.
   */
  send(post: Post, signal?: AbortSignal): Promise<PostResult> {
    if (this.#isDisposed || signal?.aborted === true) return Promise.resolve(notSent(STOPPED));
    const { headers, body } = post;
    let pool: EndpointPool;
    try {
      pool = this.#poolFor(post);
    } catch (error) {
      return Promise.resolve(notSent({ outcome: "blocked", error: messageOf(error) }));
    }
    let head: string;
    try {
      head = pool.buildHead(headers, typeof body === "string" ? Buffer.byteLength(body) : body.length);
    } catch (error) {
      return Promise.resolve(notSent({ outcome: "protocol", error: messageOf(error) }));
    }
    if (signal !== undefined) this.#stopOnAbort(signal);
    return new Promise((resolve) => {
      const attempt = new HttpAttempt({
        head,
        body,
        timeoutMs: this.#timeoutMs,
        signal,
        onResult: (result, attempt) => {
          this.#attempts.delete(attempt);
          resolve(result);
        },
      });
      this.#attempts.add(attempt);
      pool.run(attempt);
    });
  }

  /** Stops requests in flight and closes every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const attempt of this.#attempts) attempt.stop();
    this.#pools.clear();
    await Promise.all(this.#closing);
  }

  /** One listener for all attempts of the signal. */
  #stopOnAbort(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    const stop = () => {
      for (const attempt of this.#attempts) if (attempt.signal === signal) attempt.stop();
    };
    signal.addEventListener("abort", stop, { once: true });
  }

  #poolFor({ endpointId, url: text, ca }: Post): EndpointPool {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Blocked.";
}

function notSent({ outcome, error }: AttemptOutcome): PostResult {
  const timings = { dns: null, connect: null, firstByte: null, total: 0 };
  return { outcome, status: null, error, responseHeaders: [], responseBody: Buffer.alloc(0), timings };
}
