/**
 * How often passwords and codes may be tried. A try takes a token of each of its buckets, and success gives them back:
 * only failures count. It is per process: with several, as many times more.
 */
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { AppError } from "../../domain/errors.ts";
import { Bucket } from "../public/rate-limit.ts";
import { TooManyTries } from "../too-many-tries.ts";

const LIMITS = {
  /** Of everybody together: one core computes about 25 hashes a second. */
  all: { rate: 20, burst: 60 },
  address: { rate: 1 / 3, burst: 30 },
  email: { rate: 1 / 30, burst: 10 },
  /** Whoever comes here knows the password; a million codes are soon tried, were there no limit. */
  code: { rate: 1 / 300, burst: 5 },
  /** Of somebody who is signed in and proves the password again. */
  account: { rate: 1 / 30, burst: 10 },
  /** Each is a row in the database for five minutes. */
  challenge: { rate: 1, burst: 30 },
} as const;

type Try = readonly [kind: keyof typeof LIMITS, key: string];

const MOST_BUCKETS = 20_000;

export class Throttle {
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MOST_BUCKETS });

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whatever comes of it, it counts. @throws TooManyTries. */
  spend(tries: readonly Try[]): void {
    this.#take(tries);
  }

  /** @throws TooManyTries; and whatever `work` throws. */
  async attempt<T>(tries: readonly Try[], work: () => Promise<T>): Promise<T> {
    this.#take(tries);
    let isFailure = false;
    try {
      return await work();
    } catch (error) {
      // That the database cannot be reached is nobody's guess.
      isFailure = error instanceof AppError && isGuess(error);
      throw error;
    } finally {
      if (!isFailure) this.#giveBack(tries);
    }
  }

  #take(tries: readonly Try[]): void {
    const now = this.#now();
    for (const [index, one] of tries.entries()) {
      const bucket = this.#bucketOf(one, now);
      if (bucket.take(now)) continue;
      this.#giveBack(tries.slice(0, index));
      throw new TooManyTries(bucket.retryAfterSeconds);
    }
  }

  #giveBack(tries: readonly Try[]): void {
    for (const one of tries) this.#bucketOf(one, this.#now()).giveBack();
  }

  #bucketOf([kind, key]: Try, now: number): Bucket {
    const name = `${kind} ${kind === "address" ? networkOf(key) : key}`;
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      const { rate, burst } = LIMITS[kind];
      bucket = new Bucket(rate, burst, now);
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }
}

/** A new password that is too short is a slip, not a guess. */
function isGuess({ code, field }: AppError): boolean {
  return code === "unauthenticated" || code === "not_found" || field === "current_password" || field === "code";
}

/** Of IPv6 the first 64 bits: the rest is one customer's to choose. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(":");
}
