import type { Attempt } from "../../domain/webhooks/attempt.ts";
import { inBatches, placeholders, valuesList } from "../system/sql-batch.ts";
import { declareRow, type Row } from "../row.ts";
import type { Snapshot, Value, Writer } from "../store.ts";
import type { Millis } from "../../domain/system/time.ts";

const COLUMNS = `delivery_no, number, started_at, outcome, status, error, request_headers, response_headers, response_body,
  dns_ms, connect_ms, first_byte_ms, total_ms`;

type AttemptRow = Row<`SELECT ${typeof COLUMNS} FROM attempts`>;

export interface NewAttempt {
  no: number;
  websiteId: string;
  attempt: Attempt;
}

export async function insertAttempts(db: Writer, attempts: readonly NewAttempt[]): Promise<void> {
  await inBatches(attempts, (batch) =>
    db.run(
      `INSERT INTO attempts (${COLUMNS}, website_id) VALUES ${valuesList(batch, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")}`,
      ...batch.flatMap(toValues),
    ),
  );
}

function toValues({ no, websiteId, attempt }: NewAttempt): Value[] {
  return [
    no,
    attempt.number,
    attempt.startedAt,
    attempt.outcome,
    attempt.status,
    attempt.error,
    JSON.stringify(attempt.requestHeaders),
    JSON.stringify(attempt.responseHeaders),
    attempt.responseBody,
    attempt.timings.dns,
    attempt.timings.connect,
    attempt.timings.firstByte,
    attempt.timings.total,
    websiteId,
  ];
}

export async function listAttempts(db: Snapshot, numbers: readonly number[]): Promise<Map<number, Attempt[]>> {
  const found = new Map(numbers.map((no) => [no, [] as Attempt[]]));
  await inBatches(numbers, async (batch) => {
    const attempts = await db.all(
      `SELECT ${COLUMNS} FROM attempts WHERE delivery_no IN (${placeholders(batch)}) ORDER BY delivery_no, number`,
      ...batch,
    );
    for (const row of attempts) found.get(row.delivery_no)?.push(fromRow(row));
  });
  return found;
}

function fromRow(row: AttemptRow): Attempt {
  return {
    number: row.number,
    startedAt: row.started_at,
    outcome: row.outcome,
    status: row.status,
    error: row.error,
    // Written by `insertAttempts` alone.
    requestHeaders: JSON.parse(row.request_headers) as Record<string, string>,
    responseHeaders: JSON.parse(row.response_headers) as [string, string][],
    responseBody: row.response_body,
    timings: { dns: row.dns_ms, connect: row.connect_ms, firstByte: row.first_byte_ms, total: row.total_ms },
  };
}

export interface DeliveryCount {
  delivered: number;
  exhausted: number;
  /** Failed attempts of deliveries that are retried. */
  retried: number;
}

export interface NewDeliveryCount extends DeliveryCount {
  websiteId: string;
  hour: Millis;
  /** When the first of the delivered ones was recorded; null: none was delivered. */
  firstDeliveredAt: Millis | null;
}

/** Adds to the stored counts. `countedBy` differs between processes that count at the same time. */
export async function addDeliveryCounts(
  db: Writer,
  countedBy: string,
  counts: readonly NewDeliveryCount[],
): Promise<void> {
  await inBatches(counts, (batch) =>
    db.run(
      `INSERT INTO delivery_counts (website_id, hour, counted_by, delivered, exhausted, retried, first_delivered_at)
       VALUES ${valuesList(batch, "(?, ?, ?, ?, ?, ?, ?)")}
       ON CONFLICT (website_id, hour, counted_by) DO UPDATE SET
         delivered = delivery_counts.delivered + excluded.delivered,
         exhausted = delivery_counts.exhausted + excluded.exhausted,
         retried = delivery_counts.retried + excluded.retried,
         first_delivered_at = COALESCE(delivery_counts.first_delivered_at, excluded.first_delivered_at)`,
      ...batch.flatMap(({ websiteId, hour, delivered, exhausted, retried, firstDeliveredAt }) => [
        websiteId,
        hour,
        countedBy,
        delivered,
        exhausted,
        retried,
        firstDeliveredAt,
      ]),
    ),
  );
}

/** Counts from the hour `since` on, by hour; hours without any are missing. */
export async function deliveriesByHour(
  db: Snapshot,
  websiteId: string,
  since: Millis,
): Promise<Map<Millis, DeliveryCount>> {
  const found = await db.all(
    `SELECT hour, CAST(SUM(delivered) AS BIGINT) AS delivered, CAST(SUM(exhausted) AS BIGINT) AS exhausted,
       CAST(SUM(retried) AS BIGINT) AS retried
     FROM delivery_counts WHERE website_id = ? AND hour >= ? GROUP BY hour`,
    websiteId,
    since,
  );
  return new Map(found.map(({ hour, ...counts }) => [hour, counts]));
}

export interface AttemptGroup {
  /** When the step began. */
  step: Millis;
  outcome: Attempt["outcome"];
  status: number | null;
  attempts: number;
  /** Of all of them together. */
  total_ms: number;
}

/** The attempts of the endpoint's newest `limit` deliveries, grouped by step and answer. Steps are multiples of `stepMs`. */
export async function groupAttempts(
  db: Snapshot,
  endpointId: string,
  { since, stepMs, limit }: { since: Millis; stepMs: number; limit: number },
): Promise<AttemptGroup[]> {
  return db.all(
    declareRow<AttemptGroup>(
      `SELECT started_at / CAST(? AS BIGINT) * CAST(? AS BIGINT) AS step, outcome, status, COUNT(*) AS attempts,
         SUM(total_ms) AS total_ms
       FROM (SELECT no FROM deliveries WHERE endpoint_id = ? ORDER BY no DESC LIMIT CAST(? AS BIGINT)) AS newest
       JOIN attempts ON delivery_no = no
       WHERE started_at >= ? GROUP BY 1, outcome, status ORDER BY 1, outcome, status`,
    ),
    stepMs,
    stepMs,
    endpointId,
    limit,
    since,
  );
}

/** When the endpoint's `limit`-th newest delivery was created; null: it has fewer. */
export async function findCreatedAt(db: Snapshot, endpointId: string, limit: number): Promise<Millis | null> {
  const row = await db.get(
    declareRow<{ created_at: Millis }>(
      "SELECT created_at FROM deliveries WHERE endpoint_id = ? ORDER BY no DESC LIMIT 1 OFFSET CAST(? AS BIGINT)",
    ),
    endpointId,
    limit - 1,
  );
  return row?.created_at ?? null;
}

/** When the first webhook arrived, tests aside; null: none did. Later if that is longer ago than counts are kept. */
export async function firstDeliveryAt(db: Snapshot, websiteId: string): Promise<Millis | null> {
  const row = await db.get(
    `SELECT (SELECT first_delivered_at FROM delivery_counts WHERE website_id = ? AND first_delivered_at IS NOT NULL
             ORDER BY hour, first_delivered_at LIMIT 1) AS counted,
       (SELECT MIN(last_success_at) FROM endpoints WHERE website_id = ?) AS known`,
    websiteId,
    websiteId,
  );
  const all = [row?.counted, row?.known].filter((at) => typeof at === "number");
  return all.length === 0 ? null : Math.min(...all);
}
