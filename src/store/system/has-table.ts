import type { Snapshot } from "../store.ts";

export async function hasTable(db: Snapshot, name: string): Promise<boolean> {
  const sql =
    db.engine === "sqlite"
      ? "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
      : "SELECT 1 WHERE to_regclass(?) IS NOT NULL";
  return (await db.get(sql, name)) !== undefined;
}
