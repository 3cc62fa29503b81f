import type { Log } from "./log.ts";

const TELL_AGAIN_AFTER_MS = 30_000;

/**
 * Runs the work again and again, `ms` after it ended. The next turn comes after a failure all the same. The first one in a
 * row is logged, and one each half minute.
 */
export function every(ms: number, work: () => Promise<void>, log: Pick<Log, "error">): AsyncDisposable {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  const turn = async () => {
    try {
      await work();
      toldAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (performance.now() - toldAt < TELL_AGAIN_AFTER_MS) return;
      toldAt = performance.now();
      log.error(error, "a repeated task failed");
    }
  };
  const plan = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = turn().then(plan);
    }, ms).unref();
  };
  plan();
  return {
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
