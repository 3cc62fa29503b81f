import type { Log } from "./log.ts";

const LOG_AGAIN_AFTER_MS = 30_000;

/** A repeated task. Disposing of it waits for the run in progress. */
export interface Repeated extends AsyncDisposable {
  wakeWithin(ms: number): void;
}

/** Runs `work` `ms` after it ended or failed. Logs the first failure in a row, then one every half minute. */
export function runEvery(ms: number, work: () => Promise<void>, log: Pick<Log, "error">): Repeated {
  return runRepeatedly(ms, () => work().then(() => ms), log);
}

/** Like `runEvery`, but `work` returns the ms until the next run; `ms` is for the first, and after failures. */
export function runRepeatedly(ms: number, work: () => Promise<number>, log: Pick<Log, "error">): Repeated {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** `performance.now()` when the next run begins, unless the current one requests an earlier one. */
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
