import type { Snapshot } from "./store.ts";

/** Ordered by name; none in an empty database. */
export async function appliedMigrations(db: Snapshot): Promise<{ name: string; additive: number }[]> {
  const columns = await db.all(
    db.engine === "sqlite"
      ? "SELECT name FROM pragma_table_info('migrations')"
      : `SELECT attname AS name FROM pg_attribute
         WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped`,
  );
  if (columns.length === 0) return [];
  const additive = columns.some(({ name }) => name === "additive") ? "additive" : "0";
  return db.all(`SELECT name, ${additive} AS additive FROM migrations ORDER BY name`);
}
