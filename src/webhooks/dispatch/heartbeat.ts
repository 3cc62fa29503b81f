/**
 * The heartbeat of a worker that shares a PostgreSQL database. It beats only while the worker holds leases: nobody checks a
 * worker without any.
 */
import { look, type QueueScan } from "../../store/webhooks/lease-scan.ts";
import type { DedicatedConnection, Reader, Store } from "../../store/store.ts";
import { DISPATCHER_BEAT_INTERVAL_MS, DISPATCHER_BEAT_TIMEOUT_MS } from "../../store/system/liveness.ts";
import { beat, deregister, FailureDetector } from "../../store/system/heartbeats.ts";

const POLL_WITHIN_MS = 4_000;
/** Time to claim something after `ready`; the heartbeat stays active meanwhile. */
const NEEDED_FOR_MS = 1_000;
const FRESH_MS = 2 * DISPATCHER_BEAT_INTERVAL_MS;

export interface HeartbeatOptions {
  /** A connection of its own, so that no other query delays the heartbeat. */
  line: DedicatedConnection;
  /** For scans, which may be slow, while the heartbeat is active. */
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

  /** Ensures a fresh heartbeat. @returns whether other workers will respect the leases that this one takes now. */
  async ready(): Promise<boolean> {
    this.#wantedAt = performance.now();
    if (this.#failureDetector.beatAge(this.#wantedAt) > FRESH_MS) await this.#beat().catch(() => undefined);
    return !this.#failureDetector.isStale(performance.now());
  }

  /** Beats if needed. Call it every DISPATCHER_BEAT_INTERVAL_MS. */
  async keepUp(): Promise<void> {
    if (this.#isNeeded()) await this.#beat();
  }

  /** Whether other workers may soon reclaim the leases held here. */
  isStale(): boolean {
    return this.#options.isHolding() && this.#failureDetector.isStale(performance.now());
  }

  /**
   * Scans the queue. An idle worker uses the heartbeat's connection, so that the response also informs the failure detector.
   */
  async look(): Promise<QueueScan> {
    const { store, line, worker, isHolding } = this.#options;
    if (this.#isNeeded()) return store.read((db) => look(db, worker, !isHolding()));
    const onLine: Pick<Reader, "all"> = { all: (sql, ...params) => line.ask(POLL_WITHIN_MS, sql, ...params) };
    return this.#ask(false, () => look(onLine, worker, true));
  }

  /**
   * Silence after which a worker counts as dead, by a scan that began at `startedAt` (`performance.now()`); null if unknown.
   */
  deadAfterMs(startedAt: number): number | null {
    return this.#failureDetector.deadAfterMs(startedAt, performance.now());
  }

  /** Milliseconds until a scan can tell that a worker is dead after `silentMs` of silence (null: it has no heartbeat). */
  knownInMs(silentMs: number | null): number {
    return this.#failureDetector.knownInMs(silentMs, performance.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { line, worker } = this.#options;
    // If the database is unavailable, other workers detect the missing heartbeat.
    await deregister(line, DISPATCHER_BEAT_TIMEOUT_MS, worker).catch(() => undefined);
    await line[Symbol.asyncDispose]();
  }

  #isNeeded(): boolean {
    const { line, isHolding } = this.#options;
    // An indirect connection must be used all the time to know that it is unbroken.
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
      this.#failureDetector.onReply(startedAt, performance.now(), isBeat);
      return result;
    } catch (error) {
      this.#failureDetector.onTimeout();
      throw error;
    }
  }
}
