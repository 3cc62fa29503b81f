import { join } from "node:path";

/** The environment of a process of the program whose clock is ahead of the right time by so much. */
export function wrongClock(offsetMs: number): Record<string, string> {
  if (offsetMs === 0) return {};
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(join(import.meta.dirname, "wrong-clock.cjs"))}`,
    ROSTRUM_TEST_CLOCK_OFFSET_MS: String(offsetMs),
  };
}
