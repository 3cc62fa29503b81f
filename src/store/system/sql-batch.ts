import type { Snapshot, Value, Writer } from "../store.ts";

/** Rows per statement: few sizes make few statements, each planned once. */
const SIZES = [64, 16, 4, 1] as const;

/** Names the website of rows that are found by their numbers: by its index SQLite would go through all of the website's. */
export const OF_WEBSITE = "website_id || '' = ?";

/** Sends batches without waiting for answers; `work` begins with its one statement. @returns the results, in order. */
export function inBatches<T, R>(items: readonly T[], work: (batch: readonly T[]) => Promise<R>): Promise<R[]> {
  const results: Promise<R>[] = [];
  for (let at = 0; at < items.length;) {
    const size = SIZES.find((one) => one <= items.length - at) ?? 1;
    results.push(work(items.slice(at, at + size)));
    at += size;
  }
  return Promise.all(results);
}

/** Waits for all, even if one fails: no statement may follow its transaction. @throws the first error. */
export async function waitForAll<const T extends readonly unknown[]>(
  sent: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(sent);
  return Promise.all(sent);
}

/** On SQLite one by one: for several rows it would copy the pages that it changes, which takes three times as long. */
export async function insertRows(db: Writer, into: string, rows: readonly (readonly Value[])[]): Promise<void> {
  const row = `(${placeholders(rows[0] ?? [])})`;
  if (db.engine === "sqlite") {
    const sql = `INSERT INTO ${into} VALUES ${row}`;
    await Promise.all(rows.map((values) => db.run(sql, ...values)));
    return;
  }
  await inBatches(rows, (batch) => db.run(`INSERT INTO ${into} VALUES ${valuesList(batch, row)}`, ...batch.flat()));
}

/** A condition by the query's results, one by one: PostgreSQL would otherwise join them, in its own order. */
export function isAnyOf({ engine }: Pick<Snapshot, "engine">, query: string): string {
  return engine === "postgres" ? `= ANY (ARRAY(${query}))` : `IN (${query})`;
}

/** `?, ?, ?` */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

/** `(…), (…), (…)` */
export function valuesList(values: readonly unknown[], row: string): string {
  return values.map(() => row).join(", ");
}
