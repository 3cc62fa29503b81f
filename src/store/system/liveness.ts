/**
 * Which processes are alive, by the database's clock: those that have recently renewed their row in `workers` (a heartbeat).
 * Every duration that this depends on is defined here, in milliseconds, with its reason.
 *
 * There are two kinds of rows. A node answers readers; a webhook waits until every live node has seen its change, so a node
 * counts as dead early, and answers nothing from memory some time before that. A dispatcher holds leases; what it was sending
 * is sent again once it counts as dead, so that takes a little longer, and it stops sending some time before.
 */

/** Heartbeats are committed asynchronously: a server crash loses those of the last three `wal_writer_delay` (200 each). */
const LOST_BY_CRASH_MS = 600;
/** Difference between what one process measures by its own clock and another by the server's. */
const TOLERANCE_MS = 50;

/** The maximum delay of a change whose notification was lost: what readers may notice, against queries of an idle process. */
export const NODE_BEAT_INTERVAL_MS = 250;
/** The same behind PgBouncer, where there are no notifications. */
export const NODE_BEAT_INTERVAL_POOLED_MS = 50;
/** Notifications come in bursts: those that come within this time share one heartbeat. */
export const NODE_MIN_BEAT_INTERVAL_MS = 3;
/** A node without a heartbeat for this long answers nothing from memory: two may be late, and readers wait no longer. */
export const NODE_FENCED_AFTER_MS = 600;
/** After this time others no longer wait for it: it has been fenced for as long as a crash may have hidden its heartbeats. */
const NODE_DEAD_AFTER_MS = NODE_FENCED_AFTER_MS + LOST_BY_CRASH_MS + TOLERANCE_MS;
/** After a longer time between two heartbeats a node may have counted as dead: webhooks may have been sent without it. */
export const NODE_MAX_BEAT_INTERVAL_MS = NODE_DEAD_AFTER_MS - TOLERANCE_MS;
/** A heartbeat not answered by then is abandoned with its connection: the node has been fenced for a while. */
export const NODE_BEAT_TIMEOUT_MS = 1_000;
/** Delay after a failed heartbeat. */
export const NODE_RETRY_INTERVAL_MS = 100;
/** How often rows of the dead are deleted, a minute after their last heartbeat: until then they are ignored. */
export const CLEANUP_INTERVAL_MS = 10_000;

/** While a dispatcher holds leases, or is about to. Five heartbeats may be late before it is fenced. */
export const DISPATCHER_BEAT_INTERVAL_MS = 200;
/** A heartbeat not answered by then is abandoned with its connection, in time for another before the dispatcher is fenced. */
export const DISPATCHER_BEAT_TIMEOUT_MS = 900;
/** A dispatcher without a heartbeat for this long sends nothing: a machine may be busy for a second. */
export const DISPATCHER_FENCED_AFTER_MS = 1_150;
/** After this time others reclaim its leases: its requests have ended, and are sent again within two seconds of its death. */
export const DISPATCHER_DEAD_AFTER_MS = 1_400;
/** An unbroken connection of this age proves that no crash has lost a heartbeat of a dispatcher that still sends. */
export const DISPATCHER_CERTAIN_AFTER_MS = DISPATCHER_FENCED_AFTER_MS + TOLERANCE_MS;
/** `DISPATCHER_DEAD_AFTER_MS` for an observer with a newer connection: a crash may have hidden heartbeats. */
export const DISPATCHER_DEAD_FOR_NEWCOMER_MS = DISPATCHER_FENCED_AFTER_MS + LOST_BY_CRASH_MS + TOLERANCE_MS;
/** A slower answer means that the database stalled, perhaps for others, too: no worker is declared dead by it. */
export const MAX_ANSWER_MS = 600;
/** The same for a query after a pause: the database may have stalled long before it was sent. */
export const MAX_ANSWER_AFTER_PAUSE_MS = 150;
/** This long after such an answer, every live worker has had a heartbeat again. */
export const CALM_AFTER_MS = 500;
/** An older answer says nothing about the present. */
export const MAX_ANSWER_AGE_MS = 600;
/** A longer pause between two queries hides what the database did, and if the connection is not direct, that it broke. */
export const MAX_PAUSE_MS = 600;

/**
 * A condition on `seen_at`: the process is alive. It compares with the start of the statement, which does not see later
 * heartbeats and must not count its own duration as silence.
 */
export const ALIVE = `seen_at > statement_timestamp() - interval '${NODE_DEAD_AFTER_MS} milliseconds'`;
