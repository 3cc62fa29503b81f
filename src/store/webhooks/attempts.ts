import type { Attempt } from "../../domain/webhooks/attempt.ts";
import { inBatches, placeholders, valuesList } from "../system/sql-batch.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Value, Writer } from "../store.ts";

const COLUMNS = `delivery_no, number, started_at, outcome, status, error, request_headers, response_headers, response_body,
  dns_ms, connect_ms, first_byte_ms, total_ms`;

type AttemptRow = Row<`SELECT ${typeof COLUMNS} FROM attempts`>;

/** An attempt, with the number of its delivery. */
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

/** The attempts of each delivery in order, by delivery number. */
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
