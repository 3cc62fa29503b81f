/** The delivery history: a row for each event and endpoint. Unfinished ones are also queued (delivery-queue.ts). */
import type { Millis } from "../../domain/system/time.ts";
import type { Delivery, DeliveryOrigin, DeliveryState } from "../../domain/webhooks/delivery.ts";
import type { EventKind } from "../../domain/webhooks/event.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import { declareRow, type Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface StoredDelivery extends Delivery {
  no: number;
}

export interface NewDelivery {
  id: string;
  websiteId: string;
  endpointId: string;
  eventId: string;
  eventSequence: number;
  kind: EventKind;
  articleId: string;
  origin: DeliveryOrigin;
  state: DeliveryState;
  createdAt: Millis;
}

const COLUMNS = `d.no, d.id, d.website_id, d.endpoint_id, d.event_id, d.kind, d.article_id, d.origin, d.state,
  d.attempts, d.created_at, d.finished_at, q.ready_at`;
const SOURCE = "deliveries d LEFT JOIN delivery_queue q ON q.delivery_no = d.no";

type DeliveryRow = Row<`SELECT ${typeof COLUMNS} FROM ${typeof SOURCE}`>;

export async function insertDelivery(db: Writer, delivery: NewDelivery): Promise<number> {
  return db.insert(
    `INSERT INTO deliveries (id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
       attempts, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
    "no",
    delivery.id,
    delivery.websiteId,
    delivery.endpointId,
    delivery.eventId,
    delivery.eventSequence,
    delivery.kind,
    delivery.articleId,
    delivery.origin,
    delivery.state,
    delivery.createdAt,
  );
}

export async function findDeliveryAnywhere(db: Snapshot, id: string): Promise<StoredDelivery | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE d.id = ?`, id);
  return row && fromRow(row);
}

