/** Which of a website's changes the nodes, which answer readers, have seen (engine/postgres/node-sync.ts). */
import { ALIVE } from "../system/liveness.ts";
import type { Snapshot } from "../store.ts";

/** Identifies the website's last change that is visible here; null if all readers see it once committed, as on SQLite. */
export async function lastChange(db: Snapshot, websiteId: string): Promise<string | null> {
  if (db.engine === "sqlite") return null;
  const row = await db.get("SELECT CAST(xid AS TEXT) AS xid FROM website_changes WHERE website_id = ?", websiteId);
  return row?.xid ?? null;
}

/** Whether each live node has seen the change. A transaction number that is yet to come was copied from another server. */
export async function isVisibleOnAllNodes(db: Snapshot, change: string): Promise<boolean> {
  const row = await db.get(
    `SELECT CAST(? AS xid8) >= pg_snapshot_xmax(pg_current_snapshot()) OR NOT EXISTS (
       SELECT 1 FROM workers WHERE kind = 'node' AND ${ALIVE}
         AND (passed IS NULL OR NOT pg_visible_in_snapshot(CAST(? AS xid8), passed))
     ) AS is_taken_in`,
    change,
    change,
  );
  return row?.is_taken_in === true;
}
