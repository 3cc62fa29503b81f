import { LRUCache } from "lru-cache";

/** Requests allowed at once after a pause, in seconds of the rate. */
const BURST_SECONDS = 2;
/** Requests with unknown keys per hour and address (docs/specification.md, section 8). */
const REFUSALS_PER_HOUR = 100;
const HOUR_S = 3_600;
const MAX_BUCKETS = 10_000;

export class RateLimits {
  readonly #keys = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });
  readonly #addresses = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  /** `rate`: requests per second. */
  ofKey(keyId: string, rate: number, now: number): Bucket {
    let bucket = this.#keys.get(keyId);
    if (bucket?.rate !== rate) {
      bucket = new Bucket(rate, rate * BURST_SECONDS, now);
      this.#keys.set(keyId, bucket);
    }
    return bucket;
  }

  /** Counts a request with an unknown key. @returns seconds to wait if the address has sent too many. */
  refuse(address: string, now: number): number | null {
    let bucket = this.#addresses.get(address);
    if (bucket === undefined) {
      bucket = new Bucket(REFUSALS_PER_HOUR / HOUR_S, REFUSALS_PER_HOUR, now);
      this.#addresses.set(address, bucket);
    }
    return bucket.take(now) ? null : bucket.retryAfterSeconds;
  }
}

/** A token bucket: `rate` tokens a second, at most `burst` of them saved up. After a large `charge` it owes some. */
export class Bucket {
  readonly rate: number;
  readonly burst: number;
  /** Value of the header `RateLimit-Policy`. */
  readonly policy: string;
  #tokens: number;
  #filledAt: number;

  constructor(rate: number, burst: number, now: number) {
    this.rate = rate;
    this.burst = burst;
    this.policy = `"key";q=${burst};w=${Math.ceil(burst / rate)}`;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** @returns whether a token was available. `now` in milliseconds. */
  take(now: number): boolean {
    this.#fill(now);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes tokens whether or not they are there. */
  charge(tokens: number): void {
    this.#tokens -= tokens;
  }

  /** Milliseconds until it owes nothing. */
  owesMs(now: number): number {
    this.#fill(now);
    return Math.max(0, (-this.#tokens * 1_000) / this.rate);
  }

  giveBack(): void {
    this.#tokens = Math.min(this.burst, this.#tokens + 1);
  }

  /** Value of the header `RateLimit`: tokens left, and whole seconds until the bucket is full. */
  get state(): string {
    return `"key";r=${Math.max(0, Math.floor(this.#tokens))};t=${Math.ceil((this.burst - this.#tokens) / this.rate)}`;
  }

  /** Whole seconds until the next token, at least 1. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.rate));
  }

  #fill(now: number): void {
    // A clock that was set back must not drain the bucket.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.burst, this.#tokens + (elapsed * this.rate) / 1000);
    this.#filledAt = now;
  }
}
