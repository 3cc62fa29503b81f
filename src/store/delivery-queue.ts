/** What is unfinished (migrations/002-webhooks.ts says what a row may be). Order is by delivery number. */
import type { Millis } from "../domain/article.ts";
import type { DeliveryOrigin } from "../domain/delivery.ts";
import type { EventKind } from "../domain/event.ts";
import type { Reader, Writer } from "./store.ts";

/** The right to work on a delivery until `until`. Whoever finishes it must hold `token`. */
export interface Lease {
  token: string;
  until: Millis;
  /** Who holds it, so that the leases of the dead can be told. */
  worker: string;
}

/** A delivery that was claimed, with all that is needed to send it. */
export interface Claim {
  no: number;
  deliveryId: string;
  websiteId: string;
  endpointId: string;
  articleId: string;
  eventId: string;
  sequence: number;
  kind: EventKind;
  origin: DeliveryOrigin;
  /** The event's envelope as JSON. */
  payload: string;
  /** Attempts that were made of it, ever. */
  attempts: number;
  token: string;
}

/** An endpoint that has something waiting: `readyAt` the earliest of it. */
export interface WaitingEndpoint {
  id: string;
  window: number;
  readyAt: Millis;
}

interface ClaimRow {
  no: number;
  id: string;
  website_id: string;
  endpoint_id: string;
  article_id: string;
  event_id: string;
  event_sequence: number;
  kind: EventKind;
  origin: DeliveryOrigin;
  attempts: number;
  payload: string;
}

/** Puts a delivery in line: behind an earlier one of its endpoint and article, or ready at `readyAt`. */
export async function enqueue(
  db: Writer,
  delivery: { no: number; websiteId: string; endpointId: string; articleId: string; readyAt: Millis },
): Promise<void> {
  const { no, websiteId, endpointId, articleId, readyAt } = delivery;
  await db.run(
    `INSERT INTO delivery_queue (delivery_no, website_id, endpoint_id, article_id, tries, ready_at)
     VALUES (?, ?, ?, ?, 0, CASE WHEN EXISTS (
       SELECT 1 FROM delivery_queue WHERE endpoint_id = ? AND article_id = ? AND delivery_no < ?
     ) THEN NULL ELSE CAST(? AS BIGINT) END)`,
    no,
    websiteId,
    endpointId,
    articleId,
    endpointId,
    articleId,
    no,
    readyAt,
  );
}

/** Deliveries of the endpoint and article that nobody has tried to send yet, oldest first. */
export function listUntried(
  db: Reader,
  endpointId: string,
  articleId: string,
): Promise<{ delivery_no: number; ready_at: number | null }[]> {
  return db.all(
    `SELECT delivery_no, ready_at FROM delivery_queue
     WHERE endpoint_id = ? AND article_id = ? AND tries = 0 AND lease_token IS NULL ORDER BY delivery_no`,
    endpointId,
    articleId,
  );
}

/** Enabled endpoints with something waiting, the one served longest ago first. */
export async function listWaiting(db: Reader): Promise<WaitingEndpoint[]> {
  const rows = await db.all<{ id: string; send_window: number; not_before: number; ready_at: number | null }>(
    `SELECT e.id, e.send_window, e.not_before,
       (SELECT MIN(q.ready_at) FROM delivery_queue q
        WHERE q.endpoint_id = e.id AND q.lease_token IS NULL AND q.ready_at IS NOT NULL) AS ready_at
     FROM endpoints e WHERE e.state = 'enabled' AND e.deleted_at IS NULL ORDER BY e.served_at, e.id`,
  );
  return rows.flatMap((row) =>
    row.ready_at === null
      ? []
      : [{ id: row.id, window: row.send_window, readyAt: Math.max(row.ready_at, row.not_before) }],
  );
}

/** Leases up to `limit` deliveries of the endpoint that are ready at `now`, oldest first. */
export async function claim(
  db: Writer,
  endpointId: string,
  now: Millis,
  limit: number,
  lease: Lease,
): Promise<Claim[]> {
  const rows = await db.all<ClaimRow>(
    `SELECT d.no, d.id, d.website_id, d.endpoint_id, d.article_id, d.event_id, d.event_sequence, d.kind, d.origin,
       d.attempts, e.payload
     FROM delivery_queue q
     JOIN deliveries d ON d.no = q.delivery_no
     JOIN events e ON e.id = d.event_id
     WHERE q.endpoint_id = ? AND q.ready_at <= ? AND q.lease_token IS NULL AND q.ready_at IS NOT NULL
     ORDER BY q.ready_at, q.delivery_no LIMIT CAST(? AS BIGINT)`,
    endpointId,
    now,
    limit,
  );
  for (const { no } of rows) {
    await db.run(
      "UPDATE delivery_queue SET lease_token = ?, lease_until = ?, worker = ? WHERE delivery_no = ? AND lease_token IS NULL",
      lease.token,
      lease.until,
      lease.worker,
      no,
    );
  }
  if (rows.length > 0) await db.run("UPDATE endpoints SET served_at = ? WHERE id = ?", now, endpointId);
  return rows.map((row) => ({
    no: row.no,
    deliveryId: row.id,
    websiteId: row.website_id,
    endpointId: row.endpoint_id,
    articleId: row.article_id,
    eventId: row.event_id,
    sequence: row.event_sequence,
    kind: row.kind,
    origin: row.origin,
    payload: row.payload,
    attempts: row.attempts,
    token: lease.token,
  }));
}

