/** Counts a thread's child processes and how they ended, in shared memory that the main thread reads for `/metrics`. */
import type { ContentProcessStats } from "../domain/system/content-process-stats.ts";

const NAMES = ["running", "waiting", "started", "killedForTime", "killedForMemory"] as const;

export class ContentCounters {
  readonly #counts: Int32Array<SharedArrayBuffer>;

  /** `shared`: the `memory` of another thread's counters. */
  constructor(shared = new SharedArrayBuffer(NAMES.length * Int32Array.BYTES_PER_ELEMENT)) {
    this.#counts = new Int32Array(shared);
  }

  /** Shared with another thread. */
  get memory(): SharedArrayBuffer {
    return this.#counts.buffer;
  }

  get stats(): ContentProcessStats {
    const [running = 0, waiting = 0, started = 0, killedForTime = 0, killedForMemory = 0] = NAMES.map((_name, index) =>
      Atomics.load(this.#counts, index),
    );
    return { running, waiting, started, killedForTime, killedForMemory };
  }

  add(name: keyof ContentProcessStats, difference = 1): void {
    Atomics.add(this.#counts, NAMES.indexOf(name), difference);
  }

  /** Adds the totals of a thread that has ended. */
  takeOver({ stats }: ContentCounters): void {
    for (const name of ["started", "killedForTime", "killedForMemory"] as const) this.add(name, stats[name]);
  }
}

/** Sums the counters of several threads. */
export function sumStats(all: readonly ContentProcessStats[]): ContentProcessStats {
  const sum = (name: keyof ContentProcessStats) => all.reduce((total, stats) => total + stats[name], 0);
  return {
    running: sum("running"),
    waiting: sum("waiting"),
    started: sum("started"),
    killedForTime: sum("killedForTime"),
    killedForMemory: sum("killedForMemory"),
  };
}
