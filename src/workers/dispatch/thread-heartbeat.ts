/** How the main thread notices that the dispatcher's thread hangs. */
import { THREAD_CHECK_INTERVAL_MS, THREAD_START_TIMEOUT_MS } from "../../store/system/liveness.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";

/** The main thread's monitor of one dispatcher thread. */
export class HeartbeatMonitor {
  readonly #liveness: Pick<SharedLiveness, "threadBeatAt">;
  readonly #maxSilenceMs: number;
  #lastBeatAt: bigint | null = null;
  #checkedAt: number;
  #silentMs = 0;

  /** `now`: `performance.now()`, here and below. */
  constructor(liveness: Pick<SharedLiveness, "threadBeatAt">, maxSilenceMs: number, now: number) {
    this.#liveness = liveness;
    this.#maxSilenceMs = maxSilenceMs;
    this.#checkedAt = now;
  }

  /** Call it every THREAD_CHECK_INTERVAL_MS. @returns whether the thread hangs. */
  check(now: number): boolean {
    // Does not count time during which the whole process was suspended, when neither thread could run.
    this.#silentMs += Math.min(now - this.#checkedAt, 2 * THREAD_CHECK_INTERVAL_MS);
    this.#checkedAt = now;
    const { threadBeatAt } = this.#liveness;
    if (threadBeatAt !== this.#lastBeatAt) this.#silentMs = 0;
    this.#lastBeatAt = threadBeatAt;
    const startMs = threadBeatAt === null ? THREAD_START_TIMEOUT_MS : 0;
    return this.#silentMs >= Math.max(startMs, this.#maxSilenceMs);
  }

  /** Milliseconds without a heartbeat as of the last check. */
  get silentMs(): number {
    return this.#silentMs;
  }
}
