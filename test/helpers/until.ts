import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

/** Far more than anything needs on a busy machine, and less than the time until any lease expires. */
export const PATIENCE_MS = 20_000;

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 50;

/** Between two looks at what has not come true for so long: looking costs CPU time, in a page or a database as much as what is waited for. */
export function pauseAfter(waitedMs: number): Promise<void> {
  return wait(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 20)));
}

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
  const began = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - began;
    assert.ok(waitedMs < withinMs, `not within ${withinMs} ms: ${what}`);
    await pauseAfter(waitedMs);
  }
}
