/**
 * Which processes are alive, by the database's clock: those that have recently renewed their rows in `workers`. A
 * process has one heartbeat (engine/postgres/node-sync.ts), which renews the row of the node and that of its
 * dispatcher, if it has one. Every duration that this depends on is defined here, in milliseconds, with its reason.
 *
 * A node answers readers; a webhook waits until every live node has seen its change, so a node counts as dead early,
 * and answers nothing from memory some time before that. A dispatcher holds leases; what it was sending is sent again
 * once it counts as dead, so that takes a little longer, and it stops sending some time before.
 */
/** Heartbeats commit asynchronously: a crash of the server loses those of three `wal_writer_delay` (200 each). */
const LOST_BY_CRASH_MS = 600;
/** Difference between what one process measures by its own clock and another by the server's. */
const TOLERANCE_MS = 50;

/** Maximum delay of a change whose notification was lost: what readers may notice, against idle queries. */
export const NODE_BEAT_INTERVAL_MS = 250;
/** `NODE_BEAT_INTERVAL_MS` behind PgBouncer, where there are no notifications. */
export const NODE_BEAT_INTERVAL_POOLED_MS = 50;
/** Notifications come in bursts: those that come within this time share one heartbeat. */
export const NODE_MIN_BEAT_INTERVAL_MS = 3;
/** Without a heartbeat for this long a node answers nothing from memory: two may be late, readers wait no longer. */
export const NODE_FENCED_AFTER_MS = 600;
/** After this time others do not wait for it: it is fenced for as long as a crash may have hidden its heartbeats. */
const NODE_DEAD_AFTER_MS = NODE_FENCED_AFTER_MS + LOST_BY_CRASH_MS + TOLERANCE_MS;
/** After a longer time between heartbeats a node may have counted as dead: webhooks may have left it out. */
export const NODE_MAX_BEAT_INTERVAL_MS = NODE_DEAD_AFTER_MS - TOLERANCE_MS;
/** A heartbeat not answered by then is abandoned with its connection: the node has been fenced for a while. */
export const NODE_BEAT_TIMEOUT_MS = 1_000;
/** Delay after a failed heartbeat. */
export const NODE_RETRY_INTERVAL_MS = 100;
/** How often rows of the dead are deleted, a minute after their last heartbeat: until then they are ignored. */
export const CLEANUP_INTERVAL_MS = 10_000;

/** A dispatcher's row is not renewed more often: under load, heartbeats follow each other within milliseconds. */
export const DISPATCHER_BEAT_INTERVAL_MS = 200;
/** A dispatcher whose row was not renewed for this long sends nothing. */
export const DISPATCHER_FENCED_AFTER_MS = 1_150;
/** After this time others reclaim its leases: fenced for as long as a crash may have hidden its heartbeats. */
export const DISPATCHER_DEAD_AFTER_MS = DISPATCHER_FENCED_AFTER_MS + LOST_BY_CRASH_MS + TOLERANCE_MS;
/** A longer time between two answers to a process means that the database stalled or broke, perhaps for others, too. */
export const MAX_ANSWER_INTERVAL_MS = 600;
/** This long after such an interval, every live dispatcher has renewed its row or stopped sending. */
export const STEADY_AFTER_MS = DISPATCHER_FENCED_AFTER_MS + TOLERANCE_MS;

/** How often the dispatcher's thread shows its own process that it lives. */
export const THREAD_BEAT_INTERVAL_MS = 200;
/** The row of a thread silent for this long is not renewed: one that hangs leaves its work to others. */
export const THREAD_SILENT_AFTER_MS = 500;
/** How often to check whether the thread hangs. */
export const THREAD_CHECK_INTERVAL_MS = 500;
/** A thread that has been silent for this long is terminated and started again: nothing that it does takes as long. */
export const THREAD_HUNG_AFTER_MS = 10_000;
/** `THREAD_HUNG_AFTER_MS` until the first sign of life, while it loads the program, perhaps on a busy machine. */
export const THREAD_START_TIMEOUT_MS = 60_000;

/** Alive, by `seen_at`. Compares with the start of the statement, whose duration must not count as silence. */
export const ALIVE = `seen_at > statement_timestamp() - interval '${NODE_DEAD_AFTER_MS} milliseconds'`;
