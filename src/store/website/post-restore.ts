/** Removes what a restored database still knows about earlier processes and transactions. */
import type { Millis } from "../../domain/system/time.ts";
import { releaseExpired } from "../webhooks/leases.ts";
import { forgetMails } from "../system/email-outbox.ts";
import { forgetBursts } from "../people/notifications.ts";
import { forgetSignIns } from "../people/sessions.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

/** Later than any time. */
const ALWAYS: Millis = Number.MAX_SAFE_INTEGER;

/** Forgets processes that no longer exist, what they have seen, and their leases. @returns how many leases. */
export async function forgetProcesses(db: Writer): Promise<number> {
  if (db.engine === "postgres") {
    await db.run("DELETE FROM workers");
    await db.run("DELETE FROM website_changes");
  }
  return releaseExpired(db, ALWAYS);
}

/** Deletes sessions, links and challenges that may have ended since the backup, and mails that may have been sent. */
export async function forgetPassing(db: Writer): Promise<void> {
  await forgetSignIns(db);
  await forgetMails(db);
  await forgetBursts(db);
}

/** PostgreSQL: whether an event's transaction number is not reached here yet, so that the data is another server's. */
export async function hasForeignEvents(db: Snapshot): Promise<boolean> {
  if (db.engine === "sqlite") return false;
  const found = await db.get(
    `SELECT 1 FROM websites w JOIN events e ON e.website_id = w.id AND e.sequence = w.event_sequence
     WHERE e.xid >= pg_snapshot_xmax(pg_current_snapshot()) LIMIT 1`,
  );
  return found !== undefined;
}

export type EventCursor = readonly [websiteId: string, sequence: number];

/**
 * Gives another cluster's events a transaction number of this one, where this one has not reached theirs: nodes would
 * take them for unseen changes. @returns the last of `limit` events after `after`, null: done; and how many were
 * renumbered.
 */
export async function renumberEvents(
  db: Writer,
  after: EventCursor | null,
  limit: number,
): Promise<{ last: EventCursor | null; renumbered: number }> {
  const row = await db.get(
    declareRow<{ website_id: string | null; sequence: number | null; renumbered: number }>(`WITH portion AS (
       SELECT website_id, sequence FROM events ${after === null ? "" : "WHERE (website_id, sequence) > (?, ?)"}
       ORDER BY website_id, sequence LIMIT CAST(? AS BIGINT)
     ),
     renumbered AS (
       UPDATE events e SET xid = pg_current_xact_id() FROM portion p
       WHERE e.website_id = p.website_id AND e.sequence = p.sequence AND e.xid >= pg_snapshot_xmin(pg_current_snapshot())
       RETURNING 1
     ),
     last AS (SELECT website_id, sequence FROM portion ORDER BY website_id DESC, sequence DESC LIMIT 1)
     SELECT (SELECT website_id FROM last), (SELECT sequence FROM last), (SELECT count(*) FROM renumbered) AS renumbered`),
    ...(after ?? []),
    limit,
  );
  if (row === undefined) throw new Error("the query returned no row");
  const { website_id, sequence, renumbered } = row;
  return { last: website_id === null || sequence === null ? null : [website_id, sequence], renumbered };
}
