/**
 * fast-check for tests, with the same cases in each run so that a failure is caused by the tested change. For other cases:
 * `ROSTRUM_TEST_SEED=7 npm test`.
 */
import fc from "fast-check";
import { IS_FULL } from "./full-run.ts";

/** An arbitrary number. */
const SEED = 20_250_101;

// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
fc.configureGlobal({ seed: Number(process.env["ROSTRUM_TEST_SEED"] ?? SEED) });

const EVERYDAY_SHARE = 10;
const LONG_SHARE = 2;
const POSTGRES_SHARE = 6;
// oxlint-disable-next-line node/no-process-env -- as above
const IS_ON_POSTGRES = process.env["ROSTRUM_TEST_DATABASE_SERVER"] !== undefined;
/** Whether all cases are tried, also by the few tests that need minutes for them: by hand, `ROSTRUM_TEST_THOROUGH=1 npm test FILE`. */
// oxlint-disable-next-line node/no-process-env -- as above
export const IS_THOROUGH = process.env["ROSTRUM_TEST_THOROUGH"] === "1";

/**
 * How many cases to generate: all in a thorough run. A full run has the first half of them, and the first sixth on PostgreSQL, where each
 * takes several times as long; an everyday run has one in `share`.
 */
export function cases(full: number, share = EVERYDAY_SHARE): number {
  if (!IS_FULL) return Math.ceil(full / share);
  if (IS_THOROUGH) return full;
  return Math.ceil(full / (IS_ON_POSTGRES ? POSTGRES_SHARE : LONG_SHARE));
}

export { fc };
