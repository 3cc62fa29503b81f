/** Who has an article open. A row expires by its `seen_at`, and is deleted within a minute. */
import type { Millis } from "../../domain/system/time.ts";
import type { Activity } from "../../domain/people/presence.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface PresenceKey {
  websiteId: string;
  articleId: string;
  accountId: string;
  activity: Activity;
}

export interface PresentPerson {
  id: string;
  name: string;
  activity: Activity;
}

const IS_THIS = "website_id = ? AND article_id = ? AND account_id = ? AND activity = ?";

/** When the person was last reported; undefined: not at all. */
export async function lastSeen(db: Snapshot, key: PresenceKey): Promise<Millis | undefined> {
  return (await db.get(`SELECT seen_at FROM presence WHERE ${IS_THIS}`, ...values(key)))?.seen_at;
}

/** `arrived_at` stays while the person was there until now: it identifies an arrival. */
export async function savePresence(db: Writer, key: PresenceKey, now: Millis, presentSince: Millis): Promise<void> {
  await db.run(
    `INSERT INTO presence (website_id, article_id, account_id, activity, arrived_at, seen_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (website_id, article_id, account_id, activity) DO UPDATE SET
       arrived_at = CASE WHEN presence.seen_at > ? THEN presence.arrived_at ELSE excluded.arrived_at END,
       seen_at = excluded.seen_at`,
    ...values(key),
    now,
    now,
    presentSince,
  );
}

export async function deletePresence(db: Writer, key: PresenceKey): Promise<void> {
  await db.run(`DELETE FROM presence WHERE ${IS_THIS}`, ...values(key));
}

/** Those who edit come first. Who both edits and reads is listed as editing. */
export async function listPresent(
  db: Snapshot,
  { websiteId, articleId }: Pick<PresenceKey, "websiteId" | "articleId">,
  presentSince: Millis,
): Promise<PresentPerson[]> {
  const rows = await db.all(
    declareRow<{ id: string; name: string; editing: number }>(
      `SELECT p.account_id AS id, COALESCE(NULLIF(a.name, ''), a.email) AS name,
         MAX(CASE WHEN p.activity = 'editing' THEN 1 ELSE 0 END) AS editing
       FROM presence p JOIN accounts a ON a.id = p.account_id
       WHERE p.website_id = ? AND p.article_id = ? AND p.seen_at > ?
       GROUP BY p.account_id, a.name, a.email ORDER BY editing DESC, MIN(p.arrived_at), p.account_id`,
    ),
    websiteId,
    articleId,
    presentSince,
  );
  return rows.map(({ id, name, editing }) => ({ id, name, activity: editing === 1 ? "editing" : "reading" }));
}

/** Whether there are any, present or gone. */
export async function hasPresence(db: Snapshot): Promise<boolean> {
  return (await db.get("SELECT 1 AS found FROM presence LIMIT 1")) !== undefined;
}

export async function deleteGone(db: Writer, presentSince: Millis): Promise<void> {
  await db.run("DELETE FROM presence WHERE seen_at <= ?", presentSince);
}

function values({ websiteId, articleId, accountId, activity }: PresenceKey): [string, string, string, string] {
  return [websiteId, articleId, accountId, activity];
}
