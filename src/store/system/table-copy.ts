/** Reads and writes whole rows table by table, and keeps the checkpoint of an unfinished copy in its target. */
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

/** Key in `settings` that marks an unfinished copy. */
const COPY_CHECKPOINT = "store-copy";

export interface CopiedTable {
  name: string;
  /** The primary key. */
  key: readonly string[];
  columns: readonly string[];
  /** Columns of any length: their sizes are queried before they are read. */
  large: readonly string[];
  /** The column that the engine numbers by itself. */
  counter: string | null;
  /** A condition on the rows that are copied. */
  only: string | null;
}

/**
 * The tables that are copied, each after those that it refers to. Left out are the word index, which is rebuilt (search.ts),
 * and what belongs to one database and its processes alone: `migrations`, `workers`, `website_changes`, the number of the
 * transaction that wrote an event, the generated columns of deliveries (`is_parked`, `failed_state`), and the queue's leases.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  table(
    "websites",
    "id",
    `id, name, url, url_pattern, preview_url, created_at, content_version, event_sequence, epoch, aged_to,
     requires_second_factor, requires_second_person, review_version, publish_delay, deleted_at, purged_version,
     unpublished_changes, asset_url, serves_feeds, index_now_key, language,
     url_changed_at, slugs_per_language`,
  ),
  table(
    "articles",
    "row_no",
    `row_no, id, website_id, status, title, title_key, slug, excerpt, author_excerpt, seo_keywords, meta_description,
     target_keyword, featured_image_url, featured_image_alt, categories, tags, word_count, reading_time, created_at,
     updated_at, saved_at, approved_at, published_at, publish_at, platform_url, platform_post_id, user_id, content_hash,
     approved_hash, deleted_at, version, source_ref, source_hash, list_form,
     review_state, author_id, assignee_id, authors, meta_title, canonical_url, aliases, language,
     translation_group, slug_scope`,
    { large: "author_excerpt, list_form, authors, meta_title, canonical_url, aliases", counter: "row_no" },
  ),
  table(
    "article_bodies",
    "row_no",
    `row_no, website_id, html, markdown, markdown_source, text, source, internal_links, links_supplied, metrics, reported_metrics,
     supplied_steps, steps`,
    {
      large: "html, markdown, markdown_source, text, internal_links, metrics, reported_metrics, supplied_steps, steps",
    },
  ),
  table("redirects", "website_id, source, row_no", "website_id, source, row_no, is_alias, version, language"),
  table("language_redirects", "website_id, source, row_no, language", "website_id, source, row_no, language, version"),
  table("draft_copies", "row_no", "row_no, website_id, changes, actor, saved_at", { large: "changes" }),
  table(
    "revisions",
    "row_no, number",
    "row_no, number, website_id, id, at, actor, action, fields, text_hash, was_approved",
    { large: "fields" },
  ),
  table("revision_texts", "row_no, hash", "row_no, hash, website_id, html, markdown", { large: "html, markdown" }),
  table(
    "assets",
    "id",
    "id, website_id, hash, name, type, bytes, width, height, alt, source_url, created_by, created_at, deleted_at",
  ),
  table("receipt_versions", "row_no", "row_no, website_id, since_version, version"),
  table(
    "comment_threads",
    "id",
    `id, website_id, row_no, quote, start_at, end_at, lost, replacement, created_at, resolved_at, resolved_by, applied_at,
     requested_in`,
    { large: "lost, replacement" },
  ),
  table(
    "comments",
    "id",
    "id, website_id, row_no, thread_id, actor, guest, body, mentions, created_at, edited_at, deleted_at",
    { large: "body" },
  ),
  table("comment_texts", "row_no", "row_no, website_id, version, drafted_at, text", { large: "text" }),
  table("article_labels", "website_id, kind, label_key, row_no", "website_id, kind, label_key, row_no"),
  table("article_authors", "website_id, name_key, row_no", "website_id, name_key, row_no"),
  table(
    "events",
    "website_id, sequence",
    "website_id, sequence, id, kind, article_id, created_at, payload, content_removed_at, traceparent, extension",
    {
      large: "payload, extension",
    },
  ),
  table("content_removals", "website_id, article_id", "website_id, article_id, before_sequence"),
  table(
    "api_keys",
    "id",
    `id, website_id, name, hash, prefix, last_four, scope, rate_limit, created_at, expires_at, last_used_at,
     revoked_at`,
  ),
  table("key_requests", "website_id, hour, key_id", "website_id, hour, key_id, requests"),
  table(
    "endpoints",
    "id",
    `id, website_id, name, description, url, events, thin, extended, coalesce_ms, headers, ca, state, disabled_reason, disabled_at,
     consecutive_failures, failed_attempts, send_window, not_before, last_success_at, last_failure_at, last_error,
     last_claimed_at, replaying, created_at, deleted_at`,
    { large: "headers, ca" },
  ),
  table("endpoint_secrets", "id", "id, website_id, endpoint_id, secret, created_at, expires_at"),
  table(
    "deliveries",
    "no",
    `no, id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state, attempts, created_at,
     finished_at`,
    { counter: "no" },
  ),
  table(
    "delivery_queue",
    "delivery_no",
    "delivery_no, website_id, endpoint_id, article_id, tries, ready_at, planned_at, not_before, failing_since",
  ),
  table(
    "attempts",
    "delivery_no, number",
    `delivery_no, number, website_id, started_at, outcome, status, error, request_headers, response_headers,
     response_body, dns_ms, connect_ms, first_byte_ms, total_ms`,
    { large: "request_headers, response_headers, response_body" },
  ),
  table(
    "delivery_counts",
    "website_id, hour, counted_by",
    "website_id, hour, counted_by, delivered, exhausted, retried, first_delivered_at",
  ),
  table(
    "replay_jobs",
    "id",
    "id, website_id, endpoint_id, kind, next_no, until_no, exhausted_since, created_at, finished_at",
  ),
  table("accounts", "id", "id, email, name, password_hash, trusted_for, created_at, disabled_at, last_sign_in_at"),
  table("memberships", "id", "id, account_id, website_id, role, created_at, accepted_at"),
  table(
    "sessions",
    "id",
    "id, account_id, token_hash, created_at, last_seen_at, confirmed_at, address, user_agent, second_factor",
  ),
  table(
    "one_time_links",
    "token_hash",
    "token_hash, purpose, account_id, scope, membership_id, shown_to, kept_factors, created_at, expires_at",
  ),
  table("email_changes", "token_hash", "token_hash, account_id, kind, email, session_id, created_at, expires_at"),
  table("totp", "account_id", "account_id, secret, created_at, confirmed_at, last_step"),
  table("recovery_codes", "account_id, code_hash", "account_id, code_hash"),
  table("passkeys", "id", "id, account_id, public_key, counter, transports, name, created_at, last_used_at"),
  table("devices", "id", "id, account_id, token_hash, created_at, last_used_at"),
  table("preview_tokens", "hash", "hash, website_id, article_id, created_by, created_at, expires_at"),
  table(
    "review_links",
    "id",
    "id, hash, website_id, article_id, content_hash, label, created_by, created_at, expires_at, revoked_at, guest, decision, decided_at",
  ),
  table("working_copies", "account_id, id", "account_id, id, website_id, article_id, content, saved_at", {
    large: "content",
  }),
  table("index_now", "website_id", "website_id, sequence, tries, ready_at"),
  table("index_now_pings", "id", "id, website_id, at, addresses, outcome, status, error"),
  table("challenges", "hash", "hash, account_id, expires_at"),
  table("mails", "id", "id, website_id, content, created_at, expires_at, tries, ready_at", { large: "content" }),
  table(
    "notifications",
    "id",
    "id, account_id, website_id, kind, target_id, event_key, actor, detail, total, at, read_at, mail",
    { large: "detail" },
  ),
  table("notification_settings", "account_id", "account_id, mail, muted, time_zone"),
  table("dead_letters", "kind, subject_id", "kind, subject_id, website_id, reason, failures, created_at, failed_at"),
  table("audit_log", "id", "id, at, website_id, actor, action, target_kind, target_id, detail, address", {
    large: "detail",
  }),
  table("settings", "name", "name, value", { only: `name <> '${COPY_CHECKPOINT}'` }),
];

function table(
  name: string,
  key: string,
  columns: string,
  more: { large?: string; counter?: string; only?: string } = {},
): CopiedTable {
  return {
    name,
    key: list(key),
    columns: list(columns),
    large: more.large === undefined ? [] : list(more.large),
    counter: more.counter ?? null,
    only: more.only ?? null,
  };
}

function list(names: string): string[] {
  return names.split(/,\s*/);
}
