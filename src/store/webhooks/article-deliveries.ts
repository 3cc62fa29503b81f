/** Finds deliveries of an article's newest event, by time, as there is no index by article. */
import type { Millis } from "../../domain/system/time.ts";
import type { EventKind } from "../../domain/webhooks/event.ts";
import type { DeliveryState } from "../../domain/webhooks/delivery.ts";
import { declareRow } from "../row.ts";
import type { Snapshot } from "../store.ts";

interface NewestEvent {
  id: string;
  kind: EventKind;
  createdAt: Millis;
}

/** The newest event about the article's published state; undefined if its content was removed. */
export async function findNewestEvent(
  db: Snapshot,
  websiteId: string,
  articleId: string,
): Promise<NewestEvent | undefined> {
  const row = await db.get(
    `SELECT id, kind, created_at FROM events
     WHERE website_id = ? AND article_id = ? AND kind <> 'article.deleted' AND content_removed_at IS NULL
     ORDER BY sequence DESC LIMIT 1`,
    websiteId,
    articleId,
  );
  return row && { id: row.id, kind: row.kind, createdAt: row.created_at };
}

export interface EventDelivery {
  endpointId: string;
  url: string;
  state: DeliveryState;
  attempts: number;
  finishedAt: Millis | null;
  nextAttemptAt: Millis | null;
}

const MAX_SEARCHED = 2_000;

interface DeliveryRow {
  endpoint_id: string;
  url: string;
  state: DeliveryState;
  attempts: number;
  finished_at: Millis | null;
  ready_at: Millis | null;
}

/** Lists an event's deliveries, but those of deleted endpoints. */
export async function listEventDeliveries(
  db: Snapshot,
  { id, createdAt }: Pick<NewestEvent, "id" | "createdAt">,
): Promise<EventDelivery[]> {
  const from = await findFirstNo(db, createdAt);
  if (from === undefined) return [];
  const rows = await db.all(
    declareRow<DeliveryRow>(`SELECT d.endpoint_id, e.url, d.state, d.attempts, d.finished_at, q.ready_at
     FROM (SELECT no, endpoint_id, event_id, origin, state, attempts, finished_at FROM deliveries
           WHERE no >= ? ORDER BY no LIMIT CAST(${MAX_SEARCHED} AS BIGINT)) AS d
       JOIN endpoints e ON e.id = d.endpoint_id AND e.deleted_at IS NULL
       LEFT JOIN delivery_queue q ON q.delivery_no = d.no
     WHERE d.event_id = ? AND d.origin <> 'test' ORDER BY d.no`),
    from,
    id,
  );
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    finishedAt: row.finished_at,
    nextAttemptAt: row.ready_at,
  }));
}

/** The number of the first delivery since then, by binary search: numbers grow with time. */
async function findFirstNo(db: Snapshot, since: Millis): Promise<number | undefined> {
  const newest = await db.get("SELECT no, created_at FROM deliveries ORDER BY no DESC LIMIT 1");
  if (newest === undefined || newest.created_at < since) return undefined;
  let low = 0;
  let high = newest.no;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await db.get("SELECT no, created_at FROM deliveries WHERE no >= ? ORDER BY no LIMIT 1", middle);
    if (found === undefined || found.created_at >= since) high = middle;
    else low = found.no + 1;
  }
  return low;
}
