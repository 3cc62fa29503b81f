/**
 * How the main thread notices that the dispatcher thread hangs: the dispatcher thread increments a counter in shared memory,
 * and the main thread checks that it changes.
 */

/** How often the dispatcher thread beats. */
export const HEARTBEAT_INTERVAL_MS = 500;
/** How often the main thread checks. */
export const HEARTBEAT_CHECK_INTERVAL_MS = 500;
/** Time until the first heartbeat of a thread that loads the program and opens the store. */
const MAX_START_MS = 60_000;

/** Shared by both threads. */
export type HeartbeatCounter = Int32Array<SharedArrayBuffer>;

export function newHeartbeatCounter(): HeartbeatCounter {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function beat(counter: HeartbeatCounter): void {
  Atomics.add(counter, 0, 1);
}

/** The main thread's monitor of one dispatcher thread. */
export class HeartbeatMonitor {
  readonly #counter: HeartbeatCounter;
  readonly #maxSilenceMs: number;
  #seen = 0;
  #checkedAt: number;
  #silentMs = 0;

  /** `now`: `performance.now()`, here and below. */
  constructor(counter: HeartbeatCounter, maxSilenceMs: number, now: number) {
    this.#counter = counter;
    this.#maxSilenceMs = maxSilenceMs;
    this.#checkedAt = now;
  }

  /** Call it every HEARTBEAT_CHECK_INTERVAL_MS. @returns whether the thread hangs. */
  check(now: number): boolean {
    // Does not count time during which the whole process was suspended, when neither thread could run.
    this.#silentMs += Math.min(now - this.#checkedAt, 2 * HEARTBEAT_CHECK_INTERVAL_MS);
    this.#checkedAt = now;
    const count = Atomics.load(this.#counter, 0);
    if (count !== this.#seen) this.#silentMs = 0;
    this.#seen = count;
    return this.#silentMs >= (count === 0 ? Math.max(MAX_START_MS, this.#maxSilenceMs) : this.#maxSilenceMs);
  }

  /** Milliseconds without a heartbeat as of the last check. */
  get silentMs(): number {
    return this.#silentMs;
  }
}
