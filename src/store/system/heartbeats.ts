/** Counts the processes that share a PostgreSQL database, by their heartbeats. */
import { ALIVE } from "./liveness.ts";
import type { Snapshot } from "../store.ts";

/** The number of live nodes, which answer readers. */
export function countNodes(db: Snapshot): Promise<number> {
  return countAlive(db, "node");
}

/** The number of live processes that deliver webhooks. */
export function countDispatchers(db: Snapshot): Promise<number> {
  return countAlive(db, "dispatcher");
}

async function countAlive(db: Snapshot, kind: "node" | "dispatcher"): Promise<number> {
  const row = await db.get(`SELECT COUNT(*) AS n FROM workers WHERE kind = ? AND ${ALIVE}`, kind);
  return row?.n ?? 0;
}
