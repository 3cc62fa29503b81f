import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

/** Far more than anything needs on a busy machine, and less than any lease takes to lapse. */
export const PATIENCE_MS = 20_000;

/**
 * For what is promised to happen in time: a busy machine may be late, a program that is too slow is late each time. Fails
 * with what the last of `tries` failed with.
 */
export async function inOneOf(tries: number, attempt: () => Promise<void>): Promise<void> {
  for (let left = tries - 1; left > 0; left--) {
    try {
      return await attempt();
    } catch {
      // Once more.
    }
  }
  return attempt();
}

/** Resolves as soon as the condition holds; fails with its name when it does not within the time. */
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
