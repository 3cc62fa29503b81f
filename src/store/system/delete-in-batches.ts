/** Finds and deletes rows in batches: those past their retention, and those of a deleted website. */
import { inBatches, placeholders, valuesList } from "./sql-batch.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Value, Writer } from "../store.ts";

export interface RowSet {
  table: string;
  key: readonly string[];
  /** Columns by which the batches are ordered; they include the key. */
  order: readonly string[];
  where: string;
  values: readonly Value[];
}

export function rowsBefore(table: string, key: readonly string[], age: string, before: number): RowSet {
  return { table, key, order: [age, ...key.filter((column) => column !== age)], where: `${age} < ?`, values: [before] };
}

export function withCondition(set: RowSet, condition: string): RowSet {
  return { ...set, where: `${set.where} AND ${condition}` };
}

export function rowsOfWebsite(table: string, key: readonly string[], websiteId: string): RowSet {
  return rowsWhere(table, key, "website_id = ?", websiteId);
}

export function rowsWhere(table: string, key: readonly string[], where: string, ...values: Value[]): RowSet {
  return { table, key, order: key, where, values };
}

export type RowKey = readonly Value[];

/** The next rows after `after`. */
export async function listRows(
  db: Snapshot,
  { table, order, where, values }: RowSet,
  after: RowKey | null,
  limit: number,
): Promise<RowKey[]> {
  const columns = order.join(", ");
  const isAfter = after === null ? "" : ` AND (${columns}) > (${order.map(() => "?").join(", ")})`;
  const rows = await db.all(
    declareRow<Record<string, Value>>(
      `SELECT ${columns} FROM ${table} WHERE ${where}${isAfter} ORDER BY ${columns} LIMIT CAST(? AS BIGINT)`,
    ),
    ...values,
    ...(after ?? []),
    limit,
  );
  return rows.map((row) => order.map((column) => row[column] ?? null));
}

export function getRowKey({ key, order }: RowSet, place: RowKey): Value[] {
  return key.map((column) => place[order.indexOf(column)] ?? null);
}

/** Deletes the rows that are still in the set. @returns how many. */
export async function deleteRows(db: Writer, set: RowSet, places: readonly RowKey[]): Promise<number> {
  const { table, key, where, values } = set;
  const row = `(${placeholders(key)})`;
  // SQLite would read all rows of `where` for a list of conditions. PostgreSQL would take VALUES for texts.
  const list = db.engine === "sqlite" ? "VALUES " : "";
  const counts = await inBatches(places, (batch) =>
    db.run(
      `DELETE FROM ${table} WHERE ${where} AND (${key.join(", ")}) IN (${list}${valuesList(batch, row)})`,
      ...values,
      ...batch.flatMap((place) => getRowKey(set, place)),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
