import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

/** Far more than anything needs on a busy machine, and less than the time until any lease expires. */
export const PATIENCE_MS = 20_000;

/** Waits for the promise; fails with `what` if it hangs. */
export async function finishes<T>(what: string, promise: PromiseLike<T>): Promise<T> {
  const deadline = new AbortController();
  const hangs = wait(PATIENCE_MS, undefined, { signal: deadline.signal }).then(() =>
    assert.fail(`not within ${PATIENCE_MS} ms: ${what}`),
  );
  try {
    return await Promise.race([promise, hangs]);
  } finally {
    hangs.catch(() => undefined);
    deadline.abort();
  }
}

/** Resolves as soon as the condition holds; fails with `what` when the time is over. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within ${withinMs} ms: ${what}`);
    await wait(5);
  }
}
