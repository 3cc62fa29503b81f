import type { Millis } from "../../domain/system/time.ts";
import type { ArticleEvent, EventKind, NewEvent } from "../../domain/webhooks/event.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS =
  "id, website_id, sequence, kind, article_id, created_at, payload, content_removed_at, traceparent, extension";

type EventRow = Row<`SELECT ${typeof COLUMNS} FROM events`>;

/** The number of the website's next event, which the same transaction saves. */
export async function nextSequence(db: Writer, websiteId: string): Promise<number> {
  const row = await db.get(
    "UPDATE websites SET event_sequence = event_sequence + 1 WHERE id = ? RETURNING event_sequence",
    websiteId,
  );
  if (row === undefined) throw new Error(`no website ${websiteId}`);
  return row.event_sequence;
}

/** Saves the event, in the transaction of the change that it describes. */
export async function insertEvent(db: Writer, event: NewEvent & { sequence: number }): Promise<void> {
  await db.run(
    "INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload, traceparent, extension) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    event.websiteId,
    event.sequence,
    event.id,
    event.kind,
    event.articleId,
    event.createdAt,
    event.payload,
    event.traceparent,
    event.extension,
  );
}

/** Events with a sequence greater than `after`, in order. */
export async function listEvents(
  db: Snapshot,
  websiteId: string,
  range: { after: number; limit: number },
): Promise<ArticleEvent[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM events
     WHERE website_id = ? AND sequence > ? ORDER BY sequence LIMIT CAST(? AS BIGINT)`,
    websiteId,
    range.after,
    range.limit,
  );
  return rows.map(fromRow);
}

/** The additions of extended payloads, by event id. */
export async function findExtensions(db: Snapshot, ids: readonly string[]): Promise<Map<string, string | null>> {
  const found = await inBatches([...new Set(ids)], (batch) =>
    db.all(`SELECT id, extension FROM events WHERE id IN (${placeholders(batch)})`, ...batch),
  );
  return new Map(found.flat().map((row) => [row.id, row.extension]));
}

export async function findEvent(db: Snapshot, websiteId: string, id: string): Promise<ArticleEvent | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM events WHERE id = ? AND website_id = ?`, id, websiteId);
  return row && fromRow(row);
}

/** The limit up to which events are counted exactly. */
const MAX_COUNTED = 20_000;

/**
 * How many events of these kinds still have their content, as an upper bound, with the first and last sequence of all; null: none.
 * A binary search, as times grow with the sequence.
 */
export async function eventsSince(
  db: Snapshot,
  websiteId: string,
  since: Millis,
  kinds: readonly EventKind[],
): Promise<{ count: number; first: number; last: number } | null> {
  const oldest = await eventFrom(db, websiteId, 0);
  const newest = await newestEvent(db, websiteId);
  if (oldest === undefined || newest === undefined || newest.created_at < since) return null;
  let low = oldest.sequence;
  let high = newest.sequence;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = (await eventFrom(db, websiteId, middle)) ?? newest;
    if (found.created_at >= since) high = middle;
    else low = found.sequence + 1;
  }
  const first = (await eventFrom(db, websiteId, low)) ?? newest;
  const some = await db.get(
    `SELECT COUNT(*) AS n FROM (
       SELECT 1 FROM events WHERE website_id = ? AND sequence >= ? ORDER BY sequence LIMIT ${MAX_COUNTED}
     ) AS some_rows`,
    websiteId,
    first.sequence,
  );
  const range = { first: first.sequence, last: newest.sequence };
  // Of more, sequences are an upper bound: each belongs to at most one event.
  if ((some?.n ?? 0) >= MAX_COUNTED) return { count: range.last - range.first + 1, ...range };
  const wanted = await db.get(
    `SELECT COUNT(*) AS n FROM events
     WHERE website_id = ? AND sequence >= ? AND content_removed_at IS NULL AND kind IN (${placeholders(kinds)})`,
    websiteId,
    first.sequence,
    ...kinds,
  );
  return { count: wanted?.n ?? 0, ...range };
}

interface EventCursor {
  sequence: number;
  created_at: number;
}

function eventFrom(db: Snapshot, websiteId: string, sequence: number): Promise<EventCursor | undefined> {
  return db.get(
    "SELECT sequence, created_at FROM events WHERE website_id = ? AND sequence >= ? ORDER BY sequence LIMIT 1",
    websiteId,
    sequence,
  );
}

function newestEvent(db: Snapshot, websiteId: string): Promise<EventCursor | undefined> {
  return db.get(
    "SELECT sequence, created_at FROM events WHERE website_id = ? ORDER BY sequence DESC LIMIT 1",
    websiteId,
  );
}

function fromRow(row: EventRow): ArticleEvent {
  return {
    id: row.id,
    websiteId: row.website_id,
    sequence: row.sequence,
    kind: row.kind,
    articleId: row.article_id,
    createdAt: row.created_at,
    payload: row.payload,
    traceparent: row.traceparent,
    extension: row.extension,
    isContentRemoved: row.content_removed_at !== null,
  };
}
