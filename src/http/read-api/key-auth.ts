/** A key is cached while no newer commit can be visible: known ones need no query, and revocation shows at once. */
import { HOUR_MS, type Millis, startOfHour } from "../../domain/system/time.ts";
import { type ApiKey, hashKey, isWellFormedKey, keyRefusal, type KeyScope } from "../../domain/people/api-key.ts";
import { findKeyByHash } from "../../store/people/api-keys.ts";
import type { ChangeFeed, Store } from "../../store/store.ts";
import type { KeyRequests } from "../../store/people/key-requests.ts";
import type { Deps } from "../../operations/system/deps.ts";
import { type Bucket, RateLimits } from "./rate-limit.ts";
import type { Partition } from "./response-cache.ts";

/** A key's last use is saved at most this often. */
const LAST_USED_EVERY_MS = 5 * 60_000;
const SAVE_USES_AFTER_MS = 1_000;
const SAVE_REQUESTS_AFTER_MS = 60_000;
/** When this many keys are cached, the cache is cleared. */
const MAX_CACHED = 10_000;

/** A key that is currently accepted. */
export interface AuthenticatedKey {
  readonly key: ApiKey;
  /** Null: unlimited. */
  readonly bucket: Bucket | null;
  /** The cached responses that the key may see. */
  readonly partition: Partition;
  /** The store's change token for its website when it was looked up. */
  readonly seenAt: number;
  readonly counter: RequestCounter;
}

interface CachedKey extends AuthenticatedKey {
  lastUsedAt: Millis;
}

export interface ApiKeyCacheOptions extends KeyUseOptions {
  /** Requests per second for keys without a rate of their own; 0: unlimited. */
  defaultRate: number;
  partition: (websiteId: string, scope: KeyScope) => Partition;
}

export class ApiKeyCache {
  readonly #options: ApiKeyCacheOptions;
  readonly #cached = new Map<string, CachedKey>();
  readonly #limits = new RateLimits();
  readonly #use: KeyUse;

  constructor(options: ApiKeyCacheOptions) {
    this.#options = options;
    this.#use = new KeyUse(options);
  }

  /** The key, if it is certain without a query. `startedAt`: `performance.now()`. */
  peek(secret: string, now: Millis, startedAt?: number): AuthenticatedKey | undefined {
    const cached = this.#cached.get(secret);
    if (cached === undefined) return undefined;
    if (cached.seenAt !== this.#options.deps.store.changeToken(cached.key.websiteId, startedAt)) return undefined;
    if (keyRefusal(cached.key, now) !== null) return undefined;
    if (now - cached.lastUsedAt >= LAST_USED_EVERY_MS) this.#recordUse(cached, now);
    return cached;
  }

  /** @returns the key, or why it is refused. */
  async find(secret: string, now: Millis): Promise<AuthenticatedKey | "unknown" | "revoked" | "expired"> {
    // Taken before the lookup: if the key is revoked meanwhile, the next request looks it up again. The key's website
    // may not be known yet; the token of no website is that of all websites without recent changes, and says nothing
    // about the others.
    const changeToken = this.#options.deps.store.changeToken(this.#cached.get(secret)?.key.websiteId ?? "");
    const key = isWellFormedKey(secret)
      ? await this.#options.deps.store.read((db) => findKeyByHash(db, hashKey(secret)))
      : undefined;
    if (key === undefined) return "unknown";
    const refusal = keyRefusal(key, now);
    if (refusal !== null) {
      this.#cached.delete(secret);
      return refusal;
    }
    const earlier = this.#cached.get(secret);
    const rate = key.rateLimit ?? this.#options.defaultRate;
    const cached: CachedKey = {
      key,
      bucket: rate === 0 ? null : this.#limits.ofKey(key.id, rate, now),
      partition: this.#options.partition(key.websiteId, key.scope),
      seenAt: changeToken,
      counter: earlier?.counter ?? { keyId: key.id, websiteId: key.websiteId, requests: 0, hour: 0 },
      lastUsedAt: Math.max(earlier?.lastUsedAt ?? 0, key.lastUsedAt ?? 0),
    };
    if (this.#cached.size >= MAX_CACHED) this.#cached.clear();
    this.#cached.set(secret, cached);
    if (now - cached.lastUsedAt >= LAST_USED_EVERY_MS) this.#recordUse(cached, now);
    return cached;
  }

  /** Counts a request with an unknown key. @returns seconds to wait if the address has sent too many. */
  refuse(address: string, now: Millis): number | null {
    return this.#limits.refuse(address, now);
  }

  /** Counts a request that was answered, whatever the response. */
  count(cached: AuthenticatedKey): void {
    this.#use.count(cached.counter);
  }

  /** Saves usage that is not saved yet. */
  flush(): Promise<void> {
    return this.#use.flush();
  }

  #recordUse(cached: CachedKey, now: Millis): void {
    cached.lastUsedAt = now;
    this.#use.used(cached.key.id, now);
  }
}

/** Requests of one key since the counter was last read. */
interface RequestCounter {
  readonly keyId: string;
  readonly websiteId: string;
  requests: number;
  /** The hour in which counting began. */
  hour: Millis;
}

interface KeyUseOptions {
  deps: Pick<Deps, "clock"> & { store: Store & Pick<ChangeFeed, "changeToken"> };
  /** `message`: set if there is more to report than that usage was not saved. */
  onError: (error: unknown, message?: string) => void;
}

/** Saves the time of last use a second later, and counts by UTC hour once a minute: requests cost an addition. */
export class KeyUse {
  readonly #options: KeyUseOptions;
  readonly #used = new Map<string, Millis>();
  readonly #counting = new Set<RequestCounter>();
  #unsaved: KeyRequests[] = [];
  #useTimer: NodeJS.Timeout | undefined;
  #requestsTimer: NodeJS.Timeout | undefined;

