import type { Millis } from "../domain/article.ts";
import type { ArticleEvent, EventKind, NewEvent } from "../domain/event.ts";
import type { Reader, Writer } from "./store.ts";

interface EventRow {
  id: string;
  website_id: string;
  sequence: number;
  kind: EventKind;
  article_id: string;
  created_at: number;
  payload: string;
}

const COLUMNS = "id, website_id, sequence, kind, article_id, created_at, payload";

/** Numbers the event and keeps it, in the transaction of the change that it tells of. */
export async function appendEvent(db: Writer, event: NewEvent): Promise<ArticleEvent> {
  const row = await db.get<{ event_sequence: number }>(
    "UPDATE websites SET event_sequence = event_sequence + 1 WHERE id = ? RETURNING event_sequence",
    event.websiteId,
  );
  if (row === undefined) throw new Error(`no website ${event.websiteId}`);
  await db.run(
    "INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?)",
    event.websiteId,
    row.event_sequence,
    event.id,
    event.kind,
    event.articleId,
    event.createdAt,
    event.payload,
  );
  return { ...event, sequence: row.event_sequence };
}

/** Events with a sequence greater than `after`, in order. */
export async function listEvents(
  db: Reader,
  websiteId: string,
  range: { after: number; limit: number },
): Promise<ArticleEvent[]> {
  const rows = await db.all<EventRow>(
    `SELECT ${COLUMNS} FROM events
     WHERE website_id = ? AND sequence > ? ORDER BY sequence LIMIT CAST(? AS BIGINT)`,
    websiteId,
    range.after,
    range.limit,
  );
  return rows.map(fromRow);
}

export async function findEvent(db: Reader, id: string): Promise<ArticleEvent | undefined> {
  const row = await db.get<EventRow>(`SELECT ${COLUMNS} FROM events WHERE id = ?`, id);
  return row && fromRow(row);
}

/** How many events the website has since `since`, and the sequences of the first and the last; null: there is none. */
export async function eventsSince(
  db: Reader,
  websiteId: string,
  since: Millis,
): Promise<{ count: number; first: number; last: number } | null> {
  const row = await db.get<{ count: number; first: number | null; last: number | null }>(
    `SELECT COUNT(*) AS count, MIN(sequence) AS first, MAX(sequence) AS last FROM events
     WHERE website_id = ? AND created_at >= ?`,
    websiteId,
    since,
  );
  const { count = 0, first = null, last = null } = row ?? {};
  return first === null || last === null ? null : { count, first, last };
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
  };
}
