/** How far the events of each website have been told by IndexNow, and what was sent. */
import type { Millis } from "../../domain/system/time.ts";
import type { EventKind } from "../../domain/webhooks/event.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import { inBatches, placeholders } from "./sql-batch.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface IndexNowPosition {
  websiteId: string;
  sequence: number;
  /** Failed tries since. */
  tries: number;
}

export interface ChangedArticle {
  sequence: number;
  kind: EventKind;
  articleId: string;
  /** JSON (domain/webhooks/event.ts). */
  extension: string | null;
}

export interface IndexNowPing {
  id: string;
  websiteId: string;
  at: Millis;
  addresses: number;
  outcome: "sent" | "retried" | "given_up";
  status: number | null;
  error: string | null;
}

export async function startIndexNow(db: Writer, websiteId: string, sequence: number, now: Millis): Promise<void> {
  await db.run(
    "INSERT INTO index_now (website_id, sequence, tries, ready_at) VALUES (?, ?, 0, ?)",
    websiteId,
    sequence,
    now,
  );
}

export async function stopIndexNow(db: Writer, websiteId: string): Promise<void> {
  await db.run("DELETE FROM index_now WHERE website_id = ?", websiteId);
}

/** Websites with something to tell, those that have waited longest first. */
export async function listDueForIndexNow(db: Snapshot, now: Millis): Promise<IndexNowPosition[]> {
  const rows = await db.all(
    `SELECT n.website_id, n.sequence, n.tries FROM index_now n JOIN websites w ON w.id = n.website_id
     WHERE n.ready_at <= ? AND w.event_sequence > n.sequence AND w.deleted_at IS NULL ORDER BY n.ready_at, n.website_id`,
    now,
  );
  return rows.map((row) => ({ websiteId: row.website_id, sequence: row.sequence, tries: row.tries }));
}

/** The website's changes after the position, in order, without the articles' contents. */
export async function listChanges(
  db: Snapshot,
  { websiteId, sequence }: IndexNowPosition,
  limit: number,
): Promise<ChangedArticle[]> {
  const rows = await db.all(
    `SELECT sequence, kind, article_id, extension FROM events
     WHERE website_id = ? AND sequence > ? ORDER BY sequence LIMIT CAST(? AS BIGINT)`,
    websiteId,
    sequence,
    limit,
  );
  return rows.map(toCamelCase);
}

/** Slugs, languages and addresses of these articles; only of published ones, because those of others are not public. */
export async function findCurrentSlugs(db: Snapshot, websiteId: string, ids: readonly string[]) {
  const found = await inBatches([...new Set(ids)], (batch) =>
    db.all(
      `SELECT id, slug, language, platform_url FROM articles
       WHERE website_id = ? AND status = 'published' AND id IN (${placeholders(batch)})`,
      websiteId,
      ...batch,
    ),
  );
  return found.flat();
}

/** Moves on from a position, unless somebody else has. @returns whether this one did. */
export async function moveIndexNow(
  db: Writer,
  from: IndexNowPosition,
  to: { sequence: number; tries: number; readyAt: Millis },
): Promise<boolean> {
  const moved = await db.run(
    "UPDATE index_now SET sequence = ?, tries = ?, ready_at = ? WHERE website_id = ? AND sequence = ? AND tries = ?",
    to.sequence,
    to.tries,
    to.readyAt,
    from.websiteId,
    from.sequence,
    from.tries,
  );
  return moved > 0;
}

export async function insertPing(db: Writer, ping: IndexNowPing): Promise<void> {
  await db.run(
    "INSERT INTO index_now_pings (id, website_id, at, addresses, outcome, status, error) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ping.id,
    ping.websiteId,
    ping.at,
    ping.addresses,
    ping.outcome,
    ping.status,
    ping.error,
  );
}

export async function listPings(db: Snapshot, websiteId: string, limit: number): Promise<IndexNowPing[]> {
  const rows = await db.all(
    `SELECT id, at, addresses, outcome, status, error FROM index_now_pings
     WHERE website_id = ? ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)`,
    websiteId,
    limit,
  );
  // Only `insertPing` writes outcomes.
  return rows.map(({ id, at, addresses, outcome, status, error }) => ({
    id,
    websiteId,
    at,
    addresses,
    outcome: outcome as IndexNowPing["outcome"],
    status,
    error,
  }));
}

export async function nextIndexNowAt(db: Snapshot, websiteId: string): Promise<Millis | null> {
  const row = await db.get(
    `SELECT n.ready_at FROM index_now n JOIN websites w ON w.id = n.website_id
     WHERE n.website_id = ? AND w.event_sequence > n.sequence`,
    websiteId,
  );
  return row?.ready_at ?? null;
}
