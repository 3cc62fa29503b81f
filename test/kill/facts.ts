/** What stands in the database when all is over, read by SQL of its own: the product's queries are what is tested. */
import { DatabaseSync } from "node:sqlite";
import type { EventKind } from "../../src/domain/event.ts";

export interface Facts {
  events: { id: string; sequence: number; kind: EventKind; articleId: string; payload: string }[];
  /** By number. */
  deliveries: {
    no: number;
    id: string;
    endpointId: string;
    eventId: string;
    articleId: string;
    state: string;
    attempts: number;
  }[];
  /** In the order in which they were written down. */
  attempts: { deliveryNo: number; number: number; outcome: string; status: number | null }[];
  endpoints: {
    id: string;
    events: EventKind[];
    thin: boolean;
    coalesceMs: number;
    state: string;
    consecutiveFailures: number;
    failedAttempts: number;
  }[];
  /** Numbers of the deliveries that stand in line. */
  queued: number[];
}

export function readFacts(path: string): Facts {
  using database = new DatabaseSync(path, { readOnly: true });
  // The driver's rows have the columns that the SQL names.
  const all = <Row>(sql: string) => database.prepare(sql).all() as Row[];
  const endpoints = all<{
    id: string;
    events: string;
    thin: number;
    coalesceMs: number;
    state: string;
    consecutiveFailures: number;
    failedAttempts: number;
  }>(
    `SELECT id, events, thin, coalesce_ms AS coalesceMs, state, consecutive_failures AS consecutiveFailures,
       failed_attempts AS failedAttempts FROM endpoints ORDER BY id`,
  );
  return {
    events: all("SELECT id, sequence, kind, article_id AS articleId, payload FROM events ORDER BY sequence"),
    deliveries: all(
      `SELECT no, id, endpoint_id AS endpointId, event_id AS eventId, article_id AS articleId, state, attempts
       FROM deliveries ORDER BY no`,
    ),
    // SQLite gives a row inserted later a greater row id, as none is ever deleted here.
    attempts: all("SELECT delivery_no AS deliveryNo, number, outcome, status FROM attempts ORDER BY rowid"),
    endpoints: endpoints.map((row) =>
      Object.assign(row, { events: JSON.parse(row.events) as EventKind[], thin: row.thin === 1 }),
    ),
    queued: all<{ no: number }>("SELECT delivery_no AS no FROM delivery_queue ORDER BY delivery_no").map(
      ({ no }) => no,
    ),
  };
}

export function isQueueEmpty(path: string): boolean {
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare("SELECT 1 FROM delivery_queue LIMIT 1").get() === undefined;
}
