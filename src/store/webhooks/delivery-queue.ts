/**
 * The queue of unfinished deliveries (migrations/first/webhooks.ts describes its rows), in order of their numbers. They
 * are claimed by claims.ts.
 *
 * The queue is empty at one moment and long at the next. For an empty queue PostgreSQL may choose any plan, which it
 * then still uses for a long one, so these statements leave only one: `delivery_no + 0` can neither be looked up in the
 * primary key nor read in its order, and rows to change are identified by their keys, not by a join.
 */
import type { Millis } from "../../domain/system/time.ts";
import type { NextAttempt } from "../../domain/webhooks/delivery.ts";
import { inBatches, isAnyOf, placeholders, valuesList } from "../system/sql-batch.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

/**
 * Locks the article's queued deliveries until the transaction ends: a removal comes before it, or sees what it
 * enqueued. `isExclusive`: they cannot be claimed either.
 */
export async function lockArticleQueues(
  db: Writer,
  endpointIds: readonly string[],
  articleId: string,
  isExclusive: boolean,
): Promise<void> {
  if (db.engine === "sqlite") return;
  // One statement for all endpoints: whoever waits for a delivery holds none with a greater number.
  await db.all(
    declareRow<{ found: 1 }>(`SELECT 1 AS found FROM delivery_queue
     WHERE endpoint_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(? AS JSON)))) AND article_id = ?
     ORDER BY delivery_no + 0 FOR ${isExclusive ? "UPDATE" : "KEY SHARE"}`),
    JSON.stringify(endpointIds),
    articleId,
  );
}

/** Enqueues behind an earlier one of its endpoint and article, or ready at `readyAt`. The caller locked both. */
export async function enqueue(
  db: Writer,
  id: string,
  readyAt: Millis,
  /** When the first attempt of the replaced deliveries failed. */
  failingSince: Millis | null = null,
): Promise<void> {
  // By its id, so that the caller need not wait for its number.
  await db.run(
    `INSERT INTO delivery_queue (delivery_no, website_id, endpoint_id, article_id, tries, failing_since, ready_at)
     SELECT d.no, d.website_id, d.endpoint_id, d.article_id, 0, CAST(? AS BIGINT), CASE WHEN EXISTS (
       SELECT 1 FROM delivery_queue q
       WHERE q.endpoint_id = d.endpoint_id AND q.article_id = d.article_id AND q.delivery_no + 0 < d.no
     ) THEN NULL ELSE CAST(? AS BIGINT) END FROM deliveries d WHERE d.id = ?`,
    failingSince,
    readyAt,
    id,
  );
}

/** Lists those that are not being sent, oldest first. The caller has locked them (`lockArticleQueues`). */
export function listUnsent(
  db: Snapshot,
  endpointId: string,
  articleId: string,
): Promise<{ delivery_no: number; tries: number; ready_at: Millis | null; failing_since: Millis | null }[]> {
  return db.all(
    `SELECT delivery_no, tries, ready_at, failing_since FROM delivery_queue
     WHERE endpoint_id = ? AND article_id = ? AND lease_token IS NULL ORDER BY delivery_no + 0`,
    endpointId,
    articleId,
  );
}

/** Whether a later event of the article is queued for the endpoint; it may stand before this one after a replay. */
export async function hasLaterEvent(
  db: Snapshot,
  { endpointId, articleId, sequence }: { endpointId: string; articleId: string; sequence: number },
): Promise<boolean> {
  const later = await db.get(
    `SELECT 1 AS found FROM delivery_queue q JOIN deliveries d ON d.no = q.delivery_no
     WHERE q.endpoint_id = ? AND q.article_id = ? AND d.event_sequence > ? LIMIT 1`,
    endpointId,
    articleId,
    sequence,
  );
  return later !== undefined;
}

/** Marks the endpoint's and article's queued deliveries as failing since then, unless they are already. */
export async function markFailing(db: Writer, endpointId: string, articleId: string, since: Millis): Promise<void> {
  await db.run(
    "UPDATE delivery_queue SET failing_since = ? WHERE endpoint_id = ? AND article_id = ? AND failing_since IS NULL",
    since,
    endpointId,
    articleId,
  );
}

/** The state of a queued delivery before its attempt is recorded. */
export interface QueuedTry {
  token: string | null;
  /** Number of failed attempts that count, since it was enqueued. */
  tries: number;
  plannedAt: Millis | null;
  failingSince: Millis | null;
}

