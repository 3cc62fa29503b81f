import type { Log } from "./log.ts";

/** Runs the work again and again, `ms` after it ended. Failures are logged, and the next turn comes all the same. */
export function every(ms: number, work: () => Promise<void>, log: Pick<Log, "error">): AsyncDisposable {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const plan = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = work()
        .catch((error: unknown) => log.error(error, "a repeated task failed"))
        .then(plan);
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
