/** What a database that was restored still knows of the processes and transactions of before. */
import type { Millis } from "../domain/article.ts";
import { releaseLapsed } from "./delivery-queue.ts";
import type { Writer } from "./store.ts";

/** After every time. */
const ALWAYS: Millis = Number.MAX_SAFE_INTEGER;

/** Whoever held a lease or had taken in a change is no more. @returns how many leases were taken back. */
export async function forgetProcesses(db: Writer): Promise<number> {
  if (db.engine === "postgres") {
    await db.run("DELETE FROM workers");
    await db.run("DELETE FROM website_changes");
  }
  return releaseLapsed(db, ALWAYS);
}

/** The key of an event: its website and its sequence there. */
export type EventPlace = readonly [websiteId: string, sequence: number];

/**
 * Another cluster's transactions wrote the events, and this one has not counted so far yet: as long as it has not, its
 * nodes would take those events for changes that they have not seen. Looks at `limit` events after the place.
 *
 * @returns the place of the last of them, null when there are no more; and how many were given a number of this cluster.
 */
export async function renumberEvents(
  db: Writer,
  after: EventPlace | null,
  limit: number,
): Promise<{ last: EventPlace | null; renumbered: number }> {
  const row = await db.get<{ website_id: string | null; sequence: number | null; renumbered: number }>(
    `WITH portion AS (
       SELECT website_id, sequence FROM events ${after === null ? "" : "WHERE (website_id, sequence) > (?, ?)"}
       ORDER BY website_id, sequence LIMIT CAST(? AS BIGINT)
     ),
     renumbered AS (
       UPDATE events e SET xid = pg_current_xact_id() FROM portion p
       WHERE e.website_id = p.website_id AND e.sequence = p.sequence AND e.xid >= pg_snapshot_xmin(pg_current_snapshot())
       RETURNING 1
     ),
     last AS (SELECT website_id, sequence FROM portion ORDER BY website_id DESC, sequence DESC LIMIT 1)
     SELECT (SELECT website_id FROM last), (SELECT sequence FROM last), (SELECT count(*) FROM renumbered) AS renumbered`,
    ...(after ?? []),
    limit,
  );
  if (row === undefined) throw new Error("the query returned no row");
  const { website_id, sequence, renumbered } = row;
  return { last: website_id === null || sequence === null ? null : [website_id, sequence], renumbered };
}
