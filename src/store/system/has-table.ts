import type { Snapshot } from "../store.ts";

export async function hasTable(db: Snapshot, name: string): Promise<boolean> {
  const sql =
    db.engine === "sqlite"
      ? "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
      : // Unlike to_regclass, it sees only what the transaction's snapshot has.
        "SELECT 1 FROM pg_class WHERE relname = ? AND relkind = 'r' AND pg_table_is_visible(oid)";
  return (await db.get(sql, name)) !== undefined;
}
