/** What the parts of the dispatcher share. */
import type { Claim } from "../../store/webhooks/claims.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { RetryPolicy } from "../../domain/webhooks/delivery.ts";
import type { Recorded, RecordOptions } from "../../operations/webhooks/record-attempts.ts";
import type { Deps, PollingDeps } from "../../operations/system/deps.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";

/** Options of the dispatcher and its parts (claimer.ts, sender.ts, result-writer.ts). */
export interface DispatcherOptions extends Omit<RecordOptions, "isSilent"> {
  deps: PollingDeps & Pick<Deps, "newId" | "secrets" | "post" | "randomBytes" | "mail">;
  /** `timeoutMs`: timeout of one attempt. */
  policy: RetryPolicy & { timeoutMs: number };
  /** Registry of the leases held here. */
  leases?: LeaseRegistry;
  /** For processes that share a PostgreSQL database; absent: never fenced. */
  liveness?: Pick<SharedLiveness, "isFenced">;
  onRecorded: (results: readonly Recorded[]) => void;
  onError: (error: unknown, message: string) => void;
}

const LEASE_MS = 30_000;
/** A lease outlasts the attempt's timeout by this factor, so that the result can still be recorded. */
const LEASE_PER_TIMEOUT = 1.5;

/** How long a lease lasts. */
export function toLeaseMs({ timeoutMs }: Pick<DispatcherOptions["policy"], "timeoutMs">): number {
  return Math.max(LEASE_MS, timeoutMs * LEASE_PER_TIMEOUT);
}

/** Minimum time between two logs of the same failure. */
export const LOG_AGAIN_AFTER_MS = 60_000;

/** The leases that this worker holds, as far as it knows. The store may know of more. */
export class LeaseRegistry {
  /** Number of deliveries by claim token. */
  readonly #leases = new Map<string, number>();
  /** Tokens of claims that are being committed. */
  readonly #coming = new Set<string>();

  get isEmpty(): boolean {
    return this.#leases.size === 0 && this.#coming.size === 0;
  }

  /** Announces a claim under this token. */
  begin(token: string): void {
    this.#coming.add(token);
  }

  /**
   * Registers the claims that were made. Announced tokens without claims are dropped: as far as is known, those claims failed.
   */
  made(claims: readonly Claim[]): void {
    this.#coming.clear();
    for (const { token } of claims) this.#leases.set(token, (this.#leases.get(token) ?? 0) + 1);
  }

  /** Removes one delivery of the claim, which was finished or released. */
  end({ token }: Pick<Claim, "token">): void {
    const left = (this.#leases.get(token) ?? 0) - 1;
    if (left > 0) this.#leases.set(token, left);
    else this.#leases.delete(token);
  }

  /** Whether this worker knows the claim. An unknown one in the store was committed after its connection had been given up. */
  isKnown(token: string): boolean {
    return this.#leases.has(token) || this.#coming.has(token);
  }
}

const AT_ONCE = 20;
const ONE_EVERY_MS = 60_000;

/**
 * Limits how many deliveries are given up. When several in a row cannot be sent or recorded, with no success in between, the
 * cause is probably a bug in this program. A few are given up, then one a minute: the others stay queued for a fixed version,
 * and a faulty delivery does not block them forever.
 */
export class Brake {
  #left = AT_ONCE;
  #nextAt: Millis = 0;

  /** Resets the limit: something was sent or recorded. */
  release(): void {
    this.#left = AT_ONCE;
  }

  /** Whether one more may be given up. Call it once for each delivery. */
  allows(now: Millis): boolean {
    if (this.#left === 0 && now < this.#nextAt) return false;
    this.#left = Math.max(0, this.#left - 1);
    this.#nextAt = now + ONE_EVERY_MS;
    return true;
  }
}
