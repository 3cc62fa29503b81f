/** Whether this is a full run (`--long`, `--all` or named files): `npm test` tries fewer generated cases, and skips what takes long. */
// oxlint-disable-next-line node/no-process-env -- the tests have no other configuration
export const IS_FULL = process.env["ROSTRUM_TEST_FULL"] === "1";

/** Options of a test that needs a second or more of CPU time, such as one at the limits of size. */
export const LONG_ONLY = { skip: IS_FULL ? false : "takes long: npm test -- --long" };