/** Queued deliveries by number, locked until the transaction ends. */
export async function lockQueued(db: Writer, numbers: readonly number[]): Promise<Map<number, QueuedTry>> {
  const inOrder = [...new Set(numbers)].toSorted((a, b) => a - b);
  const found = await inBatches(inOrder, (batch) =>
    db.all(
      // Rows are looked up one by one, in order.
      `SELECT delivery_no, tries, lease_token, planned_at, failing_since FROM delivery_queue
       WHERE delivery_no IN (${placeholders(batch)}) FOR UPDATE`,
      ...batch,
    ),
  );
  return new Map(
    found
      .flat()
      .map((row) => [
        row.delivery_no,
        { token: row.lease_token, tries: row.tries, plannedAt: row.planned_at, failingSince: row.failing_since },
      ]),
  );
}

/** Removes the deliveries from the queue, and makes the next one of each endpoint and article ready. */
export async function completeAndPromoteNext(
  db: Writer,
  deliveries: readonly { no: number; endpointId: string; articleId: string }[],
  now: Millis,
): Promise<void> {
  const removed = removeFromQueue(
    db,
    deliveries.map(({ no }) => no),
  );
  const advanced = inBatches(deliveries, (batch) =>
    db.run(
      `WITH v (endpoint_id, article_id) AS (VALUES ${valuesList(batch, "(?, ?)")})
       UPDATE delivery_queue SET ready_at = ? WHERE ready_at IS NULL AND delivery_no ${isAnyOf(
         db,
         `SELECT (SELECT MIN(q.delivery_no + 0) FROM delivery_queue q
                  WHERE q.endpoint_id = v.endpoint_id AND q.article_id = v.article_id) FROM v`,
       )}`,
      ...batch.flatMap(({ endpointId, articleId }) => [endpointId, articleId]),
      now,
    ),
  );
  await Promise.all([removed, advanced]);
}

/** Removes the deliveries from the queue; the caller handles those behind them. */
export async function removeFromQueue(db: Writer, numbers: readonly number[]): Promise<void> {
  await inBatches(numbers, (batch) =>
    db.run(`DELETE FROM delivery_queue WHERE delivery_no IN (${placeholders(batch)})`, ...batch),
  );
}

/** The ready time of deliveries that can neither be sent nor removed: the end of the year 9999, the last valid time. */
const NEVER: Millis = 253_402_300_799_999;

/** Releases the lease and makes the delivery never ready again, because it can neither be sent nor removed. */
export async function markNeverReady(db: Writer, no: number): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET ready_at = ?, planned_at = NULL, lease_token = NULL, lease_until = NULL, worker = NULL
     WHERE delivery_no = ?`,
    NEVER,
    no,
  );
}

/** Undoes `markNeverReady`. */
export async function readyNow(db: Writer, no: number, now: Millis): Promise<void> {
  await db.run("UPDATE delivery_queue SET ready_at = ? WHERE delivery_no = ? AND ready_at = ?", now, no, NEVER);
}

/** The first of the endpoint's deliveries that may be claimed. */
export async function listReady(db: Snapshot, endpointId: string, now: Millis, limit: number): Promise<number[]> {
  const ready = await db.all(
    `SELECT delivery_no FROM delivery_queue
     WHERE endpoint_id = ? AND ready_at <= ? AND lease_token IS NULL AND ready_at IS NOT NULL
     ORDER BY ready_at, delivery_no LIMIT CAST(? AS BIGINT)`,
    endpointId,
    now,
    limit,
  );
  return ready.map((row) => row.delivery_no);
}

export async function countUnfinished(db: Snapshot, endpointId: string, most: number): Promise<number> {
  const row = await db.get(
    `SELECT COUNT(*) AS n FROM (
       SELECT 1 FROM delivery_queue WHERE endpoint_id = ? ORDER BY article_id LIMIT CAST(? AS BIGINT)
     ) AS some_rows`,
    endpointId,
    most,
  );
  return row?.n ?? 0;
}

/** Releases the leases and sets the next attempts to `dueAt`. `failedAt`: when the attempts failed. */
export async function retryAt(
  db: Writer,
  retries: readonly (Omit<NextAttempt, "state"> & { no: number })[],
  failedAt: Millis,
): Promise<void> {
  await inBatches(retries, (batch) =>
    db.run(
      `WITH v (no, tries, ready_at, planned_at, not_before) AS (VALUES ${valuesList(batch, RETRY)})
       UPDATE delivery_queue SET (tries, ready_at, planned_at, not_before) =
         (SELECT v.tries, v.ready_at, v.planned_at, v.not_before FROM v WHERE v.no = delivery_no),
         failing_since = COALESCE(failing_since, ?), lease_token = NULL, lease_until = NULL, worker = NULL
       WHERE delivery_no IN (${placeholders(batch)})`,
      ...batch.flatMap(({ no, tries, dueAt, canExpedite, notBefore }) => [
        no,
        tries,
        dueAt,
        canExpedite ? dueAt : null,
        notBefore,
      ]),
      failedAt,
      ...batch.map(({ no }) => no),
    ),
  );
}

const RETRY = "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))";

/** Makes waiting retries due as soon as the receiver allows. Untried ones keep waiting, to be coalesced. */
export async function expediteRetries(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET ready_at = CASE WHEN not_before > ? THEN not_before ELSE ? END
     WHERE delivery_no ${isAnyOf(
       db,
       `SELECT delivery_no FROM delivery_queue WHERE endpoint_id = ? AND planned_at > ? AND lease_token IS NULL
          AND ready_at > ? FOR NO KEY UPDATE SKIP LOCKED`,
     )}`,
    now,
    now,
    endpointId,
    now,
    now,
  );
}

