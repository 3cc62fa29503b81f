/** What the database holds at the end, read by separate SQL: the product's own queries are under test. */
import type { EventKind } from "../../src/domain/webhooks/event.ts";
import { declareRow } from "../../src/store/row.ts";
import type { Store } from "../../src/store/store.ts";

export interface Facts {
  /** `payload`: null once its content was removed, because the article is gone. */
  events: { id: string; sequence: number; kind: EventKind; articleId: string; payload: string | null }[];
  /** By number. */
  deliveries: {
    no: number;
    id: string;
    endpointId: string;
    eventId: string;
    articleId: string;
    state: string;
    attempts: number;
    /** Milliseconds on the service's clock; null while it is unfinished. */
    finishedAt: number | null;
  }[];
  /** Ordered by `batch`, as recorded; the order within a batch is unknown. */
  attempts: {
    deliveryNo: number;
    number: number;
    outcome: string;
    status: number | null;
    /** Milliseconds on the service's clock. */
    startedAt: number;
    batch: number;
  }[];
  endpoints: {
    id: string;
    events: EventKind[];
    thin: boolean;
    coalesceMs: number;
    state: string;
    consecutiveFailures: number;
    failedAttempts: number;
  }[];
  /** Numbers of the queued deliveries. */
  queued: number[];
}

export function readFacts(store: Store): Promise<Facts> {
  return store.read(async (db) => {
    const endpoints = await db.all(
      `SELECT id, events, thin, coalesce_ms, state, consecutive_failures, failed_attempts FROM endpoints ORDER BY id`,
    );
    const events = await db.all(
      declareRow<Facts["events"][number]>(`SELECT id, sequence, kind, article_id AS "articleId",
         CASE WHEN content_removed_at IS NULL THEN payload END AS payload FROM events ORDER BY sequence`),
    );
    const deliveries = await db.all(
      `SELECT no, id, endpoint_id AS "endpointId", event_id AS "eventId", article_id AS "articleId", state, attempts,
         finished_at AS "finishedAt" FROM deliveries ORDER BY no`,
    );
    const attempts = await db.all(
      declareRow<
        Facts["attempts"][number]
      >(`SELECT delivery_no AS "deliveryNo", number, outcome, status, started_at AS "startedAt",
         ${BATCH[db.engine]} AS batch FROM attempts ORDER BY batch, delivery_no, number`),
    );
    const queued = await db.all("SELECT delivery_no FROM delivery_queue ORDER BY delivery_no");
    return {
      events,
      deliveries,
      attempts,
      endpoints: endpoints.map((row) => ({
        id: row.id,
        events: JSON.parse(row.events) as EventKind[],
        thin: row.thin === 1,
        coalesceMs: row.coalesce_ms,
        state: row.state,
        consecutiveFailures: row.consecutive_failures,
        failedAttempts: row.failed_attempts,
      })),
      queued: queued.map(({ delivery_no: no }) => no),
    };
  });
}

export async function isQueueEmpty(store: Store): Promise<boolean> {
  return (await store.read((db) => db.get("SELECT 1 AS one FROM delivery_queue LIMIT 1"))) === undefined;
}

/**
 * SQLite gives a row inserted later a greater row id, as none is ever deleted here. PostgreSQL's transactions that write
 * down attempts of one endpoint wait for each other before they get their numbers.
 */
const BATCH = { sqlite: "rowid", postgres: "CAST(CAST(xmin AS TEXT) AS BIGINT)" } as const;
