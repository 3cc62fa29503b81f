/** Who lives, by the database's clock: a row of `workers` that was renewed lately. */

/** Longer than a process answers from memory without having renewed its row (node-sync.ts), by a margin. */
export const GONE_AFTER_MS = 1_250;

/**
 * A condition on `seen_at`. By the time when the statement was begun: it does not see what was said later, and must not
 * count the time that it took itself as silence.
 */
export const ALIVE = `seen_at > statement_timestamp() - interval '${GONE_AFTER_MS} milliseconds'`;
