import type { Snapshot } from "../store.ts";

/** Bytes of the database's files, without SQLite's WAL. */
export async function measureSize(db: Snapshot): Promise<number> {
  const sql =
    db.engine === "sqlite"
      ? "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()"
      : "SELECT pg_database_size(current_database()) AS bytes";
  return (await db.get(sql))?.bytes ?? 0;
}
