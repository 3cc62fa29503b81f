/**
 * fast-check for tests: the same cases in each run, so that what fails is of the change that is tested. Other cases:
 * `ROSTRUM_TEST_SEED=7 npm test`.
 */
import fc from "fast-check";

/** Any number. */
const SEED = 20_250_101;

// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
fc.configureGlobal({ seed: Number(process.env["ROSTRUM_TEST_SEED"] ?? SEED) });

export { fc };
