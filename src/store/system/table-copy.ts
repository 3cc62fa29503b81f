/** Reads and writes whole rows of the schema's tables, except for what is derived (word index, bands) and what belongs to processes. */
import { FROZEN, schemaAfter } from "../schema.ts";
import { COPY_CHECKPOINT } from "./copy-checkpoint.ts";
import { hasTable } from "./has-table.ts";
import { inBatches, placeholders, valuesList } from "./sql-batch.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Value, Writer } from "../store.ts";

/** Each table comes after those that it refers to. */
const ORDER = `
  websites articles article_bodies article_origins pushed_files senders arrivals arrival_bodies arrived_articles sender_numbers redirects language_redirects article_findings rechecked_metrics finding_overrides fingerprints review_records draft_copies revisions revision_texts assets
  receipt_versions comment_threads comments comment_texts article_labels article_authors events content_removals
  api_keys access_tokens key_requests endpoints endpoint_secrets deliveries delivery_queue attempts delivery_counts replay_jobs
  accounts memberships idempotency_keys sessions one_time_links email_changes totp recovery_codes passkeys devices preview_tokens
  review_links working_copies presence index_now index_now_pings challenges mails notifications notification_settings
  dead_letters audit_log settings signing_keys`;
/** The queue's leases. */
const NOT_COPIED = /^delivery_queue\.(?:lease_token|lease_until|worker)$/;

export interface CopiedTable {
  name: string;
  key: readonly string[];
  columns: readonly string[];
  texts: readonly string[];
  /** The column that the engine numbers by itself. */
  counter: string | null;
  /** A condition on the rows that are copied. */
  only: string | null;
}

const MIGRATIONS = Object.keys(FROZEN);
const [SQLITE, POSTGRES] = [schemaAfter(MIGRATIONS, "sqlite"), schemaAfter(MIGRATIONS, "postgres")];

export const COPIED_TABLES: readonly CopiedTable[] = ORDER.trim().split(/\s+/).map(describeTable);

function describeTable(name: string): CopiedTable {
  // SQLite's: the columns that PostgreSQL has in addition belong to that database alone.
  const columns = Object.entries(SQLITE).flatMap(([thing, definition]) => {
    const column = thing.startsWith(`column ${name}.`) ? thing.slice(`column ${name}.`.length) : undefined;
    const isCopied =
      column !== undefined && !NOT_COPIED.test(`${name}.${column}`) && !/ (?:VIRTUAL|STORED)$/.test(definition);
    return isCopied ? [{ column, definition, place: Number(/ PRIMARY KEY (\d+)/.exec(definition)?.[1] ?? 0) }] : [];
  });
  const key = columns.filter(({ place }) => place > 0).toSorted((one, other) => one.place - other.place);
  return {
    name,
    key: key.map(({ column }) => column),
    columns: columns.map(({ column }) => column),
    texts: columns.filter(({ definition }) => definition.startsWith("TEXT")).map(({ column }) => column),
    counter: key.find(({ column }) => POSTGRES[`column ${name}.${column}`]?.includes("IDENTITY"))?.column ?? null,
    only: name === "settings" ? `name <> '${COPY_CHECKPOINT}'` : null,
  };
}

/** The values of a row, in the order of the table's columns. */
export type CopiedRow = readonly Value[];

const MAX_ROWS = 500;
/** Limit for the texts of one page; a single row may exceed it. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The next rows after the key `after`, in the order of the primary key, limited by `MAX_ROWS` and `MAX_BYTES`. */
export async function readPage(db: Snapshot, table: CopiedTable, after: CopiedRow | null): Promise<CopiedRow[]> {
  const { name, key, columns, texts, only } = table;
  const order = key.join(", ");
  const conditions = [only, after && `(${order}) > (${placeholders(after)})`].filter((one) => one !== null);
  const rest = `FROM ${name} ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
    ORDER BY ${order} LIMIT CAST(? AS BIGINT)`;
  let limit = MAX_ROWS;
  if (texts.length > 0) {
    const bytes = texts.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
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

export async function findNonEmptyTable(db: Snapshot): Promise<string | undefined> {
  for (const { name, only } of COPIED_TABLES) {
    const hasRow = async () => db.get(`SELECT 1 FROM ${name} ${only === null ? "" : `WHERE ${only}`} LIMIT 1`);
    if ((await hasTable(db, name)) && (await hasRow()) !== undefined) return name;
  }
  return undefined;
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
  await db.run("ANALYZE fingerprint_bands");
  await db.run("ANALYZE article_words");
  await db.run("ANALYZE article_words_vocabulary");
}

/** Whether `acquireLock`'s lock in the target is held in `source`: both are the same PostgreSQL database. */
export async function holdsLock(source: Snapshot, number: number): Promise<boolean> {
  const row = await source.get("SELECT pg_try_advisory_xact_lock(CAST(? AS BIGINT)) AS is_free", number);
  return row?.is_free === false;
}

export async function acquireLock(target: Writer, number: number): Promise<void> {
  await target.get("SELECT pg_advisory_xact_lock(CAST(? AS BIGINT))", number);
}
