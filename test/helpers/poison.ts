/** Rows whose writes always fail, to test how a loop handles an unexpected error. */
import { randomBytes } from "node:crypto";
import type { Store } from "../../src/store/store.ts";

/**
 * Makes the operation fail on every row of the table with the value in the column. On `INSERT` the value is that of the new
 * row.
 *
 * @returns a function that undoes it.
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
