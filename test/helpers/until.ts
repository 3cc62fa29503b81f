import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

/** Resolves as soon as the condition holds; fails with its name when it does not within the time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `not within ${withinMs} ms: ${what}`);
    await wait(5);
  }
}
