/**
 * Says to those that share a PostgreSQL that this worker lives: while it holds claims, and no longer. Nobody asks after one
 * that holds none.
 */
import { look, type QueueScan } from "../../store/webhooks/lease-scan.ts";
import type { DedicatedConnection, Reader, Store } from "../../store/store.ts";
import { DISPATCHER_BEAT_INTERVAL_MS, DISPATCHER_BEAT_TIMEOUT_MS } from "../../store/system/liveness.ts";
import { beat, deregister, FailureDetector } from "../../store/system/heartbeats.ts";

const POLL_WITHIN_MS = 4_000;
/** After `ready`, whoever asked for that has so long to claim something. */
const NEEDED_FOR_MS = 1_000;
const FRESH_MS = 2 * DISPATCHER_BEAT_INTERVAL_MS;

export interface HeartbeatOptions {
  /** Its own: whatever else waits for the database, the heart beats. */
  line: DedicatedConnection;
  /** For what may take its time while it beats. */
  store: Pick<Store, "read">;
  worker: string;
  isHolding: () => boolean;
}

export class Heartbeat implements AsyncDisposable {
  readonly #options: HeartbeatOptions;
  readonly #failureDetector: FailureDetector;
  /** `performance.now()` at the last `ready`. */
  #wantedAt = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#failureDetector = new FailureDetector(options.line);
  }

  /** @returns whether others know that it lives: then what it claims now is left to it. */
  async ready(): Promise<boolean> {
    this.#wantedAt = performance.now();
    if (this.#failureDetector.beatAge(this.#wantedAt) > FRESH_MS) await this.#beat().catch(() => undefined);
    return !this.#failureDetector.isStale(performance.now());
  }

  /** Beats if it must. To be called every DISPATCHER_BEAT_INTERVAL_MS. */
  async keepUp(): Promise<void> {
    if (this.#isNeeded()) await this.#beat();
  }

  /** Whether others may soon take what it holds for theirs. */
  isStale(): boolean {
    return this.#options.isHolding() && this.#failureDetector.isStale(performance.now());
  }

  /** What there is to do. An idle one asks over its own line, and learns by that how the database is. */
  async look(): Promise<QueueScan> {
    const { store, line, worker, isHolding } = this.#options;
    if (this.#isNeeded()) return store.read((db) => look(db, worker, !isHolding()));
    const onLine: Pick<Reader, "all"> = { all: (sql, ...params) => line.ask(POLL_WITHIN_MS, sql, ...params) };
    return this.#ask(false, () => look(onLine, worker, true));
  }

  /** By a look that began at `startedAt` (`performance.now()`): how long a dead worker has been silent at least; null: it cannot be told. */
  deadAfterMs(startedAt: number): number | null {
    return this.#failureDetector.deadAfterMs(startedAt, performance.now());
  }

  /** When a look will tell that somebody is dead who has been silent for so long (null: always), milliseconds from now. */
  knownInMs(silentMs: number | null): number {
    return this.#failureDetector.knownInMs(silentMs, performance.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { line, worker } = this.#options;
    // Where the database is away, others find out by the clock.
    await deregister(line, DISPATCHER_BEAT_TIMEOUT_MS, worker).catch(() => undefined);
    await line[Symbol.asyncDispose]();
  }

  #isNeeded(): boolean {
    const { line, isHolding } = this.#options;
    // A line that is not direct must be tried all the while, to know that it lasts.
    return !line.isDirect || isHolding() || performance.now() - this.#wantedAt < NEEDED_FOR_MS;
  }

  #beat(): Promise<void> {
    const { line, worker } = this.#options;
    this.#beating ??= this.#ask(true, () => beat(line, DISPATCHER_BEAT_TIMEOUT_MS, worker)).finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #ask<T>(isBeat: boolean, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await work();
      this.#failureDetector.felt(startedAt, performance.now(), isBeat);
      return result;
    } catch (error) {
      this.#failureDetector.missed();
      throw error;
    }
  }
}
