/** What the processes that answer readers have taken in of a website's changes (engine/postgres/node-sync.ts). */
import { ALIVE } from "../system/liveness.ts";
import type { Reader } from "../store.ts";

/** Names the website's last change that is seen here; null where every reader sees what is committed, as on SQLite. */
export async function lastChange(db: Reader, websiteId: string): Promise<string | null> {
  if (db.engine === "sqlite") return null;
  const row = await db.get<{ xid: string }>(
    "SELECT CAST(xid AS TEXT) AS xid FROM website_changes WHERE website_id = ?",
    websiteId,
  );
  return row?.xid ?? null;
}

/** Whether each living process has. A change of a transaction that is still to come was brought along from another server. */
export async function isVisibleOnAllNodes(db: Reader, change: string): Promise<boolean> {
  const row = await db.get<{ is_taken_in: boolean }>(
    `SELECT CAST(? AS xid8) >= pg_snapshot_xmax(pg_current_snapshot()) OR NOT EXISTS (
       SELECT 1 FROM workers WHERE kind = 'node' AND ${ALIVE}
         AND (passed IS NULL OR NOT pg_visible_in_snapshot(CAST(? AS xid8), passed))
     ) AS is_taken_in`,
    change,
    change,
  );
  return row?.is_taken_in === true;
}
