/** Fetches pictures, so that no host learns who reads. Each redirect is checked; size, time and number are limited. */
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import { BlockedAddressError } from "../net/ssrf-guard.ts";
import { guardedRequest, redirectTarget, type UrlGuard } from "./guarded-request.ts";

export interface FetchedPicture {
  /** One of `TYPES`. */
  type: string;
  bytes: Buffer;
}

/** Why there is no picture that may be shown; `blocked`: its address, or that of a redirect, must not be called. */
type Failure = "blocked" | "failed";

const TYPES: ReadonlySet<string> = new Set(
  "image/png image/jpeg image/gif image/webp image/avif image/svg+xml image/bmp image/x-icon image/vnd.microsoft.icon".split(
    " ",
  ),
);
const MAX_BYTES = 8_000_000;
const MAX_CACHED_BYTES = 32_000_000;
const CACHED_MS = 10 * 60_000;
const FAILURE_CACHED_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
/** Concurrent fetches. A slow host holds a slot for `TIMEOUT_MS`, so that one website never gets all of them. */
const SLOTS = { capacity: 12, perKey: 4, maxWaiting: 200 };

interface FetcherOptions {
  maxBytes?: number;
  /** When the result comes if no host responds, so that its time tells nothing of the network; null: at once. */
  failAfterMs?: number | null;
}

export class PictureFetcher implements Disposable {
  readonly #guard: UrlGuard;
  readonly #options: Required<FetcherOptions>;
  readonly #stopping = new AbortController();
  readonly #cache = new LRUCache<string, { picture: FetchedPicture | Failure }>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ picture }, key) => key.length + (typeof picture === "string" ? 0 : picture.bytes.length) + 100,
  });
  readonly #pending = new Map<string, Promise<FetchedPicture | Failure>>();
  readonly #turns = new FairQueue(SLOTS);

  constructor(guard: UrlGuard, options: FetcherOptions = {}) {
    this.#guard = guard;
    this.#options = { maxBytes: MAX_BYTES, failAfterMs: null, ...options };
  }

  /** Never rejects. */
  fetch(websiteId: string, url: string): Promise<FetchedPicture | Failure> {
    // Per website: a cached picture would tell one website which pictures another has.
    const key = `${websiteId} ${url}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return Promise.resolve(cached.picture);
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    if (this.#turns.isFull(websiteId)) return Promise.resolve("failed");
    const fetching = this.#turns.run(websiteId, () => this.#fetchNow(key, url));
    this.#pending.set(key, fetching);
    return fetching;
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  async #fetchNow(key: string, url: string): Promise<FetchedPicture | Failure> {
    const picture = await this.#tryFetch(url);
    this.#pending.delete(key);
    this.#cache.set(key, { picture }, { ttl: typeof picture === "string" ? FAILURE_CACHED_MS : CACHED_MS });
    return picture;
  }

  async #tryFetch(url: string): Promise<FetchedPicture | Failure> {
    const { failAfterMs } = this.#options;
    const { signal: stopping } = this.#stopping;
    const deadline =
      failAfterMs === null
        ? null
        : sleep(failAfterMs, undefined, { ref: false, signal: stopping }).catch(() => undefined);
    const late = new AbortController();
    let hasHead = false;
    const expire = async () => {
      await deadline;
      if (!hasHead) late.abort();
    };
    if (deadline !== null) void expire();
    try {
      const response = await this.#follow(
        url,
        AbortSignal.any([stopping, late.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      );
      hasHead = true;
      return (response && (await this.#read(response))) ?? "failed";
    } catch (error) {
      if (!hasHead) await deadline;
      return error instanceof BlockedAddressError ? "blocked" : "failed";
    }
  }

  /** The response at the end of the redirects; null if there is none with a picture. */
  async #follow(text: string, signal: AbortSignal): Promise<IncomingMessage | null> {
    let address = text;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const url = this.#guard.parseUrl(address.replace(/#.*$/s, ""));
      const response = await guardedRequest(this.#guard, url, { method: "GET", accept: "image/*", signal });
      if (response.statusCode === 200) return response;
      response.destroy();
      const target = redirectTarget(response, url);
      if (target === null) return null;
      address = target;
    }
    return null;
  }

  async #read(response: IncomingMessage): Promise<FetchedPicture | null> {
    const type = (response.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (!TYPES.has(type) || Number(response.headers["content-length"] ?? 0) > this.#options.maxBytes) {
      response.destroy();
      return null;
    }
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      length += part.length;
      // Leaving the loop destroys the response.
      if (length > this.#options.maxBytes) return null;
      parts.push(part);
    }
    return { type, bytes: Buffer.concat(parts) };
  }
}