/** Failed tries since it was put in line; undefined when the lease is no longer held: then somebody else has it. */
export async function triesUnderLease(db: Reader, no: number, token: string): Promise<number | undefined> {
  const row = await db.get<{ tries: number }>(
    "SELECT tries FROM delivery_queue WHERE delivery_no = ? AND lease_token = ?",
    no,
    token,
  );
  return row?.tries;
}

/** Takes the delivery out of the line, and lets the article's next one go. */
export async function dequeue(
  db: Writer,
  delivery: { no: number; endpointId: string; articleId: string },
  now: Millis,
): Promise<void> {
  await removeFromQueue(db, delivery.no);
  await db.run(
    `UPDATE delivery_queue SET ready_at = ? WHERE ready_at IS NULL AND delivery_no = (
       SELECT MIN(delivery_no) FROM delivery_queue WHERE endpoint_id = ? AND article_id = ?
     )`,
    now,
    delivery.endpointId,
    delivery.articleId,
  );
}

/** Takes it out of the line; the caller sees to what is behind it. */
export async function removeFromQueue(db: Writer, no: number): Promise<void> {
  await db.run("DELETE FROM delivery_queue WHERE delivery_no = ?", no);
}

/** Gives back a lease that was not used. */
export async function releaseLease(db: Writer, no: number, token: string): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
     WHERE delivery_no = ? AND lease_token = ?`,
    no,
    token,
  );
}

/** How many deliveries of the endpoint are unfinished, counted up to `most`. */
export async function countUnfinished(db: Reader, endpointId: string, most: number): Promise<number> {
  const row = await db.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM (SELECT 1 FROM delivery_queue WHERE endpoint_id = ? LIMIT CAST(? AS BIGINT)) AS some_rows",
    endpointId,
    most,
  );
  return row?.n ?? 0;
}

/** Gives the lease back; the next try is due at `dueAt`. */
export async function retryAt(db: Writer, no: number, tries: number, dueAt: Millis): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET tries = ?, ready_at = ?, planned_at = ?, lease_token = NULL, lease_until = NULL,
       worker = NULL
     WHERE delivery_no = ?`,
    tries,
    dueAt,
    dueAt,
    no,
  );
}

/** The endpoint's waiting retries are due at once. What was not tried yet waits on, so that it can be coalesced. */
export async function pullForward(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET ready_at = ?
     WHERE endpoint_id = ? AND ready_at > ? AND planned_at IS NOT NULL AND lease_token IS NULL
       AND ready_at IS NOT NULL`,
    now,
    endpointId,
    now,
  );
}

/** The endpoint's retries that were pulled forward and not tried since are due when they were planned again. */
export async function pushBack(db: Writer, endpointId: string, now: Millis): Promise<void> {
  await db.run(
    `UPDATE delivery_queue SET ready_at = planned_at
     WHERE endpoint_id = ? AND ready_at < planned_at AND planned_at > ? AND lease_token IS NULL
       AND ready_at IS NOT NULL`,
    endpointId,
    now,
  );
}

/** Takes the endpoint's waiting deliveries out of the line, oldest first, and parks them. @returns how many. */
export async function parkWaiting(db: Writer, endpointId: string, limit: number): Promise<number> {
  const rows = await db.all<{ delivery_no: number }>(
    `SELECT delivery_no FROM delivery_queue WHERE endpoint_id = ? AND lease_token IS NULL ORDER BY delivery_no LIMIT CAST(? AS BIGINT)`,
    endpointId,
    limit,
  );
  for (const { delivery_no: no } of rows) {
    await removeFromQueue(db, no);
    await db.run("UPDATE deliveries SET state = 'parked' WHERE no = ?", no);
  }
  return rows.length;
}

/** Endpoints that are not enabled, yet have something waiting. */
export async function listToPark(db: Reader): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    `SELECT e.id FROM endpoints e WHERE e.state <> 'enabled' AND e.deleted_at IS NULL AND EXISTS (
       SELECT 1 FROM delivery_queue q WHERE q.endpoint_id = e.id AND q.lease_token IS NULL)`,
  );
  return rows.map(({ id }) => id);
}

/** Who holds leases, and when the first of each lapses. */
export function listLeaseHolders(db: Reader): Promise<{ worker: string; until: Millis }[]> {
  return db.all(
    `SELECT worker, MIN(lease_until) AS until FROM delivery_queue WHERE lease_token IS NOT NULL GROUP BY worker`,
  );
}

/** Takes back the worker's leases. @returns how many. */
export function releaseLeases(db: Writer, worker: string): Promise<number> {
  return db.run(
    `UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
     WHERE lease_token IS NOT NULL AND worker = ?`,
    worker,
  );
}

/** Takes back the leases that have lapsed. @returns how many. */
export function releaseLapsed(db: Writer, now: Millis): Promise<number> {
  return db.run(
    `UPDATE delivery_queue SET lease_token = NULL, lease_until = NULL, worker = NULL
     WHERE lease_token IS NOT NULL AND lease_until < ?`,
    now,
  );
}

/** How many deliveries are unfinished, and when the oldest of them was made. */
export async function measureQueue(db: Reader): Promise<{ depth: number; oldestAt: Millis | null }> {
  const row = await db.get<{ depth: number; oldest_no: number | null }>(
    "SELECT COUNT(*) AS depth, MIN(delivery_no) AS oldest_no FROM delivery_queue",
  );
  if (row === undefined || row.oldest_no === null) return { depth: 0, oldestAt: null };
  const oldest = await db.get<{ created_at: number }>("SELECT created_at FROM deliveries WHERE no = ?", row.oldest_no);
  return { depth: row.depth, oldestAt: oldest?.created_at ?? null };
}
