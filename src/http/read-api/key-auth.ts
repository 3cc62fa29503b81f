/**
 * Who asks. A key that was looked up is remembered for as long as no newer commit can be visible, so a revocation by
 * any process is seen by the very next request, and a known key costs no query.
 */
import { LRUCache } from "lru-cache";
import type { Millis } from "../../domain/articles/article.ts";
import { type ApiKey, keyRefusal, type KeyScope } from "../../domain/people/api-key.ts";
import { findKey } from "../../operations/people/api-keys.ts";
import { KeyUse, type KeyUseOptions, type RequestCounter } from "./api-key-usage.ts";
import { Bucket } from "./rate-limit.ts";
import type { Partition } from "./response-cache.ts";

/** Requests that may be made at once after a pause, in seconds of the rate. */
const BURST_SECONDS = 2;
/** A key's last use is saved at most so often. */
const LAST_USED_EVERY_MS = 5 * 60_000;
/** Unknown keys per hour and address (docs/specification.md, section 8). */
const REFUSALS_PER_HOUR = 100;
const HOUR_S = 3_600;
/** Above so many all are looked up anew. */
const MAX_HOLDERS = 10_000;

/** A key that is accepted now. */
export interface AuthenticatedKey {
  readonly key: ApiKey;
  /** Null: not limited. */
  readonly bucket: Bucket | null;
  /** The prepared answers that it may see. */
  readonly partition: Partition;
  /** The store's freshness for its website when it was looked up. */
  readonly seenAt: number;
  readonly counter: RequestCounter;
}

interface KnownHolder extends AuthenticatedKey {
  lastUsedAt: Millis;
}

export interface ApiKeyCacheOptions extends KeyUseOptions {
  /** Requests per second and key where the key has none of its own; 0: unlimited. */
  defaultRate: number;
  /** Where prepared answers of a website and scope are kept. */
  partition: (websiteId: string, scope: KeyScope) => Partition;
}

export class ApiKeyCache {
  readonly #options: ApiKeyCacheOptions;
  readonly #holders = new Map<string, KnownHolder>();
  readonly #refusals = new LRUCache<string, Bucket>({ max: 10_000 });
  readonly #use: KeyUse;

  constructor(options: ApiKeyCacheOptions) {
    this.#options = options;
    this.#use = new KeyUse(options);
  }

  /** The holder, if that is certain without a query. `startedAt`: `performance.now()`. */
  peek(secret: string, now: Millis, startedAt?: number): AuthenticatedKey | undefined {
    const holder = this.#holders.get(secret);
    if (holder === undefined) return undefined;
    if (holder.seenAt !== this.#options.deps.store.changeToken(holder.key.websiteId, startedAt)) return undefined;
    if (keyRefusal(holder.key, now) !== null) return undefined;
    if (now - holder.lastUsedAt >= LAST_USED_EVERY_MS) this.#noteUse(holder, now);
    return holder;
  }

  /** @returns the holder, or why the key is refused. */
  async find(secret: string, now: Millis): Promise<AuthenticatedKey | "unknown" | "revoked" | "expired"> {
    // Before it is looked up: should it be revoked meanwhile, the next request asks again. Whose key it is may not be known
    // yet; the number of no website is that of all that have not changed lately, and says no more of the others.
    const changeToken = this.#options.deps.store.changeToken(this.#holders.get(secret)?.key.websiteId ?? "");
    const key = await findKey(this.#options.deps, secret);
    if (key === undefined) return "unknown";
    const refusal = keyRefusal(key, now);
    if (refusal !== null) {
      this.#holders.delete(secret);
      return refusal;
    }
    const earlier = this.#holders.get(secret);
    const holder: KnownHolder = {
      key,
      bucket: earlier?.key.rateLimit === key.rateLimit ? earlier.bucket : this.#bucketFor(key, now),
      partition: this.#options.partition(key.websiteId, key.scope),
      seenAt: changeToken,
      counter: earlier?.counter ?? { keyId: key.id, websiteId: key.websiteId, requests: 0, hour: 0 },
      lastUsedAt: Math.max(earlier?.lastUsedAt ?? 0, key.lastUsedAt ?? 0),
    };
    if (this.#holders.size >= MAX_HOLDERS) this.#holders.clear();
    this.#holders.set(secret, holder);
    if (now - holder.lastUsedAt >= LAST_USED_EVERY_MS) this.#noteUse(holder, now);
    return holder;
  }

  /** Counts an unknown key. @returns seconds to wait when the address has tried too many. */
  refuse(address: string, now: Millis): number | null {
    let bucket = this.#refusals.get(address);
    if (bucket === undefined) {
      bucket = new Bucket(REFUSALS_PER_HOUR / HOUR_S, REFUSALS_PER_HOUR, now);
      this.#refusals.set(address, bucket);
    }
    return bucket.take(now) ? null : bucket.retryAfterSeconds;
  }

  /** Counts a request that was answered, whatever the answer. */
  count(holder: AuthenticatedKey): void {
    this.#use.count(holder.counter);
  }

  /** Writes down what is known of the keys' use and is not written yet. */
  flush(): Promise<void> {
    return this.#use.flush();
  }

  #bucketFor(key: ApiKey, now: Millis): Bucket | null {
    const rate = key.rateLimit ?? this.#options.defaultRate;
    return rate === 0 ? null : new Bucket(rate, rate * BURST_SECONDS, now);
  }

  #noteUse(holder: KnownHolder, now: Millis): void {
    holder.lastUsedAt = now;
    this.#use.used(holder.key.id, now);
  }
}