  constructor(options: KeyUseOptions) {
    this.#options = options;
  }

  used(keyId: string, now: Millis): void {
    this.#used.set(keyId, now);
    this.#useTimer ??= setTimeout(() => {
      // Not retried: the next time of use is saved five minutes later.
      this.#saveUses().catch(this.#options.onError);
    }, SAVE_USES_AFTER_MS).unref();
  }

  /** Called for every response, so it must be cheap. */
  count(counter: RequestCounter): void {
    if (counter.requests++ === 0) this.#begin(counter);
  }

  async flush(): Promise<void> {
    await this.#saveUses();
    await this.#saveRequests();
  }

  #begin(counter: RequestCounter): void {
    const now = this.#options.deps.clock();
    counter.hour = startOfHour(now);
    this.#counting.add(counter);
    // At the end of the hour at the latest: requests after it belong to the next hour.
    this.#requestsTimer ??= setTimeout(
      () => void this.#saveRequests().catch(this.#options.onError),
      Math.min(SAVE_REQUESTS_AFTER_MS, startOfHour(now) + HOUR_MS - now),
    ).unref();
  }

  async #saveUses(): Promise<void> {
    clearTimeout(this.#useTimer);
    this.#useTimer = undefined;
    const uses = Array.from(this.#used, ([id, usedAt]) => ({ id, usedAt }));
    this.#used.clear();
    if (uses.length === 0) return;
    const { recordKeyUse } = await import("../../operations/people/api-keys.ts");
    await recordKeyUse(this.#options.deps, uses, this.#options.onError);
  }

  async #saveRequests(): Promise<void> {
    clearTimeout(this.#requestsTimer);
    this.#requestsTimer = undefined;
    const counts = summed([...this.#unsaved, ...this.#counting]);
    this.#unsaved = [];
    for (const counter of this.#counting) counter.requests = 0;
    this.#counting.clear();
    if (counts.length === 0) return;
    try {
      const { recordKeyRequests } = await import("../../operations/people/api-keys.ts");
      await recordKeyRequests(this.#options.deps, counts, this.#options.onError);
    } catch (error) {
      this.#unsaved.push(...counts);
      throw error;
    }
  }
}

/** One entry per key and hour: a key that was looked up again may have two counters. */
function summed(counts: readonly KeyRequests[]): KeyRequests[] {
  const all = new Map<string, KeyRequests>();
  for (const { keyId, websiteId, hour, requests } of counts) {
    const name = `${keyId} ${hour}`;
    all.set(name, { keyId, websiteId, hour, requests: requests + (all.get(name)?.requests ?? 0) });
  }
  return [...all.values()];
}
