/**
 * PostgreSQL only: after a long backlog, indexes of the queue are many times larger than their rows need, as vacuum frees
 * space within them but does not return it. Each function sends statements that cannot be in a transaction.
 */
import { declareRow } from "../row.ts";
import type { DedicatedConnection } from "../store.ts";

/** Tables that are small and busy, or have indexes on a few of many rows. */
const TABLES = "'delivery_queue', 'deliveries', 'endpoints', 'workers', 'website_changes'";
/** Indexes of larger tables are not rebuilt, as that reads the whole table. */
const MAX_TABLE_BYTES = 4 * 1024 ** 3;
/** The size of an entry of the widest index, with its share of a half-full page. */
const BYTES_PER_ROW = 250;
const ASK_WITHIN_MS = 10_000;
/** Longer than it takes to read a table of `MAX_TABLE_BYTES` twice. */
const REBUILD_WITHIN_MS = 600_000;

export interface BloatLimits {
  /** Smaller indexes are left alone. */
  minBytes: number;
  /** How many times larger than its rows need an index may be. */
  factor: number;
}

/** Must be called first, on a dedicated connection. */
export async function allowLongStatements(connection: DedicatedConnection): Promise<void> {
  // A pooled connection has the server's own limits.
  if (!connection.isDirect) return;
  await connection.ask(ASK_WITHIN_MS, "SET statement_timeout = 0");
  await connection.ask(ASK_WITHIN_MS, "SET lock_timeout = '60s'");
}

/** Whether an index of the database is being built or rebuilt, by any process. */
export async function isBuildingIndex(connection: DedicatedConnection): Promise<boolean> {
  const rows = await connection.ask(
    ASK_WITHIN_MS,
    "SELECT 1 AS found FROM pg_stat_progress_create_index WHERE datname = current_database() LIMIT 1",
  );
  return rows.length > 0;
}

/** Indexes that a killed rebuild left unfinished: they are updated by writes but not used by queries. */
export async function listUnfinished(connection: DedicatedConnection): Promise<string[]> {
  const rows = await connection.ask(
    ASK_WITHIN_MS,
    `SELECT quote_ident(c.relname) AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       JOIN pg_class t ON t.oid = i.indrelid
     WHERE t.relname IN (${TABLES}) AND t.relnamespace = CAST(current_schema() AS regnamespace)
       AND NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

export async function dropUnfinished(connection: DedicatedConnection, name: string): Promise<void> {
  await connection.ask(REBUILD_WITHIN_MS, `DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

export interface BloatedIndex {
  name: string;
  bytes: number;
}

/** Largest first. Partial indexes count their own rows as of the last vacuum, others the current rows of the table. */
export function listBloated(
  connection: DedicatedConnection,
  { minBytes, factor }: BloatLimits,
): Promise<BloatedIndex[]> {
  return connection.ask(
    ASK_WITHIN_MS,
    declareRow<BloatedIndex>(`SELECT name, bytes FROM (
       SELECT quote_ident(c.relname) AS name, pg_relation_size(c.oid) AS bytes,
         CASE WHEN i.indpred IS NULL OR t.relname = 'delivery_queue'
           THEN GREATEST(c.reltuples, pg_stat_get_live_tuples(t.oid)) ELSE c.reltuples END AS row_count
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
       WHERE t.relname IN (${TABLES}) AND t.relnamespace = CAST(current_schema() AS regnamespace)
         AND i.indisvalid AND pg_relation_size(t.oid) <= ${MAX_TABLE_BYTES} AND c.reltuples >= 0
     ) AS sizes
     WHERE bytes >= CAST(? AS BIGINT) AND bytes > CAST(? AS BIGINT) * row_count * ${BYTES_PER_ROW} ORDER BY bytes DESC`),
    minBytes,
    factor,
  );
}

/** Does not block readers or writers. */
export async function rebuildIndex(connection: DedicatedConnection, name: string): Promise<void> {
  await connection.ask(REBUILD_WITHIN_MS, `REINDEX INDEX CONCURRENTLY ${name}`);
}
