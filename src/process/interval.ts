import type { Log } from "../log.ts";

const LOG_AGAIN_AFTER_MS = 30_000;

/** Work that is done again and again until it is disposed of; then what is under way has ended. */
export interface Repeated extends AsyncDisposable {
  /** The next turn begins in so many milliseconds at the latest. */
  wakeWithin(ms: number): void;
}

/**
 * Runs the work again and again, `ms` after it ended. The next turn comes after a failure all the same. The first one in a
 * row is logged, and one each half minute.
 */
export function runEvery(ms: number, work: () => Promise<void>, log: Pick<Log, "error">): Repeated {
  return runRepeatedly(ms, () => work().then(() => ms), log);
}

/** The same for work that says how long the next turn may wait, milliseconds; the first one, and the one after a failure, `ms`. */
export function runRepeatedly(ms: number, work: () => Promise<number>, log: Pick<Log, "error">): Repeated {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** `performance.now()` when the next turn begins, if the one under way does not say otherwise. */
  let nextAt = Number.POSITIVE_INFINITY;
  let lastLoggedAt = Number.NEGATIVE_INFINITY;
  const turn = async () => {
    let waitMs = ms;
    try {
      waitMs = await work();
      lastLoggedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (performance.now() - lastLoggedAt >= LOG_AGAIN_AFTER_MS) {
        lastLoggedAt = performance.now();
        log.error(error, "a repeated task failed");
      }
    }
    running = undefined;
    wakeWithin(waitMs);
  };
  const wakeWithin = (waitMs: number) => {
    nextAt = Math.min(nextAt, performance.now() + waitMs);
    if (isStopped || running !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        nextAt = Number.POSITIVE_INFINITY;
        running = turn();
      },
      Math.max(0, nextAt - performance.now()),
    ).unref();
  };
  wakeWithin(ms);
  return {
    wakeWithin,
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
