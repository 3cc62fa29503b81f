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
const POSTGRES_SHARE = 6;
// oxlint-disable-next-line node/no-process-env -- as above
const IS_ON_POSTGRES = process.env["ROSTRUM_TEST_DATABASE_SERVER"] !== undefined;
/** Whether the few tests that need minutes for all of their cases have them: by hand, `ROSTRUM_TEST_THOROUGH=1 npm test FILE`. */
// oxlint-disable-next-line node/no-process-env -- as above
export const IS_THOROUGH = process.env["ROSTRUM_TEST_THOROUGH"] === "1";

/**
 * How many cases to generate: all in a full run on SQLite, otherwise one in `share`. On PostgreSQL, where each takes several times as
 * long, it is the first sixth of those that SQLite has had, or all in a thorough run.
 */
export function cases(full: number, share = EVERYDAY_SHARE): number {
  if (!IS_FULL) return Math.ceil(full / share);
  return IS_ON_POSTGRES && !IS_THOROUGH ? Math.ceil(full / POSTGRES_SHARE) : full;
}

export { fc };
