/**
 * Which processes live, by the database's clock: those that renewed their row of `workers` lately (a heartbeat). Every time that this
 * depends on stands here, in milliseconds, with its reason.
 *
 * There are two kinds of rows. A node answers readers; a webhook waits for it until it has seen the change, so it counts as dead
 * early, and answers nothing from memory some time before that. A dispatcher holds leases; what it sends is sent again when it counts as
 * dead, so that takes a little longer, and it stops sending some time before.
 */

/** No commit waits for a heartbeat: a crash of the server loses those of the last three `wal_writer_delay` (200 each). */
const LOST_BY_CRASH_MS = 600;
/** Between what one process measures by its own clock and another by the server's. */
const TOLERANCE_MS = 50;

/** A change is seen so late at the most where a notification was lost: what readers may notice, against queries of an idle process. */
export const NODE_BEAT_INTERVAL_MS = 250;
/** The same behind PgBouncer, where there are no notifications. */
export const NODE_BEAT_INTERVAL_POOLED_MS = 50;
/** Notifications come in bursts: what comes within so short a time is taken in together. */
export const NODE_MIN_BEAT_INTERVAL_MS = 3;
/** Without a heartbeat for so long a node answers nothing from memory: two may be late, and readers wait no longer than this. */
export const NODE_FENCED_AFTER_MS = 600;
/** Then the others do not wait for it any more: it has been fenced for as long as a crash may have hidden its heartbeats. */
const NODE_DEAD_AFTER_MS = NODE_FENCED_AFTER_MS + LOST_BY_CRASH_MS + TOLERANCE_MS;
/** After a longer time between two heartbeats a node may have counted as dead: changes may have been announced without it. */
export const NODE_MAX_BEAT_INTERVAL_MS = NODE_DEAD_AFTER_MS - TOLERANCE_MS;
/** A heartbeat that is not answered by then is given up, and its connection with it: the node has been fenced for a while. */
export const NODE_BEAT_TIMEOUT_MS = 1_000;
/** Until the next attempt, after one that failed. */
export const NODE_RETRY_INTERVAL_MS = 100;
/** Rows of the dead are deleted so often, a minute after their last heartbeat: nobody looks at them in between. */
export const CLEANUP_INTERVAL_MS = 10_000;

/** While a dispatcher holds leases, or is about to. Five may be late before it is fenced. */
export const DISPATCHER_BEAT_INTERVAL_MS = 200;
/** A heartbeat that is not answered by then is given up, and its connection with it, in time for another before it is fenced. */
export const DISPATCHER_BEAT_TIMEOUT_MS = 900;
/** Without a heartbeat for so long a dispatcher sends nothing: a machine may be busy for a second. */
export const DISPATCHER_FENCED_AFTER_MS = 1_150;
/** Then others take its leases: what it had under way has ended, and is sent again within two seconds of its death. */
export const DISPATCHER_DEAD_AFTER_MS = 1_400;
/** Who has had an unbroken connection for so long knows that no crash has lost a heartbeat of anybody who still sends. */
export const DISPATCHER_CERTAIN_AFTER_MS = DISPATCHER_FENCED_AFTER_MS + TOLERANCE_MS;
/** For somebody who has not: a crash may have hidden heartbeats. */
export const DISPATCHER_DEAD_FOR_NEWCOMER_MS = DISPATCHER_FENCED_AFTER_MS + LOST_BY_CRASH_MS + TOLERANCE_MS;
/** An answer that took longer says that the database stood still, for others perhaps, too: nobody is declared dead by it. */
export const MAX_ANSWER_MS = 600;
/** The same of a question after a pause: it may have been asked when the database had stood still for long already. */
export const MAX_ANSWER_AFTER_PAUSE_MS = 150;
/** So long after such an answer everybody who lives has had a heartbeat again. */
export const CALM_AFTER_MS = 500;
/** An older answer says nothing about now. */
export const MAX_ANSWER_AGE_MS = 600;
/** A longer pause between two questions hides what the database did, and where the connection is not direct, that it broke. */
export const MAX_PAUSE_MS = 600;

/**
 * A condition on `seen_at` of a node. By the time when the statement was begun: it does not see what was said later, and must not
 * count the time that it took itself as silence.
 */
export const ALIVE = `seen_at > statement_timestamp() - interval '${NODE_DEAD_AFTER_MS} milliseconds'`;
