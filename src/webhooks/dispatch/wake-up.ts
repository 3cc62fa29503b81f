/** When the dispatcher's next cycle starts: at a wake-up, a commit in the database, a due time, or for results to record. */
import type { Millis } from "../../domain/system/time.ts";

/** Time that results wait to be recorded in one batch. */
const FLUSH_AFTER_MS = 5;
/** How often to check the commit counter (no query). */
export const CHECK_INTERVAL_MS = 20;

export interface WorkSigns {
  clock: () => Millis;
  /** Changes with every commit. */
  commitCounter: () => number;
  hasResults: () => boolean;
  /** Whether new attempts may start; otherwise only results and wake-ups count. */
  isSending: () => boolean;
  nextDueAt: () => Millis;
  /** Called with each check. */
  onStep: () => void;
}

export class WakeUp {
  readonly #signs: WorkSigns;
  #isAwake = false;
  #endSleep: (() => void) | undefined;
  #seenCommits = Number.NaN;

  constructor(signs: WorkSigns) {
    this.#signs = signs;
  }

  /** Starts a cycle at once: something may be ready. */
  wake(): void {
    this.#isAwake = true;
    this.checkNow();
  }

  /** Ends the current sleep, because the next one may be shorter. */
  checkNow(): void {
    this.#endSleep?.();
  }

  /** Forgets earlier wake-ups: a cycle begins. */
  reset(): void {
    this.#isAwake = false;
  }

  /** The cycle sees every commit so far. */
  noteCommits(): void {
    this.#seenCommits = this.#signs.commitCounter();
  }

  /** Waits at least `restMs`, and then until there may be work. */
  async waitForWork(restMs: number): Promise<void> {
    const { clock, commitCounter, hasResults, isSending, nextDueAt, onStep } = this.#signs;
    const startedAt = performance.now();
    // Yields to the event loop at least once; otherwise no attempt in flight could finish.
    await new Promise((resolve) => (restMs > 0 ? setTimeout(resolve, restMs) : setImmediate(resolve)));
    for (;;) {
      onStep();
      if (this.#isAwake) return;
      if (hasResults() && performance.now() - startedAt >= FLUSH_AFTER_MS) return;
      if (isSending() && (clock() >= nextDueAt() || commitCounter() !== this.#seenCommits)) return;
      const untilDue = isSending() ? Math.max(1, nextDueAt() - clock()) : CHECK_INTERVAL_MS;
      await this.sleep(Math.min(hasResults() ? FLUSH_AFTER_MS : CHECK_INTERVAL_MS, untilDue));
    }
  }

  /** Waits `ms`, or until woken. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#endSleep = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#endSleep = done;
    });
  }
}
