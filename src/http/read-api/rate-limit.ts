import { LRUCache } from "lru-cache";

/** Requests allowed at once after a pause, in seconds of the rate. */
export const BURST_SECONDS = 2;
/** Requests with unknown keys per hour and address (docs/specification.md, section 8). */
const REFUSALS_PER_HOUR = 100;
const HOUR_S = 3_600;
export const MAX_BUCKETS = 10_000;

/** The rate limit of a key, as this process knows it. */
export interface RateLimit {
  /** Value of the header `RateLimit-Policy`. */
  readonly policy: string;
  /** Value of the header `RateLimit`. */
  readonly state: string;
  /** Whole seconds until the next token, at least 1. */
  readonly retryAfterSeconds: number;
  /** @returns whether a token was available. `now` in milliseconds. */
  take(now: number): boolean;
  giveBack(): void;
  /** Fetches tokens from the processes that hold some of them; null: none do. @returns whether there were any. */
  readonly gather: (() => Promise<boolean>) | null;
}

/** Where the limits are counted: in this process, or for a reading process in the main one (readers/). */
export interface RateLimits {
  /** `rate`: requests per second. */
  ofKey(keyId: string, rate: number, now: number): RateLimit;
  /** Counts a request with an unknown key. @returns seconds to wait if the address has sent too many. */
  refuse(address: string, now: number): number | null | Promise<number | null>;
}

export class LocalRateLimits implements RateLimits {
  readonly #keys = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });
  readonly #addresses = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  ofKey(keyId: string, rate: number, now: number): Bucket {
    let bucket = this.#keys.get(keyId);
    if (bucket?.rate !== rate) {
      bucket = new Bucket(rate, rate * BURST_SECONDS, now);
      this.#keys.set(keyId, bucket);
    }
    return bucket;
  }

  refuse(address: string, now: number): number | null {
    let bucket = this.#addresses.get(address);
    if (bucket === undefined) {
      bucket = new Bucket(REFUSALS_PER_HOUR / HOUR_S, REFUSALS_PER_HOUR, now);
      this.#addresses.set(address, bucket);
    }
    return bucket.take(now) ? null : bucket.retryAfterSeconds;
  }
}

export function limitPolicy(rate: number, burst = rate * BURST_SECONDS): string {
  return `"key";q=${burst};w=${Math.ceil(burst / rate)}`;
}

/** A token bucket: `rate` tokens a second, at most `burst` of them saved up. */
export class Bucket implements RateLimit {
  gather: RateLimit["gather"] = null;
  readonly rate: number;
  readonly burst: number;
  readonly policy: string;
  #tokens: number;
  #filledAt: number;

  constructor(rate: number, burst: number, now: number) {
    this.rate = rate;
    this.burst = burst;
    this.policy = limitPolicy(rate, burst);
    this.#tokens = burst;
    this.#filledAt = now;
  }

  take(now: number): boolean {
    return this.takeUpTo(1, now) === 1;
  }

  /** @returns how many tokens were available, at most `most`. `now` in milliseconds. */
  takeUpTo(most: number, now: number): number {
    this.#fill(now);
    const taken = Math.min(most, Math.floor(this.#tokens));
    this.#tokens -= taken;
    return taken;
  }

  giveBack(tokens = 1): void {
    this.#tokens = Math.min(this.burst, this.#tokens + tokens);
  }

  get state(): string {
    return `"key";r=${this.remaining};t=${this.resetSeconds}`;
  }

  get remaining(): number {
    return Math.floor(this.#tokens);
  }

  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.rate));
  }

  /** Until the next token; 0 if there is one. */
  get emptyMs(): number {
    return Math.max(0, ((1 - this.#tokens) * 1_000) / this.rate);
  }

  /** Whole seconds until the bucket is full. */
  get resetSeconds(): number {
    return Math.ceil((this.burst - this.#tokens) / this.rate);
  }

  #fill(now: number): void {
    // A clock that was set back must not drain the bucket.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.burst, this.#tokens + (elapsed * this.rate) / 1000);
    this.#filledAt = now;
  }
}
