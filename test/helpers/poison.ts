/** Rows that always throw when they are written: what a fault that nobody foresaw looks like to a loop. */
import { randomBytes } from "node:crypto";
import type { Store } from "../../src/store/store.ts";

/**
 * From now on the operation fails on rows of the table that have the value in the column, whatever else it does. On
 * `INSERT` the value is the new row's.
 *
 * @returns a function that heals them.
 */
export async function poison(
  store: Store,
  operation: "INSERT" | "UPDATE" | "DELETE",
  table: string,
  column: string,
  value: string | number,
): Promise<() => Promise<void>> {
  const name = `poison_${randomBytes(6).toString("hex")}`;
  const row = operation === "INSERT" ? "NEW" : "OLD";
  const literal = typeof value === "number" ? String(value) : `'${value}'`;
  const statements =
    store.engine === "sqlite"
      ? [
          `CREATE TRIGGER ${name} BEFORE ${operation} ON ${table} WHEN ${row}.${column} = ${literal}
           BEGIN SELECT RAISE(ABORT, 'poison'); END`,
        ]
      : [
          `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN RAISE EXCEPTION ''poison''; END'`,
          `CREATE TRIGGER ${name} BEFORE ${operation} ON ${table} FOR EACH ROW WHEN (${row}.${column} = ${literal})
           EXECUTE FUNCTION ${name}()`,
        ];
  await store.write(async (db) => {
    for (const statement of statements) await db.run(statement);
  });
  return () =>
    store.write(async (db) => {
      await db.run(store.engine === "sqlite" ? `DROP TRIGGER ${name}` : `DROP TRIGGER ${name} ON ${table}`);
    });
}
