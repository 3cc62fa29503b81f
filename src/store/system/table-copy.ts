/** Reads and writes whole rows table by table, and keeps the checkpoint of an unfinished copy in its target. */
import { COPIED_TABLES, COPY_CHECKPOINT, type CopiedTable } from "./table-schemas.ts";
import { inBatches, placeholders, valuesList } from "./sql-batch.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Value, Writer } from "../store.ts";

/** The values of a row, in the order of the table's columns. */
export type CopiedRow = readonly Value[];

const MAX_ROWS = 500;
/** Limit for the large columns of one page; a single row may exceed it. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The next rows after the key `after`, in the order of the primary key, limited by `MAX_ROWS` and `MAX_BYTES`. */
export async function readPage(db: Snapshot, table: CopiedTable, after: CopiedRow | null): Promise<CopiedRow[]> {
  const { name, key, columns, large, only } = table;
  const order = key.join(", ");
  const conditions = [only, after && `(${order}) > (${placeholders(after)})`].filter((one) => one !== null);
  const rest = `FROM ${name} ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
    ORDER BY ${order} LIMIT CAST(? AS BIGINT)`;
  let limit = MAX_ROWS;
  if (large.length > 0) {
    const bytes = large.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    const sizes = declareRow<{ bytes: number }>(`SELECT ${bytes} AS bytes ${rest}`);
    limit = countFitting(await db.all(sizes, ...(after ?? []), MAX_ROWS));
  }
  const select = declareRow<Record<string, Value>>(`SELECT ${columns.join(", ")} ${rest}`);
  const found = await db.all(select, ...(after ?? []), limit);
  return found.map((row) => columns.map((column) => row[column] ?? null));
}

function countFitting(sizes: readonly { bytes: number }[]): number {
  let total = 0;
  const tooMany = sizes.findIndex(({ bytes }) => (total += bytes) > MAX_BYTES);
  return Math.max(1, tooMany === -1 ? sizes.length : tooMany);
}

/** The row's primary key. */
export function getKey({ key, columns }: CopiedTable, row: CopiedRow): CopiedRow {
  return key.map((column) => row[columns.indexOf(column)] ?? null);
}

export async function insertPage(db: Writer, table: CopiedTable, page: readonly CopiedRow[]): Promise<void> {
  const { name, columns } = table;
  const row = `(${placeholders(columns)})`;
  await inBatches(page, (batch) =>
    db.run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES ${valuesList(batch, row)}`, ...batch.flat()),
  );
}

export async function countRows(db: Snapshot, { name, only }: CopiedTable): Promise<number> {
  const row = await db.get(`SELECT count(*) AS n FROM ${name} ${only === null ? "" : `WHERE ${only}`}`);
  return row?.n ?? 0;
}

/** The first table that has a row, or undefined. Missing tables have none. */
export async function findNonEmptyTable(db: Snapshot): Promise<string | undefined> {
  for (const { name, only } of COPIED_TABLES) {
    const hasRow = async () => db.get(`SELECT 1 FROM ${name} ${only === null ? "" : `WHERE ${only}`} LIMIT 1`);
    if ((await hasTable(db, name)) && (await hasRow()) !== undefined) return name;
  }
  return undefined;
}

export async function hasTable(db: Snapshot, name: string): Promise<boolean> {
  const sql =
    db.engine === "sqlite"
      ? "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
      : "SELECT 1 WHERE to_regclass(?) IS NOT NULL";
  return (await db.get(sql, name)) !== undefined;
}

/** What the word index is made of, besides the text. */
export interface LabelledRow {
  row_no: number;
  website_id: string;
  title: string;
  excerpt: string;
  categories: string;
  tags: string;
  seo_keywords: string;
  target_keyword: string | null;
}

export async function listLabelled(db: Snapshot, rowNos: readonly number[]): Promise<LabelledRow[]> {
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT row_no, website_id, title, excerpt, categories, tags, seo_keywords, target_keyword FROM articles
       WHERE row_no IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  return found.flat();
}

/** How many articles the word index has. */
export async function countIndexed(db: Snapshot): Promise<number> {
  return (await db.get("SELECT count(*) AS n FROM article_words"))?.n ?? 0;
}

/** Makes PostgreSQL's sequences continue after the copied numbers, and updates its table statistics. */
export async function finalize(db: Writer): Promise<void> {
  if (db.engine === "sqlite") return;
  for (const { name, counter } of COPIED_TABLES) {
    if (counter === null) continue;
    await db.all(
      `SELECT setval(pg_get_serial_sequence('${name}', '${counter}'), coalesce(max(${counter}), 1), count(*) > 0)
       FROM ${name}`,
    );
  }
  for (const { name } of COPIED_TABLES) await db.run(`ANALYZE ${name}`);
  await db.run("ANALYZE article_words");
  await db.run("ANALYZE article_words_vocabulary");
}

export async function findCheckpoint(db: Snapshot): Promise<string | undefined> {
  if (!(await hasTable(db, "settings"))) return undefined;
  return (await db.get("SELECT value FROM settings WHERE name = ?", COPY_CHECKPOINT))?.value;
}

export async function insertCheckpoint(db: Writer, value: string): Promise<void> {
  await db.run("INSERT INTO settings (name, value) VALUES (?, ?)", COPY_CHECKPOINT, value);
}

/** @returns false when the checkpoint is not `before` any more: another process continues the same copy. */
export async function replaceCheckpoint(db: Writer, before: string, after: string): Promise<boolean> {
  return (
    (await db.run("UPDATE settings SET value = ? WHERE name = ? AND value = ?", after, COPY_CHECKPOINT, before)) === 1
  );
}

export async function removeCheckpoint(db: Writer, before: string): Promise<void> {
  await db.run("DELETE FROM settings WHERE name = ? AND value = ?", COPY_CHECKPOINT, before);
}

/**
 * Whether the lock that `acquireLock` holds in the target is held in `source`: then both are the same PostgreSQL database, which
 * may have many addresses.
 *
 * @param number of the lock, which nothing else uses.
 */
export async function holdsLock(source: Snapshot, number: number): Promise<boolean> {
  const row = await source.get("SELECT pg_try_advisory_xact_lock(CAST(? AS BIGINT)) AS is_free", number);
  return row?.is_free === false;
}

export async function acquireLock(target: Writer, number: number): Promise<void> {
  await target.get("SELECT pg_advisory_xact_lock(CAST(? AS BIGINT))", number);
}
