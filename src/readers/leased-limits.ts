/** The rate limits in a reading process: it hands out tokens that the main process has lent it (leases.ts). */
import { LRUCache } from "lru-cache";
import {
  BURST_SECONDS,
  limitPolicy,
  MAX_BUCKETS,
  type RateLimit,
  type RateLimits,
} from "../http/read-api/rate-limit.ts";
import type { TokenLease, ReturnedTokens } from "./messages.ts";

/** Unused tokens are returned after this time, so `RateLimit` lags behind what other processes allow by no more. */
const KEEP_MS = 200;

export interface Lender {
  lend(keyId: string, rate: number): Promise<TokenLease>;
  giveBack(keyId: string, returned: ReturnedTokens): void;
  refuse(address: string): Promise<number | null>;
}

export class LeasedRateLimits implements RateLimits, Disposable {
  readonly #lender: Lender;
  readonly #limits = new LRUCache<string, LeasedLimit>({ max: MAX_BUCKETS });
  /** Limits with tokens that must be returned. */
  readonly #open = new Set<LeasedLimit>();
  readonly #timer = setInterval(() => this.#returnUnused(performance.now() - KEEP_MS), KEEP_MS / 2).unref();

  constructor(lender: Lender) {
    this.#lender = lender;
  }

  ofKey(keyId: string, rate: number): LeasedLimit {
    let limit = this.#limits.get(keyId);
    if (limit?.rate !== rate) {
      limit = new LeasedLimit(keyId, rate, this.#lender, this.#open);
      this.#limits.set(keyId, limit);
    }
    return limit;
  }

  refuse(address: string): Promise<number | null> {
    return this.#lender.refuse(address);
  }

  /** @returns the tokens that are not used. */
  recall(keyId: string): ReturnedTokens {
    return this.#limits.get(keyId)?.empty() ?? { tokens: 0, serial: Number.MAX_SAFE_INTEGER };
  }

  #returnUnused(leasedBefore: number): void {
    for (const limit of this.#open) {
      if (limit.leasedAt <= leasedBefore) this.#lender.giveBack(limit.keyId, limit.empty());
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#returnUnused(Number.POSITIVE_INFINITY);
  }
}

class LeasedLimit implements RateLimit {
  readonly keyId: string;
  readonly rate: number;
  readonly policy: string;
  readonly #lender: Lender;
  readonly #open: Set<LeasedLimit>;
  #tokens = 0;
  /** What the last lease left in the bucket. */
  #remaining = 0;
  #lentTokens = 0;
  #emptyUntil = 0;
  #serial = 0;
  #asking: Promise<number> | undefined;
  /** `performance.now()`. */
  leasedAt = 0;

  constructor(keyId: string, rate: number, lender: Lender, open: Set<LeasedLimit>) {
    this.keyId = keyId;
    this.rate = rate;
    this.policy = limitPolicy(rate);
    this.#lender = lender;
    this.#open = open;
  }

  readonly gather = async (): Promise<boolean> => {
    if (performance.now() < this.#emptyUntil) return false;
    return (await this.#ask()) > 0;
  };

  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    // Asked for in time, so that no request has to wait.
    if (this.#tokens < this.#lentTokens / 2) void this.gather();
    return true;
  }

  giveBack(): void {
    this.#tokens++;
    this.#open.add(this);
  }

  empty(): ReturnedTokens {
    const tokens = this.#tokens;
    this.#tokens = 0;
    this.#remaining += tokens;
    this.#open.delete(this);
    return { tokens, serial: this.#serial };
  }

  get state(): string {
    const burst = this.rate * BURST_SECONDS;
    const refilled = ((performance.now() - this.leasedAt) * this.rate) / 1_000;
    const remaining = Math.min(burst, this.#tokens + this.#remaining + refilled);
    return `"key";r=${Math.floor(remaining)};t=${Math.ceil((burst - remaining) / this.rate)}`;
  }

  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((this.#emptyUntil - performance.now()) / 1_000));
  }

  #ask(): Promise<number> {
    this.#asking ??= this.#lender
      .lend(this.keyId, this.rate)
      .then(({ tokens, serial, remaining, emptyMs }) => {
        this.#serial = serial;
        this.leasedAt = performance.now();
        this.#tokens += tokens;
        this.#lentTokens = tokens;
        this.#remaining = remaining;
        if (tokens > 0) this.#open.add(this);
        else this.#emptyUntil = this.leasedAt + emptyMs;
        return tokens;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}
