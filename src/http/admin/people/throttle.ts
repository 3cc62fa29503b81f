/**
 * A try of a password or code takes a token from each of its buckets, and success returns them, so that only failures
 * count. Each process counts separately.
 */
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { AppError } from "../../../domain/system/errors.ts";
import { Bucket } from "../../read-api/rate-limit.ts";
import { TooManyTries } from "../../pages/too-many-requests.ts";

/** Requests a second with one access token. */
export const TOKEN_RATE = { rate: 20, burst: 40 } as const;

/**
 * Each kind has up to `max` buckets of its own, so that attackers who invent keys cannot evict buckets of another kind.
 * A full bucket can be evicted without loss. `all` lets attackers open 60 `email` buckets at once and 20 a second, and
 * each is full again after 300 s: at most 6,060 are not full, fewer than `max`.
 */
const LIMITS = {
  /** All unknown devices together; one core computes about 25 hashes a second. */
  all: { rate: 20, burst: 60, max: 1 },
  address: { rate: 1 / 3, burst: 30, max: 20_000 },
  /** Wrong links of guests and in e-mails, which do not count against sign-ins from the same address. */
  guestLink: { rate: 1 / 3, burst: 30, max: 20_000 },
  mailedLink: { rate: 1 / 3, burst: 30, max: 20_000 },
  email: { rate: 1 / 30, burst: 10, max: 10_000 },
  /** Replaces the three above for a known device, so that strangers cannot lock out a user. */
  device: { rate: 1 / 30, burst: 10, max: 10_000 },
  /** Counted once the password is correct. There are only a million codes. */
  code: { rate: 1 / 300, burst: 5, max: 10_000 },
  account: { rate: 1 / 30, burst: 10, max: 10_000 },
  /** E-mails requested by a person, by an IP address or for an account, whether or not they arrive. */
  mailed: { rate: 1 / 300, burst: 3, max: 10_000 },
  asker: { rate: 1 / 60, burst: 10, max: 20_000 },
  /** E-mails turned off for an account: mail providers may repeat their request. */
  unsubscribe: { rate: 1 / 10, burst: 20, max: 10_000 },
  /** Comments by one review link. */
  guest: { rate: 1 / 10, burst: 10, max: 10_000 },
  /** Requests with one access token. */
  token: { ...TOKEN_RATE, max: 10_000 },
  /** Requests with an unknown access token, or with none (docs/specification.md, section 8), and refused senders. */
  stranger: { rate: 100 / 3_600, burst: 100, max: 20_000 },
  /** Requests to one sender from one address, so that strangers cannot lock out a sender. */
  sender: { rate: 5, burst: 50, max: 10_000 },
  /** Each challenge is a row in the database for five minutes. */
  challenge: { rate: 1, burst: 30, max: 10_000 },
} as const;

type Kind = keyof typeof LIMITS;
const OF_ADDRESSES: ReadonlySet<Kind> = new Set(["stranger", "address", "guestLink", "mailedLink", "asker"]);
type Try = readonly [kind: Kind, key: string];

export class Throttle {
  readonly #now: () => number;
  readonly #buckets = new Map<Kind, LRUCache<string, Bucket>>();

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a try whatever its outcome. @throws TooManyTries. */
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
      // Other failures, such as an unreachable database, are not wrong guesses.
      isFailure = error instanceof AppError && isGuess(error);
      throw error;
    } finally {
      if (!isFailure) this.#giveBack(tries);
    }
  }

  #take(tries: readonly Try[]): void {
    const now = this.#now();
    for (const [index, one] of tries.entries()) {
      const bucket = this.#getBucket(one, now);
      if (bucket.take(now)) continue;
      this.#giveBack(tries.slice(0, index));
      throw new TooManyTries(bucket.retryAfterSeconds);
    }
  }

  #giveBack(tries: readonly Try[]): void {
    for (const one of tries) this.#getBucket(one, this.#now()).giveBack();
  }

  #getBucket([kind, key]: Try, now: number): Bucket {
    const { rate, burst, max } = LIMITS[kind];
    const ofKind = this.#buckets.get(kind) ?? new LRUCache<string, Bucket>({ max });
    this.#buckets.set(kind, ofKind);
    const name = OF_ADDRESSES.has(kind) ? toNetwork(key) : key;
    const bucket = ofKind.get(name) ?? new Bucket(rate, burst, now);
    ofKind.set(name, bucket);
    return bucket;
  }
}

/** A new password that is too short is a mistake, not a guess. */
function isGuess({ code, field }: AppError): boolean {
  return code === "unauthenticated" || code === "not_found" || field === "current_password" || field === "code";
}

/** For IPv6 the first 64 bits, since a single customer controls the rest. */
export function toNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, 4).join(":");
}