/** Makes all retries of the endpoint due, including those that may not be expedited otherwise. */
export async function retryAllNow(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET ready_at = ?, planned_at = COALESCE(planned_at, ready_at)
     WHERE endpoint_id = ? AND ready_at > ? AND ready_at < ? AND tries > 0 AND lease_token IS NULL
       AND ready_at IS NOT NULL`,
    now,
    endpointId,
    now,
    NEVER,
  );
}

/** Expedited retries wait again as planned, and all may be expedited again. Skips locked ones. */
export async function restoreBackoff(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET ready_at = planned_at
     WHERE delivery_no ${isAnyOf(
       db,
       `SELECT delivery_no FROM delivery_queue WHERE endpoint_id = ? AND planned_at > ? AND lease_token IS NULL
          AND ready_at < planned_at FOR NO KEY UPDATE SKIP LOCKED`,
     )}`,
    endpointId,
    now,
  );
  await db.run(
    `UPDATE delivery_queue SET planned_at = ready_at
     WHERE delivery_no ${isAnyOf(
       db,
       `SELECT delivery_no FROM delivery_queue WHERE endpoint_id = ? AND ready_at > ? AND ready_at < ?
          AND planned_at IS NULL AND tries > 0 AND lease_token IS NULL AND ready_at IS NOT NULL
        FOR NO KEY UPDATE SKIP LOCKED`,
     )}`,
    endpointId,
    now,
    NEVER,
  );
}

/** The endpoint's waiting deliveries, oldest first, locked so that none is removed until the transaction ends. */
export async function listWaitingForEndpoint(db: Writer, endpointId: string, limit: number): Promise<number[]> {
  const waiting = await db.all(
    `SELECT delivery_no FROM delivery_queue
     WHERE endpoint_id = ? AND lease_token IS NULL AND (ready_at IS NULL OR ready_at < ?)
     ORDER BY delivery_no LIMIT CAST(? AS BIGINT) FOR UPDATE`,
    endpointId,
    NEVER,
    limit,
  );
  return waiting.map((row) => row.delivery_no);
}

/** Removes the endpoint's waiting deliveries from the queue, oldest first, and parks them. @returns how many. */
export async function parkWaiting(db: Writer, endpointId: string, limit: number): Promise<number> {
  const numbers = await listWaitingForEndpoint(db, endpointId, limit);
  await removeFromQueue(db, numbers);
  await inBatches(numbers, (batch) =>
    db.run(`UPDATE deliveries SET state = 'parked' WHERE no IN (${placeholders(batch)})`, ...batch),
  );
  return numbers.length;
}

/** Endpoints that are not enabled but have waiting deliveries. */
export async function listToPark(db: Snapshot): Promise<string[]> {
  const stopped = await db.all(
    `SELECT e.id FROM endpoints e WHERE e.state <> 'enabled' AND e.deleted_at IS NULL AND EXISTS (
       SELECT 1 FROM delivery_queue q WHERE q.endpoint_id = e.id AND q.lease_token IS NULL
         AND (q.ready_at IS NULL OR q.ready_at < ?))`,
    NEVER,
  );
  return stopped.map(({ id }) => id);
}

/** How many deliveries are unfinished, and when the oldest of them was created. */
export async function measureQueue(db: Snapshot): Promise<{ depth: number; oldestAt: Millis | null }> {
  const row = await db.get("SELECT COUNT(*) AS depth, MIN(delivery_no) AS oldest_no FROM delivery_queue");
  if (row === undefined || row.oldest_no === null) return { depth: 0, oldestAt: null };
  const oldest = await db.get("SELECT created_at FROM deliveries WHERE no = ?", row.oldest_no);
  return { depth: row.depth, oldestAt: oldest?.created_at ?? null };
}

/** The endpoints with the most unfinished deliveries, with how many those are. Reads the whole queue. */
export async function longestQueues(db: Snapshot, limit: number): Promise<[endpointId: string, depth: number][]> {
  const found = await db.all(
    `SELECT endpoint_id, COUNT(*) AS n FROM delivery_queue
     GROUP BY endpoint_id ORDER BY n DESC, endpoint_id LIMIT CAST(? AS BIGINT)`,
    limit,
  );
  return found.map((row) => [row.endpoint_id, row.n]);
}
