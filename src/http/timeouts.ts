/** How long a closing server still waits for a request that does not arrive, or for a response that is not read. */
export const CLOSE_TIMEOUT_MS = 12_000;
