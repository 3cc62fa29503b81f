/** Removes the content of events that are themselves kept. */
import type { Millis } from "../../domain/system/time.ts";
import { parkedIn } from "./deliveries.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface ContentRemoval {
  websiteId: string;
  articleId: string;
  /** The article's events before this one lose their content. */
  beforeSequence: number;
}

/** Plans to remove contents of events before `beforeSequence`, or before a later one already planned. */
export async function planRemoval(db: Writer, { websiteId, articleId, beforeSequence }: ContentRemoval): Promise<void> {
  await db.run(
    `INSERT INTO content_removals (website_id, article_id, before_sequence) VALUES (?, ?, ?)
     ON CONFLICT (website_id, article_id) DO UPDATE SET before_sequence = excluded.before_sequence
     WHERE content_removals.before_sequence < excluded.before_sequence`,
    websiteId,
    articleId,
    beforeSequence,
  );
}

/** The next planned removals after `after`, in order. */
export async function listRemovals(
  db: Snapshot,
  after: Pick<ContentRemoval, "websiteId" | "articleId"> | null,
  limit: number,
): Promise<ContentRemoval[]> {
  const rows = await db.all(
    `SELECT website_id, article_id, before_sequence FROM content_removals
     WHERE (website_id, article_id) > (?, ?) ORDER BY website_id, article_id LIMIT CAST(? AS BIGINT)`,
    after?.websiteId ?? "",
    after?.articleId ?? "",
    limit,
  );
  return rows.map(toCamelCase);
}

/** Deletes the completed removal, unless more was planned meanwhile. */
export async function finishRemoval(
  db: Writer,
  { websiteId, articleId, beforeSequence }: ContentRemoval,
): Promise<void> {
  await db.run(
    "DELETE FROM content_removals WHERE website_id = ? AND article_id = ? AND before_sequence = ?",
    websiteId,
    articleId,
    beforeSequence,
  );
}

/** Whether a delivery of the article's events up to and including that sequence is still to be sent. */
export async function isAwaited(
  db: Snapshot,
  { websiteId, articleId, beforeSequence }: ContentRemoval,
): Promise<boolean> {
  const found = await db.get(
    `SELECT 1 AS found FROM endpoints e WHERE e.website_id = ? AND e.deleted_at IS NULL AND (
       EXISTS (SELECT 1 FROM delivery_queue q JOIN deliveries d ON d.no = q.delivery_no
               WHERE q.endpoint_id = e.id AND q.article_id = ? AND d.event_sequence <= ?)
       OR EXISTS (SELECT 1 FROM deliveries d
                  WHERE d.endpoint_id = e.id AND d.article_id = ? AND d.${parkedIn(db)} AND d.event_sequence <= ?)
     ) LIMIT 1`,
    websiteId,
    articleId,
    beforeSequence,
    articleId,
    beforeSequence,
  );
  return found !== undefined;
}

/** The article's earlier events that still have their content, oldest first. */
export function listWithContent(
  db: Snapshot,
  { websiteId, articleId, beforeSequence }: ContentRemoval,
  limit: number,
): Promise<{ sequence: number; payload: string }[]> {
  return db.all(
    `SELECT sequence, payload FROM events WHERE website_id = ? AND article_id = ? AND sequence < ?
       AND kind <> 'article.deleted' AND content_removed_at IS NULL ORDER BY sequence LIMIT CAST(? AS BIGINT)`,
    websiteId,
    articleId,
    beforeSequence,
    limit,
  );
}

/** `payload`: what is left of it after the removal. */
export async function removeContent(
  db: Writer,
  websiteId: string,
  sequence: number,
  payload: string,
  now: Millis,
): Promise<void> {
  await db.run(
    "UPDATE events SET payload = ?, extension = NULL, content_removed_at = ? WHERE website_id = ? AND sequence = ?",
    payload,
    now,
    websiteId,
    sequence,
  );
}

/** Removes the extensions (slug and labels) of the article's deletion events up to and including that sequence. */
export async function removeDeletionExtensions(
  db: Writer,
  { websiteId, articleId, beforeSequence }: ContentRemoval,
): Promise<void> {
  await db.run(
    `UPDATE events SET extension = NULL WHERE website_id = ? AND article_id = ? AND sequence <= ?
       AND kind = 'article.deleted' AND extension IS NOT NULL`,
    websiteId,
    articleId,
    beforeSequence,
  );
}

/** The website's events whose age has not been checked yet, oldest first. */
export async function listEventsOfUncheckedAge(
  db: Snapshot,
  websiteId: string,
  limit: number,
): Promise<{ articleId: string; sequence: number; createdAt: Millis }[]> {
  const rows = await db.all(
    `SELECT article_id, sequence, created_at FROM events
     WHERE website_id = ? AND sequence > (SELECT aged_to FROM websites WHERE id = ?)
     ORDER BY sequence LIMIT CAST(? AS BIGINT)`,
    websiteId,
    websiteId,
    limit,
  );
  return rows.map((row) => ({ articleId: row.article_id, sequence: row.sequence, createdAt: row.created_at }));
}

/** Records that the age of events up to the sequence has been checked. */
export async function saveAgedTo(db: Writer, websiteId: string, sequence: number): Promise<void> {
  await db.run("UPDATE websites SET aged_to = ? WHERE id = ? AND aged_to < ?", sequence, websiteId, sequence);
}
