/** The history of what was sent: one row for each event and endpoint. What is unfinished is also in delivery-queue.ts. */
import type { Millis } from "../domain/article.ts";
import type { Delivery, DeliveryOrigin, DeliveryState } from "../domain/delivery.ts";
import type { EventKind } from "../domain/event.ts";
import { inPortions, marks, rows } from "./portions.ts";
import type { Reader, Writer } from "./store.ts";

/** A delivery's address within the store, beside the delivery itself. Lower numbers are older. */
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

interface DeliveryRow {
  no: number;
  id: string;
  website_id: string;
  endpoint_id: string;
  event_id: string;
  kind: EventKind;
  article_id: string;
  origin: DeliveryOrigin;
  state: DeliveryState;
  attempts: number;
  created_at: number;
  finished_at: number | null;
  ready_at: number | null;
}

const COLUMNS = `d.no, d.id, d.website_id, d.endpoint_id, d.event_id, d.kind, d.article_id, d.origin, d.state,
  d.attempts, d.created_at, d.finished_at, q.ready_at`;
const SOURCE = "deliveries d LEFT JOIN delivery_queue q ON q.delivery_no = d.no";

/** @returns its number. */
export async function insertDelivery(db: Writer, delivery: NewDelivery): Promise<number> {
  const row = await db.get<{ no: number }>(
    `INSERT INTO deliveries (id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
       attempts, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?) RETURNING no`,
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
  if (row === undefined) throw new Error("an inserted row has a number");
  return row.no;
}

export async function findDelivery(db: Reader, id: string): Promise<StoredDelivery | undefined> {
  const row = await db.get<DeliveryRow>(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE d.id = ?`, id);
  return row && fromRow(row);
}

/** Of the numbers, the newest first. */
export async function findDeliveries(db: Reader, nos: readonly number[]): Promise<StoredDelivery[]> {
  const found = await inPortions(nos, (portion) =>
    db.all<DeliveryRow>(
      `SELECT ${COLUMNS} FROM ${SOURCE} WHERE d.no IN (${marks(portion)}) ORDER BY d.no DESC`,
      ...portion,
    ),
  );
  return found
    .flat()
    .map(fromRow)
    .toSorted((one, other) => other.no - one.no);
}

/** As the index of the parked ones has it. */
export function parkedIn({ engine }: Pick<Reader, "engine">): string {
  return engine === "postgres" ? "is_parked" : "state = 'parked'";
}

/** Where a delivery has come to. */
export interface Progress {
  no: number;
  state: DeliveryState;
  /** Null: it is not at its end, as when it is parked. */
  finishedAt: Millis | null;
}

export async function setDeliveryState(
  db: Writer,
  no: number,
  state: DeliveryState,
  finishedAt: Millis | null,
): Promise<void> {
  await db.run("UPDATE deliveries SET state = ?, finished_at = ? WHERE no = ?", state, finishedAt, no);
}

/** The same for many, after an attempt of each: its number is how many there were. */
export async function noteProgress(db: Writer, all: readonly (Progress & { attempts: number })[]): Promise<void> {
  await inPortions(all, (portion) =>
    db.run(
      `WITH v (no, attempts, state, finished_at) AS (VALUES ${rows(portion, "(CAST(? AS BIGINT), CAST(? AS BIGINT), ?, CAST(? AS BIGINT))")})
       UPDATE deliveries SET (attempts, state, finished_at) =
         (SELECT v.attempts, v.state, v.finished_at FROM v WHERE v.no = deliveries.no)
       WHERE no IN (${marks(portion)})`,
      ...portion.flatMap(({ no, attempts, state, finishedAt }) => [no, attempts, state, finishedAt]),
      ...portion.map(({ no }) => no),
    ),
  );
}

/** A parked delivery is sent after all: from the first attempt, and on a person's wish. */
export async function restartDelivery(db: Writer, no: number): Promise<void> {
  await db.run("UPDATE deliveries SET state = 'pending', origin = 'replay' WHERE no = ?", no);
}

/** The newest delivery's number; 0: there is none. */
export async function newestDeliveryNo(db: Reader, endpointId: string): Promise<number> {
  const row = await db.get<{ no: number | null }>(
    "SELECT MAX(no) AS no FROM deliveries WHERE endpoint_id = ?",
    endpointId,
  );
  return row?.no ?? 0;
}

/** Parked deliveries from the number on, oldest first, each with the number of the article's newest parked one. */
export function listParked(
  db: Reader,
  endpointId: string,
  from: number,
  limit: number,
): Promise<{ no: number; article_id: string; newest_no: number }[]> {
  return db.all(
    `SELECT d.no, d.article_id,
       (SELECT MAX(p.no) FROM deliveries p
        WHERE p.endpoint_id = d.endpoint_id AND p.article_id = d.article_id AND p.${parkedIn(db)}) AS newest_no
     FROM deliveries d WHERE d.endpoint_id = ? AND d.${parkedIn(db)} AND d.no >= ? ORDER BY d.no LIMIT CAST(? AS BIGINT)`,
    endpointId,
    from,
    limit,
  );
}

/** Forgets finished and parked deliveries made before `before`, and all of deleted endpoints. @returns how many. */
export async function pruneDeliveries(db: Writer, before: Millis, limit: number): Promise<number> {
  const old = await db.all<{ no: number }>(
    `SELECT d.no FROM (
       SELECT no, created_at FROM deliveries ORDER BY no LIMIT CAST(? AS BIGINT)
     ) AS d WHERE d.created_at < ? AND (SELECT 1 FROM delivery_queue q WHERE q.delivery_no = d.no) IS NULL
     UNION
     SELECT no FROM (
       SELECT d.no FROM endpoints e JOIN deliveries d ON d.endpoint_id = e.id
       WHERE e.deleted_at IS NOT NULL LIMIT CAST(? AS BIGINT)
     ) AS of_deleted`,
    limit,
    before,
    limit,
  );
  const counts = await inPortions(
    old.map(({ no }) => no),
    async (candidates) => {
      const locked = await db.all<{ no: number }>(
        `SELECT no FROM deliveries WHERE no IN (${marks(candidates)}) ORDER BY no FOR UPDATE SKIP LOCKED`,
        ...candidates,
      );
      return pruneLocked(
        db,
        locked.map(({ no }) => no),
      );
    },
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A parked one may have been put in line meanwhile: it is kept, unless its endpoint is deleted. */
async function pruneLocked(db: Writer, nos: readonly number[]): Promise<number> {
  const counts = await inPortions(nos, async (portion) => {
    await db.run(
      `DELETE FROM delivery_queue WHERE delivery_no IN (${marks(portion)})
         AND endpoint_id IN (SELECT id FROM endpoints WHERE deleted_at IS NOT NULL)`,
      ...portion,
    );
    const isFinished = "NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_no = no)";
    await db.run(
      `DELETE FROM attempts WHERE delivery_no IN (
         SELECT no FROM deliveries WHERE no IN (${marks(portion)}) AND ${isFinished}
       )`,
      ...portion,
    );
    return db.run(`DELETE FROM deliveries WHERE no IN (${marks(portion)}) AND ${isFinished}`, ...portion);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function fromRow(row: DeliveryRow): StoredDelivery {
  return {
    no: row.no,
    id: row.id,
    websiteId: row.website_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    kind: row.kind,
    articleId: row.article_id,
    origin: row.origin,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    nextAttemptAt: row.ready_at,
  };
}
