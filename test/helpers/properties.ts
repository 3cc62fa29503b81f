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
/** Whether the few tests that need minutes for all of their cases have them: by hand, `ROSTRUM_TEST_THOROUGH=1 npm test FILE`. */
// oxlint-disable-next-line node/no-process-env -- as above
export const IS_THOROUGH = process.env["ROSTRUM_TEST_THOROUGH"] === "1";

/** How many cases to generate: all in a full run, otherwise one in `share`. */
export function cases(full: number, share = EVERYDAY_SHARE): number {
  return IS_FULL ? full : Math.ceil(full / share);
}

export { fc };
