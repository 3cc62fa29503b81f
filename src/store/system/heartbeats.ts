/** What the processes that share a PostgreSQL database report by their heartbeats. */
import type { Snapshot } from "../store.ts";
import { ALIVE } from "./liveness.ts";

/** The number of live nodes, which answer readers. */
export function countNodes(db: Snapshot): Promise<number> {
  return countAlive(db, "node");
}

export function countDispatchers(db: Snapshot): Promise<number> {
  return countAlive(db, "dispatcher");
}

async function countAlive(db: Snapshot, kind: "node" | "dispatcher"): Promise<number> {
  const row = await db.get(`SELECT COUNT(*) AS n FROM workers WHERE kind = ? AND ${ALIVE}`, kind);
  return row?.n ?? 0;
}

/** Identifies the website's last change visible here; null if readers see it once committed, as on SQLite. */
export async function lastChange(db: Snapshot, websiteId: string): Promise<string | null> {
  if (db.engine === "sqlite") return null;
  const row = await db.get("SELECT CAST(xid AS TEXT) AS xid FROM website_changes WHERE website_id = ?", websiteId);
  return row?.xid ?? null;
}

/** Whether each live node has seen the change. A transaction number to come was copied from another server. */
export async function isVisibleOnAllNodes(db: Snapshot, change: string): Promise<boolean> {
  const row = await db.get(
    `SELECT CAST(? AS xid8) >= pg_snapshot_xmax(pg_current_snapshot()) OR NOT EXISTS (
       SELECT 1 FROM workers WHERE kind = 'node' AND ${ALIVE}
         AND (applied_snapshot IS NULL OR NOT pg_visible_in_snapshot(CAST(? AS xid8), applied_snapshot))
     ) AS is_visible`,
    change,
    change,
  );
  return row?.is_visible === true;
}
