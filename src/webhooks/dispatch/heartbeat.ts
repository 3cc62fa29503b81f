/**
 * Says to those that share a PostgreSQL that this worker lives: while it holds claims, and no longer. Nobody asks after one
 * that holds none.
 */
import { look, type Sight } from "../../store/webhooks/lease-scan.ts";
import type { Line, Reader, Store } from "../../store/store.ts";
import { DISPATCHER_BEAT_INTERVAL_MS, DISPATCHER_BEAT_TIMEOUT_MS } from "../../store/system/liveness.ts";
import { beat, endBeats, Pulse } from "../../store/system/heartbeats.ts";

const LOOK_WITHIN_MS = 4_000;
/** After `ready`, whoever asked for that has so long to claim something. */
const NEEDED_FOR_MS = 1_000;
const FRESH_MS = 2 * DISPATCHER_BEAT_INTERVAL_MS;

export interface HeartOptions {
  /** Its own: whatever else waits for the database, the heart beats. */
  line: Line;
  /** For what may take its time while it beats. */
  store: Pick<Store, "read">;
  worker: string;
  isHolding: () => boolean;
}

export class Heart implements AsyncDisposable {
  readonly #options: HeartOptions;
  readonly #pulse: Pulse;
  /** `performance.now()` at the last `ready`. */
  #wantedAt = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> | undefined;

  constructor(options: HeartOptions) {
    this.#options = options;
    this.#pulse = new Pulse(options.line);
  }

  /** @returns whether others know that it lives: then what it claims now is left to it. */
  async ready(): Promise<boolean> {
    this.#wantedAt = performance.now();
    if (this.#pulse.beatAge(this.#wantedAt) > FRESH_MS) await this.#beat().catch(() => undefined);
    return !this.#pulse.isWeak(performance.now());
  }

  /** Beats if it must. To be called every DISPATCHER_BEAT_INTERVAL_MS. */
  async keepUp(): Promise<void> {
    if (this.#isNeeded()) await this.#beat();
  }

  /** Whether others may soon take what it holds for theirs. */
  isWeak(): boolean {
    return this.#options.isHolding() && this.#pulse.isWeak(performance.now());
  }

  /** What there is to do. An idle one asks over its own line, and learns by that how the database is. */
  async look(): Promise<Sight> {
    const { store, line, worker, isHolding } = this.#options;
    if (this.#isNeeded()) return store.read((db) => look(db, worker, !isHolding()));
    const onLine: Pick<Reader, "all"> = { all: (sql, ...params) => line.ask(LOOK_WITHIN_MS, sql, ...params) };
    return this.#ask(false, () => look(onLine, worker, true));
  }

  /** By a look that began at `startedAt` (`performance.now()`): how long a dead worker has been silent at least; null: it cannot be told. */
  deadAfterMs(startedAt: number): number | null {
    return this.#pulse.deadAfterMs(startedAt, performance.now());
  }

  /** When a look will tell that somebody is dead who has been silent for so long (null: always), milliseconds from now. */
  knownInMs(silentMs: number | null): number {
    return this.#pulse.knownInMs(silentMs, performance.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { line, worker } = this.#options;
    // Where the database is away, others find out by the clock.
    await endBeats(line, DISPATCHER_BEAT_TIMEOUT_MS, worker).catch(() => undefined);
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
      this.#pulse.felt(startedAt, performance.now(), isBeat);
      return result;
    } catch (error) {
      this.#pulse.missed();
      throw error;
    }
  }
}
