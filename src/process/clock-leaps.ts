/** On SQLite everything goes by the machine's clock: schedules, retries, sessions and what is removed for its age. */
import type { Millis } from "../domain/system/time.ts";
import { MAX_CLOCK_SKEW_MS } from "../domain/system/time.ts";
import type { Log } from "./log.ts";

/**
 * @returns a check that logs when the clock was set since the last one. `sinceStart` counts milliseconds whatever the clock says, but
 * not while a machine sleeps.
 */
export function warnOfLeaps(
  now: () => Millis,
  log: Pick<Log, "warn">,
  sinceStart: () => number = () => performance.now(),
): () => Promise<void> {
  let zero = now() - sinceStart();
  return async () => {
    const leapMs = now() - sinceStart() - zero;
    zero += leapMs;
    if (Math.abs(leapMs) <= MAX_CLOCK_SKEW_MS) return;
    const direction = leapMs > 0 ? "ahead, or it has slept" : "back";
    const message = `this machine's clock was set ${direction}: schedules, retries, sessions and what is kept for a time go by it`;
    log.warn({ clockLeapSeconds: Math.round(leapMs / 1_000) }, message);
  };
}
