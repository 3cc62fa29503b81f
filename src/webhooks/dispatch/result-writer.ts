/**
 * Records the results of attempts, and gives back claims that are not used. A batch that fails for another reason than an
 * outage is recorded one by one, and what fails alone is set aside. When one result after another fails and none is recorded in
 * between, the fault is likely to be this program's own, and the brake stops it: the results are held here, nothing more is
 * claimed of their endpoints, and a few are tried again every few seconds.
 */
import { unlessItsFault } from "../../operations/webhooks/dead-letters.ts";
import { type AttemptRecord, type Recorded, recordAttempts } from "../../operations/webhooks/record-attempts.ts";
import { recordAlone } from "../../operations/webhooks/record-alone.ts";
import type { Claim } from "../../store/webhooks/claims.ts";
import { releaseUnused } from "../../store/webhooks/delivery-queue.ts";
import type { Writer } from "../../store/store.ts";
import { Brake } from "./brake.ts";
import { type DispatcherOptions, LOG_AGAIN_AFTER_MS } from "./options.ts";
import type { LeaseRegistry } from "./lease-registry.ts";

/** What one transaction records and gives back. */
export interface ResultBatch {
  records: readonly AttemptRecord[];
  unused: readonly Claim[];
}

interface ResultWriterParts {
  leases: LeaseRegistry;
  onRecorded: (recorded: readonly Recorded[]) => void;
  /** A result of the endpoint is held back. */
  onHeldBack: (endpointId: string, error: unknown) => void;
}

const MAX_RECORDS = 256;
/** How often what the brake holds back is tried again, and how much of it. */
const HELD_BACK_RETRY_MS = 5_000;
const MAX_HELD_BACK_RETRIES = 20;

export class ResultWriter {
  readonly #options: DispatcherOptions;
  readonly #parts: ResultWriterParts;
  readonly #brake = new Brake();
  #records: AttemptRecord[] = [];
  #unused: Claim[] = [];
  /** Results that always failed, and that the brake did not allow to be set aside. */
  #heldBack: AttemptRecord[] = [];
  #retryHeldBackAt = 0;
  /** `performance.now()` when a batch that was recorded one by one was logged last. */
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DispatcherOptions, parts: ResultWriterParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** How many results are to be recorded by the next transactions. */
  get waiting(): number {
    return this.#records.length;
  }

  add(record: AttemptRecord): void {
    this.#records.push(record);
  }

  /** To be given back by the next transaction. */
  release(claims: readonly Claim[]): void {
    this.#unused.push(...claims);
  }

  /** Whether a result of the endpoint is held back. */
  isHoldingBack(endpointId: string): boolean {
    return this.#heldBack.some(({ claim }) => claim.endpointId === endpointId);
  }

  /** What the next transaction has to write; it stays here until `settle`. */
  nextBatch(): ResultBatch {
    const now = this.#options.deps.clock();
    if (this.#heldBack.length > 0 && now >= this.#retryHeldBackAt) {
      this.#retryHeldBackAt = now + HELD_BACK_RETRY_MS;
      this.#records.unshift(...this.#heldBack.splice(0, MAX_HELD_BACK_RETRIES));
    }
    return { records: this.#records.slice(0, MAX_RECORDS), unused: this.#unused.slice() };
  }

  /** @returns what became of the results; they are final when the transaction has been committed (`settle`). */
  async write(db: Writer, { records, unused }: ResultBatch): Promise<Recorded[]> {
    const { deps, policy, random, worker } = this.#options;
    const recorded = records.length === 0 ? [] : await recordAttempts(db, deps, records, { policy, random, worker });
    await releaseUnused(db, unused);
    return recorded;
  }

  /** The batch is committed: nothing is left to do for it. */
  settle(batch: ResultBatch, recorded: readonly Recorded[]): void {
    if (recorded.length > 0) this.#brake.release();
    this.#finish(batch, recorded);
  }

  /** Writes each part of the batch in a transaction of its own. `onStep` is called before each. */
  async writeAlone({ records, unused }: ResultBatch, error: unknown, onStep: () => void): Promise<void> {
    this.#logOnce(error);
    for (const record of records) {
      onStep();
      await this.#writeOne(record);
    }
    for (const one of unused) {
      onStep();
      const release = () => this.#options.deps.store.write((db) => releaseUnused(db, [one]), { isQuiet: true });
      // Otherwise its lease lapses.
      await unlessItsFault(release, async (failure) => this.#logOnce(failure));
      this.#finish({ records: [], unused: [one] }, []);
    }
  }

  /** The first one that waits. */
  async #writeOne(record: AttemptRecord): Promise<void> {
    const { deps, policy, random, worker, onError } = this.#options;
    const mayGiveUp = () => this.#brake.allows(deps.clock());
    const result = await recordAlone(deps, record, { policy, random, worker }, onError, mayGiveUp);
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

  /** The batch is the first of what waits. */
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
    this.#options.onError(error, "a batch of deliveries failed; it is done piece by piece");
  }
}
