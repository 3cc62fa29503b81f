/**
 * Records the results of attempts and releases unused claims. A batch that fails other than by an outage is recorded
 * item by item, and an item that fails alone is set aside. When several results in a row fail, with none recorded in
 * between, the cause is probably a bug in this program, and the brake engages: failed results are kept in memory,
 * nothing more is claimed from their endpoints, and a few are retried every few seconds.
 */
import type { Millis } from "../../domain/system/time.ts";
import { catchFailure } from "../../operations/system/set-aside.ts";
import { type AttemptRecord, type Recorded, recordAttempts } from "../../operations/webhooks/record-attempts.ts";
import { recordAlone } from "../../operations/webhooks/set-aside.ts";
import type { Claim } from "../../store/webhooks/claims.ts";
import { releaseUnused } from "../../store/webhooks/leases.ts";
import type { Writer } from "../../store/store.ts";
import { type DispatcherOptions, LOG_AGAIN_AFTER_MS } from "./options.ts";

/** What one transaction records and releases. */
export interface ResultBatch {
  records: readonly AttemptRecord[];
  unused: readonly Claim[];
}

interface ResultWriterParts {
  leases: LeaseRegistry;
  onRecorded: (recorded: readonly Recorded[]) => void;
  onHeldBack: (endpointId: string, error: unknown) => void;
}

/** How often results held back by the brake are retried, and how many at once. */
const HELD_BACK_RETRY_MS = 5_000;
const MAX_HELD_BACK_RETRIES = 20;

export class ResultWriter {
  readonly #options: DispatcherOptions;
  readonly #parts: ResultWriterParts;
  readonly #brake = new Brake();
  #records: AttemptRecord[] = [];
  #unused: Claim[] = [];
  /** Results that cannot be recorded and that the brake did not allow to be set aside. */
  #heldBack: AttemptRecord[] = [];
  #retryHeldBackAt = 0;
  /** `performance.now()` when a failed batch was last logged. */
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions, parts: ResultWriterParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Number of results still to be recorded, without those held back. */
  get waiting(): number {
    return this.#records.length;
  }

  unrecorded(endpointId: string): number {
    return this.#records.filter(({ claim }) => claim.endpointId === endpointId).length;
  }

  add(record: AttemptRecord): void {
    this.#records.push(record);
  }

  release(claims: readonly Claim[]): void {
    this.#unused.push(...claims);
  }

  isHoldingBack(endpointId: string): boolean {
    return this.#heldBack.some(({ claim }) => claim.endpointId === endpointId);
  }

  /** The batch for the next transaction. Its items stay queued until `settle`. */
  nextBatch(maxRecords: number): ResultBatch {
    const now = this.#options.deps.clock();
    if (this.#heldBack.length > 0 && now >= this.#retryHeldBackAt) {
      this.#retryHeldBackAt = now + HELD_BACK_RETRY_MS;
      this.#records.unshift(...this.#heldBack.splice(0, MAX_HELD_BACK_RETRIES));
    }
    return { records: this.#records.slice(0, maxRecords), unused: this.#unused.slice() };
  }

  /** @returns the recorded results; final once the transaction has committed (`settle`). */
  async write(db: Writer, { records, unused }: ResultBatch): Promise<Recorded[]> {
    const { deps } = this.#options;
    const numbers = unused.map(({ no }) => no);
    const recorded = records.length === 0 ? [] : await recordAttempts(db, deps, records, this.#options, numbers);
    if (unused.length > 0) await releaseUnused(db, unused);
    return recorded;
  }

  /** Removes the batch from the queue after its commit. */
  settle(batch: ResultBatch, recorded: readonly Recorded[]): void {
    if (recorded.length > 0) this.#brake.release();
    this.#finish(batch, recorded);
  }

  /** Writes each item of the batch in its own transaction. `onStep` is called before each. */
  async writeAlone({ records, unused }: ResultBatch, error: unknown, onStep: () => void): Promise<void> {
    this.#logOnce(error);
    for (const record of records) {
      onStep();
      await this.#writeOne(record);
    }
    for (const one of unused) {
      onStep();
      const release = () => this.#options.deps.store.write((db) => releaseUnused(db, [one]), { notify: false });
      // If this fails, the lease expires.
      await catchFailure(release, async (failure) => this.#logOnce(failure));
      this.#finish({ records: [], unused: [one] }, []);
    }
  }

  /** `record` must be the first in the queue. */
  async #writeOne(record: AttemptRecord): Promise<void> {
    const { deps, onError } = this.#options;
    const mayGiveUp = () => this.#brake.allows(deps.clock());
    const result = await recordAlone(deps, record, this.#options, onError, mayGiveUp);
    if (result.outcome === "held back") {
      this.#records.shift();
      if (this.#heldBack.length === 0) this.#retryHeldBackAt = deps.clock() + HELD_BACK_RETRY_MS;
      this.#heldBack.push(record);
      this.#parts.onHeldBack(record.claim.endpointId, result.error);
      return;
    }
    if (result.outcome === "recorded") this.#brake.release();
    this.#finish({ records: [record], unused: [] }, result.recorded);
  }

  /** The batch must be the head of the queue. */
  #finish({ records, unused }: ResultBatch, recorded: readonly Recorded[]): void {
    for (const claim of records.map((record) => record.claim).concat(unused)) this.#parts.leases.end(claim);
    this.#records.splice(0, records.length);
    this.#unused.splice(0, unused.length);
    if (recorded.length > 0) this.#parts.onRecorded(recorded);
  }

  #logOnce(error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedAt < LOG_AGAIN_AFTER_MS) return;
    this.#loggedAt = now;
    this.#options.onError(error, "a batch of deliveries failed; each is retried alone");
  }
}

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

  /** Registers claims. Announced tokens without claims are dropped: as far as is known, those failed. */
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

  /** Whether this worker knows the claim: others were committed after their connection had been given up. */
  isKnown(token: string): boolean {
    return this.#leases.has(token) || this.#coming.has(token);
  }
}

const AT_ONCE = 20;
const ONE_EVERY_MS = 60_000;

/**
 * Limits how many deliveries are given up. When several in a row cannot be sent or recorded, with no success in
 * between, the cause is probably a bug in this program. A few are given up, then one a minute: the others stay queued
 * for a fixed version, and a faulty delivery does not block them forever.
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
