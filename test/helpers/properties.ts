/**
 * fast-check for tests, with the same cases in each run so that a failure is caused by the tested change. For other cases:
 * `ROSTRUM_TEST_SEED=7 npm test`.
 */
import fc from "fast-check";

/** An arbitrary number. */
const SEED = 20_250_101;

// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
fc.configureGlobal({ seed: Number(process.env["ROSTRUM_TEST_SEED"] ?? SEED) });

export { fc };
