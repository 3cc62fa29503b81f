import { join } from "node:path";

/** Environment for a Rostrum process whose clock is ahead by this offset. */
export function wrongClock(offsetMs: number): Record<string, string> {
  if (offsetMs === 0) return {};
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(join(import.meta.dirname, "wrong-clock.cjs"))}`,
    TEST_CLOCK_OFFSET_MS: String(offsetMs),
  };
}
