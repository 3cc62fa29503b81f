/**
 * Lends tokens of the rate limits to the reading processes, so that a limit holds for all of them together. Before a request
 * is refused, the tokens that the others have not used are recalled: no request is refused too early, and none is allowed
 * too many.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bucket, LocalRateLimits } from "../http/read-api/rate-limit.ts";
import type { TokenLease, ReturnedTokens } from "./messages.ts";

const RECALL_TIMEOUT_MS = 250;
/** Tokens of this many seconds are lent at once. */
const LEASE_S = 0.1;

export interface LeasesOptions<Holder> {
  limits: LocalRateLimits;
  now: () => number;
  /** @returns the tokens that the holder has not used. */
  recall: (holder: Holder, keyId: string) => Promise<ReturnedTokens>;
}

export class Leases<Holder> {
  readonly #options: LeasesOptions<Holder>;
  /** Who may hold tokens, and its latest lease, by key. */
  readonly #lent = new Map<string, { bucket: Bucket; holders: Map<Holder, number> }>();
  #serial = 0;

  constructor(options: LeasesOptions<Holder>) {
    this.#options = options;
  }

  async lend(holder: Holder, keyId: string, rate: number): Promise<TokenLease> {
    const { limits, now } = this.#options;
    const bucket = limits.ofKey(keyId, rate, now());
    const most = Math.max(1, Math.ceil(rate * LEASE_S));
    let tokens = bucket.takeUpTo(most, now());
    if (tokens === 0 && (await this.#recallAll(keyId, holder))) tokens = bucket.takeUpTo(most, now());
    const serial = ++this.#serial;
    if (tokens > 0) this.#add(holder, keyId, bucket, serial);
    return { tokens, serial, remaining: bucket.remaining, emptyMs: bucket.emptyMs };
  }

  giveBack(holder: Holder, keyId: string, { tokens, serial }: ReturnedTokens): void {
    const lent = this.#lent.get(keyId);
    if (lent === undefined) return;
    lent.bucket.giveBack(tokens);
    // A later lease is on its way to the holder.
    if ((lent.holders.get(holder) ?? 0) <= serial) this.#remove(holder, keyId);
  }

  /** The process has ended, with the tokens that it held. */
  forget(holder: Holder): void {
    for (const keyId of this.#lent.keys()) this.#remove(holder, keyId);
  }

  #add(holder: Holder, keyId: string, bucket: Bucket, serial: number): void {
    let lent = this.#lent.get(keyId);
    if (lent?.bucket !== bucket) {
      lent = { bucket, holders: new Map() };
      this.#lent.set(keyId, lent);
      bucket.gather = () => this.#recallAll(keyId, null);
    }
    lent.holders.set(holder, serial);
  }

  #remove(holder: Holder, keyId: string): void {
    const lent = this.#lent.get(keyId);
    if (lent?.holders.delete(holder) !== true || lent.holders.size > 0) return;
    lent.bucket.gather = null;
    this.#lent.delete(keyId);
  }

  /** @returns whether there were any tokens. */
  async #recallAll(keyId: string, except: Holder | null): Promise<boolean> {
    const holders = [...(this.#lent.get(keyId)?.holders.keys() ?? [])].filter((holder) => holder !== except);
    const found = await Promise.all(
      holders.map(async (holder) => {
        const recalled = this.#options.recall(holder, keyId).then((returned) => {
          this.giveBack(holder, keyId, returned);
          return returned.tokens;
        });
        // A process that hangs must not hold up the others.
        return Promise.race([recalled, sleep(RECALL_TIMEOUT_MS, 0, { ref: false })]);
      }),
    );
    return found.some((tokens) => tokens > 0);
  }
}