export async function findDeliveries(db: Snapshot, numbers: readonly number[]): Promise<StoredDelivery[]> {
  const found = await inBatches(numbers, (batch) =>
    db.all(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE d.no IN (${placeholders(batch)}) ORDER BY d.no DESC`, ...batch),
  );
  return found
    .flat()
    .map(fromRow)
    .toSorted((one, other) => other.no - one.no);
}

/** The condition for parked deliveries, as the index of them has it. */
export function parkedIn({ engine }: Pick<Snapshot, "engine">): string {
  return engine === "postgres" ? "is_parked" : "state = 'parked'";
}

export async function countParked(db: Snapshot, most: number): Promise<number> {
  const row = await db.get(
    `SELECT COUNT(*) AS n FROM (
       SELECT 1 FROM deliveries WHERE ${parkedIn(db)} ORDER BY endpoint_id LIMIT CAST(? AS BIGINT)
     ) AS some_rows`,
    most,
  );
  return row?.n ?? 0;
}

export async function setDeliveryState(
  db: Writer,
  no: number,
  state: DeliveryState,
  finishedAt: Millis | null,
): Promise<void> {
  await db.run("UPDATE deliveries SET state = ?, finished_at = ? WHERE no = ?", state, finishedAt, no);
}

/** Ends a delivery after an attempt whose details cannot be saved: the attempt is counted all the same. */
export async function endDelivery(db: Writer, no: number, state: DeliveryState, now: Millis): Promise<void> {
  await db.run(
    "UPDATE deliveries SET state = ?, attempts = attempts + 1, finished_at = ? WHERE no = ?",
    state,
    now,
    no,
  );
}

interface Progress {
  no: number;
  attempts: number;
  state: DeliveryState;
  /** Null: it is not finished, for example when it is parked. */
  finishedAt: Millis | null;
}

/** Saves the states of many deliveries after an attempt of each. */
export async function recordProgress(db: Writer, all: readonly Progress[]): Promise<void> {
  // Nearly all of a batch are delivered by their first attempt.
  const groups = Map.groupBy(all, ({ attempts, state, finishedAt }) => `${attempts} ${state} ${finishedAt}`);
  await Promise.all(Array.from(groups.values(), (group) => recordEqualProgress(db, group)));
}

async function recordEqualProgress(db: Writer, group: readonly Progress[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  // SQLite would copy each page, to undo the statement alone; but the whole transaction is rolled back anyway.
  const update = db.engine === "sqlite" ? "UPDATE OR FAIL" : "UPDATE";
  await inBatches(group, (batch) =>
    db.run(
      `${update} deliveries SET attempts = ?, state = ?, finished_at = ? WHERE no IN (${placeholders(batch)})`,
      first.attempts,
      first.state,
      first.finishedAt,
      ...batch.map(({ no }) => no),
    ),
  );
}

/** Sends a parked delivery after all, starting from the first attempt, as a replay that a person has requested. */
export async function restartDelivery(db: Writer, no: number): Promise<void> {
  await db.run("UPDATE deliveries SET state = 'pending', origin = 'replay' WHERE no = ?", no);
}

/** The number of the newest delivery; 0: there is none. */
export async function newestDeliveryNo(db: Snapshot, endpointId: string): Promise<number> {
  const row = await db.get("SELECT MAX(no) AS no FROM deliveries WHERE endpoint_id = ?", endpointId);
  return row?.no ?? 0;
}

export interface MissedDelivery {
  no: number;
  id: string;
  articleId: string;
  /** Whether another parked delivery of the article has a later event. */
  isSuperseded: boolean;
}

/** Parked deliveries from the number `from` on, oldest first. */
export async function listParked(
  db: Snapshot,
  endpointId: string,
  from: number,
  limit: number,
): Promise<MissedDelivery[]> {
  const found = await db.all(
    `SELECT d.no, d.id, d.article_id, CASE WHEN EXISTS (
       SELECT 1 FROM deliveries p
       WHERE p.endpoint_id = d.endpoint_id AND p.article_id = d.article_id AND p.${parkedIn(db)}
         AND (p.event_sequence > d.event_sequence OR (p.event_sequence = d.event_sequence AND p.no > d.no))
     ) THEN 1 ELSE 0 END AS is_superseded
     FROM deliveries d WHERE d.endpoint_id = ? AND d.${parkedIn(db)} AND d.no >= ? ORDER BY d.no LIMIT CAST(? AS BIGINT)`,
    endpointId,
    from,
    limit,
  );
  return found.map(({ no, id, article_id, is_superseded }) => ({
    no,
    id,
    articleId: article_id,
    isSuperseded: is_superseded === 1,
  }));
}

/** 1 if the event still has its content; 0 also for tests, whose events are not kept. */
const CAN_RESEND = `COALESCE(
  (SELECT CASE WHEN e.content_removed_at IS NULL THEN 1 ELSE 0 END FROM events e WHERE e.id = d.event_id), 0)`;

/** Exhausted deliveries from the number `from` on, oldest first. `can_resend`: the event still has its content. */
export function listExhausted(
  db: Snapshot,
  endpointId: string,
  from: number,
  limit: number,
): Promise<{ no: number; finished_at: Millis | null; can_resend: number }[]> {
  return db.all(
    `SELECT no, finished_at, ${CAN_RESEND} AS can_resend
     FROM deliveries d WHERE endpoint_id = ? AND failed_state = 'exhausted' AND no >= ?
     ORDER BY no LIMIT CAST(? AS BIGINT)`,
    endpointId,
    from,
    limit,
  );
}

/** Parked and waiting deliveries, and those exhausted from `since` on, and of how many articles; each up to `most`. */
export async function countMissed(
  db: Snapshot,
  endpointId: string,
  since: Millis,
  most: number,
): Promise<{ events: number; articles: number }> {
  const row = await db.get(
    `SELECT COUNT(*) AS events, COUNT(DISTINCT article_id) AS articles FROM (
       SELECT article_id FROM (
         SELECT article_id FROM deliveries WHERE endpoint_id = ? AND ${parkedIn(db)}
         ORDER BY article_id LIMIT CAST(? AS BIGINT)
       ) AS parked
       UNION ALL SELECT article_id FROM (
         SELECT article_id FROM delivery_queue WHERE endpoint_id = ? ORDER BY article_id LIMIT CAST(? AS BIGINT)
       ) AS waiting
       UNION ALL SELECT article_id FROM (
         SELECT article_id, finished_at, ${CAN_RESEND} AS can_resend
         FROM deliveries d WHERE endpoint_id = ? AND failed_state = 'exhausted'
         ORDER BY no DESC LIMIT CAST(? AS BIGINT)
       ) AS exhausted WHERE can_resend = 1 AND finished_at >= ?
     ) AS missed`,
    endpointId,
    most,
    endpointId,
    most,
    endpointId,
    most,
    since,
  );
  return row ?? { events: 0, articles: 0 };
}

export async function parkExhausted(db: Writer, numbers: readonly number[]): Promise<void> {
  await inBatches(numbers, (batch) =>
    db.run(
      `UPDATE deliveries SET state = 'parked', finished_at = NULL WHERE no IN (${placeholders(batch)}) AND state = 'exhausted'`,
      ...batch,
    ),
  );
}

/** The next deliveries in order of their numbers, with what decides whether they can be pruned. */
export function listForPruning(
  db: Snapshot,
  after: number,
  limit: number,
): Promise<{ no: number; created_at: Millis; is_unfinished: number }[]> {
  return db.all(
    declareRow<{ no: number; created_at: Millis; is_unfinished: number }>(`SELECT d.no, d.created_at,
       CASE WHEN (SELECT 1 FROM delivery_queue q WHERE q.delivery_no = d.no) IS NULL THEN 0 ELSE 1 END AS is_unfinished
     FROM (SELECT no, created_at FROM deliveries WHERE no > ? ORDER BY no LIMIT CAST(? AS BIGINT)) AS d ORDER BY d.no`),
    after,
    limit,
  );
}

/** Deleted endpoints that still have deliveries. */
export async function listDeletedWithHistory(db: Snapshot): Promise<string[]> {
  const found = await db.all(
    `SELECT e.id FROM endpoints e WHERE e.deleted_at IS NOT NULL
       AND EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id)`,
  );
  return found.map(({ id }) => id);
}

export async function listDeliveryNumbers(
  db: Snapshot,
  endpointId: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const found = await db.all(
    "SELECT no FROM deliveries WHERE endpoint_id = ? AND no > ? ORDER BY no LIMIT CAST(? AS BIGINT)",
    endpointId,
    after,
    limit,
  );
  return found.map(({ no }) => no);
}

/** Deletes finished and parked deliveries, and those of deleted endpoints, except locked rows. @returns how many. */
export async function pruneDeliveries(db: Writer, numbers: readonly number[]): Promise<number> {
  const counts = await inBatches(numbers, async (candidates) => {
    const locked = await db.all(
      `SELECT no FROM deliveries WHERE no IN (${placeholders(candidates)}) ORDER BY no FOR UPDATE SKIP LOCKED`,
      ...candidates,
    );
    return pruneLocked(
      db,
      locked.map(({ no }) => no),
    );
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A parked delivery may have been enqueued meanwhile: it is kept, unless its endpoint is deleted. */
async function pruneLocked(db: Writer, numbers: readonly number[]): Promise<number> {
  const counts = await inBatches(numbers, async (batch) => {
    await db.run(
      `DELETE FROM delivery_queue WHERE delivery_no IN (${placeholders(batch)})
         AND endpoint_id IN (SELECT id FROM endpoints WHERE deleted_at IS NOT NULL)`,
      ...batch,
    );
    const isFinished = "NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_no = no)";
    await db.run(
      `DELETE FROM attempts WHERE delivery_no IN (
         SELECT no FROM deliveries WHERE no IN (${placeholders(batch)}) AND ${isFinished}
       )`,
      ...batch,
    );
    return db.run(`DELETE FROM deliveries WHERE no IN (${placeholders(batch)}) AND ${isFinished}`, ...batch);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function fromRow(row: DeliveryRow): StoredDelivery {
  const { ready_at: nextAttemptAt, ...rest } = row;
  return { ...toCamelCase(rest), nextAttemptAt };
}
