import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

/** Far more than anything needs on a busy machine, and less than the time until any lease expires. */
export const PATIENCE_MS = 20_000;

/**
 * For operations with a time limit: a busy machine may be late once, a program that is too slow is late every time. Fails with
 * the error of the last of `tries`.
 */
export async function inOneOf(tries: number, attempt: () => Promise<void>): Promise<void> {
  for (let left = tries - 1; left > 0; left--) {
    try {
      return await attempt();
    } catch {
      // Try again.
    }
  }
  return attempt();
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
