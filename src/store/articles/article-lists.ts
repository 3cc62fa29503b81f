/** Queries behind the dashboard's lists: row numbers in order, and summaries of the rows to show. None uses OFFSET. */
import { labelKey } from "../../domain/system/collation.ts";
import {
  ARTICLE_STATUSES,
  type ArticleOrigin,
  type ArticleStatus,
  parseMetrics,
  type ReviewState,
} from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { Person } from "../system/audit.ts";
import { toReviewState } from "./article-rows.ts";
import { labelledQuery, type LabelKind } from "./labels.ts";
import type { IN_TITLE } from "../../domain/articles/content/measure/search.ts";
import { inBatches, OF_WEBSITE, placeholders } from "../system/sql-batch.ts";
import { wordsQuery } from "./search.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Value } from "../store.ts";

/** Approved articles with a publication time, the next one first. */
export function scheduledRows(db: Snapshot, websiteId: string): Promise<Uint32Array> {
  return db.rowNumbers(
    `SELECT row_no FROM articles
     WHERE website_id = ? AND publish_at IS NOT NULL AND deleted_at IS NULL AND status = 'approved'
     ORDER BY publish_at, id`,
    websiteId,
  );
}

/** Published articles with a draft copy, the last saved first. */
export function draftRows(db: Snapshot, websiteId: string): Promise<Uint32Array> {
  return db.rowNumbers(
    `SELECT row_no FROM draft_copies JOIN articles USING (row_no)
     WHERE draft_copies.website_id = ? AND status = 'published' AND deleted_at IS NULL
     ORDER BY draft_copies.saved_at DESC, id`,
    websiteId,
  );
}

/** Articles with held changes of a source, the last brought first. */
export function heldRows(db: Snapshot, websiteId: string): Promise<Uint32Array> {
  return db.rowNumbers(
    `SELECT row_no FROM article_origins JOIN articles USING (row_no)
     WHERE article_origins.website_id = ? AND held_at IS NOT NULL AND deleted_at IS NULL
     GROUP BY row_no, id ORDER BY max(held_at) DESC, id`,
    websiteId,
  );
}

export function reviewRows(
  db: Snapshot,
  websiteId: string,
  states: readonly Exclude<ReviewState, "in_review">[],
): Promise<Uint32Array> {
  // With a list of states, SQLite reads all pending articles instead of the index.
  const one = `SELECT row_no FROM articles WHERE website_id = ? AND ${IS_IN_OTHER_STATE} AND review_state = ?`;
  return db.rowNumbers(states.map(() => one).join(" UNION ALL "), ...states.flatMap((state) => [websiteId, state]));
}

/** Numbers of pending articles in states other than the default. */
export async function countReviewStates(
  db: Snapshot,
  websiteId: string,
): Promise<Partial<Record<Exclude<ReviewState, "in_review">, number>>> {
  const rows = await db.all(
    `SELECT review_state, count(*) AS n FROM articles WHERE website_id = ? AND ${IS_IN_OTHER_STATE} GROUP BY review_state`,
    websiteId,
  );
  return Object.fromEntries(rows.map(({ review_state, n }) => [review_state, n]));
}

/** The condition of the index `articles_by_review`. */
const IS_IN_OTHER_STATE = "review_state IS NOT NULL AND status = 'pending' AND deleted_at IS NULL";

/**
 * Articles outside the trash by the time since when they are in their state; those of one import in the order of their
 * dates. `limit`: at most as many.
 */
export function stateRows(
  db: Snapshot,
  websiteId: string,
  { status, descending, limit }: { status: ArticleStatus; descending: boolean; limit?: number },
): Promise<Uint32Array> {
  // One direction for all: the index `articles_by_state` is read in either.
  const direction = descending ? "DESC" : "ASC";
  const params: Value[] = [websiteId, status, ...(limit === undefined ? [] : [limit])];
  return db.rowNumbers(
    `SELECT row_no FROM articles WHERE website_id = ? AND status = ? AND deleted_at IS NULL
     ORDER BY state_since ${direction}, created_at ${direction}, id ${direction}${limit === undefined ? "" : " LIMIT CAST(? AS BIGINT)"}`,
    ...params,
  );
}

/** Articles of the author or the assignee that are not published, in no particular order. */
export function ownRows(db: Snapshot, websiteId: string, accountId: string): Promise<Uint32Array> {
  return db.rowNumbers(
    `${ownBy("author_id")} UNION ${ownBy("assignee_id")}`,
    websiteId,
    accountId,
    websiteId,
    accountId,
  );
}

function ownBy(column: string): string {
  return `SELECT row_no FROM articles WHERE website_id = ? AND ${column} = ? AND status <> 'published' AND deleted_at IS NULL`;
}

const COLUMNS = {
  created_at: "created_at",
  updated_at: "updated_at",
  state_since: "state_since",
  published_at: "published_at",
  title: "title_key",
} as const;

/** All articles that are not in the trash. */
export function livingRows(
  db: Snapshot,
  websiteId: string,
  { field, descending }: { field: keyof typeof COLUMNS; descending: boolean },
): Promise<Uint32Array> {
  const nulls = field === "published_at" ? " NULLS LAST" : "";
  // The same direction twice: the index `articles_in_order` is read in either.
  const direction = descending ? "DESC" : "ASC";
  return db.rowNumbers(
    `SELECT row_no FROM articles WHERE website_id = ? AND deleted_at IS NULL
     ORDER BY ${COLUMNS[field]} ${direction}${nulls}, id ${direction}`,
    websiteId,
  );
}

const TRASH_ORDERS = { deleted_at: "deleted_at", ...COLUMNS } as const;

export interface TrashSort {
  field: keyof typeof TRASH_ORDERS;
  descending: boolean;
}

export function trashRows(db: Snapshot, websiteId: string, { field, descending }: TrashSort): Promise<Uint32Array> {
  // Added only where there may be nulls: it prevents the use of an index.
  const nulls = field === "published_at" ? " NULLS LAST" : "";
  return db.rowNumbers(
    `SELECT row_no FROM articles WHERE website_id = ? AND deleted_at IS NOT NULL
     ORDER BY ${TRASH_ORDERS[field]} ${descending ? "DESC" : "ASC"}${nulls}, id`,
    websiteId,
  );
}

/** Articles with the label, in every state and in the trash, in no particular order. */
export function labelledRows(db: Snapshot, websiteId: string, kind: LabelKind, label: string): Promise<Uint32Array> {
  const { sql, params } = labelledQuery(websiteId, kind, [label]);
  return db.rowNumbers(sql, ...params);
}

/** Articles that came in like that, in every state and in the trash, in no particular order. */
export function originRows(db: Snapshot, websiteId: string, origin: ArticleOrigin): Promise<Uint32Array> {
  return db.rowNumbers("SELECT row_no FROM articles WHERE website_id = ? AND origin = ?", websiteId, origin);
}

/** Articles that contain all the words, in every state and in the trash, in no particular order. */
export function wordRows(
  db: Snapshot,
  websiteId: string,
  words: readonly string[],
  begin: typeof IN_TITLE | "" = "",
): Promise<Uint32Array> {
  const { sql, params } = wordsQuery(db, websiteId, words, begin);
  return db.rowNumbers(sql, ...params);
}

/** The titles of these rows, in no order. */
export async function listTitles(
  db: Snapshot,
  rowNos: readonly number[],
): Promise<{ row_no: number; title: string }[]> {
  const batches = await inBatches(rowNos, (batch) =>
    db.all(`SELECT row_no, title FROM articles WHERE row_no IN (${placeholders(batch)})`, ...batch),
  );
  return batches.flat();
}

/** Articles outside the trash whose title has this key (`sortKey`). */
export function titleRows(db: Snapshot, websiteId: string, key: string): Promise<Uint32Array> {
  // PostgreSQL's index has no longer titles.
  const one = `SELECT row_no FROM articles WHERE website_id = ? AND status = ? AND title_key = ? AND deleted_at IS NULL
    ${db.engine === "postgres" ? "AND octet_length(title_key) <= 1000" : ""}`;
  const params = ARTICLE_STATUSES.flatMap((status) => [websiteId, status, key]);
  return db.rowNumbers(ARTICLE_STATUSES.map(() => one).join(" UNION ALL "), ...params);
}

/** Words that at most this share of the website's articles have are rare, and so are those of a few articles. */
const RARE_SHARE = 0.02;
const MIN_RARE_ROWS = 10;
/** From this share of all articles on, a website's words are looked for in all. */
const LARGE_SHARE = 0.5;

/**
 * Like `wordRows`, but on SQLite perhaps with rows of other websites: comparing takes 27 ns for each article of the
 * website, so that rare words and large websites do without. `total`: about how many it has. `begin`: IN_TITLE for articles
 * that have all the words in their titles.
 */
export async function wordRowsOfAny(
  db: Snapshot,
  websiteId: string,
  words: readonly string[],
  total: number,
  begin: typeof IN_TITLE | "" = "",
): Promise<Uint32Array> {
  if (db.engine !== "sqlite") return wordRows(db, websiteId, words, begin);
  const { sql, params } = wordsQuery(db, null, words, begin);
  const isLarge = total >= LARGE_SHARE * (await lastRowNo(db));
  if (isLarge || words.some((word) => word.endsWith("*"))) return db.rowNumbers(sql, ...params);
  const max = Math.floor(Math.max(MIN_RARE_ROWS, RARE_SHARE * total));
  const rows = await db.rowNumbers(`${sql} LIMIT CAST(? AS BIGINT)`, ...params, max + 1);
  return rows.length > max ? wordRows(db, websiteId, words, begin) : rows;
}

async function lastRowNo(db: Snapshot): Promise<number> {
  const [last] = await db.rowNumbers("SELECT row_no FROM articles ORDER BY row_no DESC LIMIT 1");
  return last ?? 0;
}

export interface ArticleSummary {
  rowNo: number;
  id: string;
  title: string;
  slug: string;
  excerpt: string;
  status: ArticleStatus;
  targetKeyword: string | null;
  featuredImageUrl: string | null;
  categories: string[];
  tags: string[];
  wordCount: number;
  /** Minutes. */
  readingTime: number;
  /** 0 to 100. */
  score: number;
  /** Whether a finding in its text blocks. */
  isBlocked: boolean;
  createdAt: Millis;
  updatedAt: Millis;
  stateSince: Millis;
  approvedAt: Millis | null;
  publishedAt: Millis | null;
  publishAt: Millis | null;
  deletedAt: Millis | null;
  hasDraft: boolean;
  version: number;
  reviewState: ReviewState | null;
  author: Person | null;
  assignee: Person | null;
  openComments: number;
}

/** In the order of `rowNos`; missing articles are left out. */
export async function summaries(db: Snapshot, rowNos: readonly number[]): Promise<ArticleSummary[]> {
  const portions = await inBatches(rowNos, (batch) =>
    db.all(
      `${SUMMARIES}
       WHERE articles.row_no IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  const found = new Map(portions.flat().map((row) => [row.row_no, fromRow(row)]));
  return rowNos.flatMap((rowNo) => found.get(rowNo) ?? []);
}

const SUMMARIES = `SELECT articles.row_no AS row_no, id, title, slug, excerpt, status, target_keyword, featured_image_url,
  categories, tags, word_count, reading_time, created_at, updated_at, state_since, approved_at, published_at, publish_at, deleted_at,
  version, COALESCE(rechecked_metrics.metrics, article_bodies.metrics) AS newest_metrics, review_state, author_id,
  assignee_id,
  COALESCE((SELECT COALESCE(NULLIF(name, ''), email) FROM accounts WHERE accounts.id = author_id),
    (SELECT name FROM access_tokens WHERE access_tokens.id = author_id),
    (SELECT name FROM senders WHERE senders.id = author_id)) AS author,
  (SELECT COALESCE(NULLIF(name, ''), email) FROM accounts WHERE accounts.id = assignee_id) AS assignee,
  (SELECT COUNT(*) FROM comment_threads WHERE comment_threads.row_no = articles.row_no AND resolved_at IS NULL) AS open_comments,
  draft_copies.row_no AS draft
  FROM articles JOIN article_bodies USING (row_no) LEFT JOIN draft_copies USING (row_no)
  LEFT JOIN rechecked_metrics USING (row_no)`;

type SummaryRow = Row<typeof SUMMARIES>;

function fromRow(row: SummaryRow): ArticleSummary {
  const metrics = parseMetrics(row.newest_metrics);
  return {
    rowNo: row.row_no,
    id: row.id,
    title: row.title,
    slug: row.slug,
    excerpt: row.excerpt,
    status: row.status,
    targetKeyword: row.target_keyword,
    featuredImageUrl: row.featured_image_url,
    // The JSON columns hold what article-rows.ts wrote.
    categories: JSON.parse(row.categories) as string[],
    tags: JSON.parse(row.tags) as string[],
    wordCount: row.word_count,
    readingTime: row.reading_time,
    score: metrics.overall_score,
    isBlocked: metrics.integrity.status === "fail",
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    stateSince: row.state_since,
    approvedAt: row.approved_at,
    publishedAt: row.published_at,
    publishAt: row.publish_at,
    deletedAt: row.deleted_at,
    hasDraft: row.draft !== null,
    version: row.version,
    reviewState: toReviewState(row),
    author: row.author_id === null ? null : { id: row.author_id, name: row.author },
    assignee: row.assignee_id === null ? null : { id: row.assignee_id, name: row.assignee },
    openComments: row.open_comments,
  };
}

export async function findRowNo(db: Snapshot, websiteId: string, id: string): Promise<number | undefined> {
  const row = await db.get("SELECT row_no FROM articles WHERE id = ? AND website_id = ?", id, websiteId);
  return row?.row_no;
}

/** For at most a few hundred rows at once. */
export async function listIds(db: Snapshot, rowNos: readonly number[]): Promise<Map<number, string>> {
  if (rowNos.length === 0) return new Map();
  const rows = await db.all(`SELECT row_no, id FROM articles WHERE row_no IN (${placeholders(rowNos)})`, ...rowNos);
  return new Map(rows.map((row) => [row.row_no, row.id]));
}

/** Identifies the website's articles of a bulk action, in the order of the row numbers. */
export async function listVersions(
  db: Snapshot,
  websiteId: string,
  rowNos: readonly number[],
): Promise<{ id: string; title: string; version: number }[]> {
  const batches = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT row_no, id, title, version FROM articles WHERE ${OF_WEBSITE} AND row_no IN (${placeholders(batch)})`,
      websiteId,
      ...batch,
    ),
  );
  const found = new Map(batches.flat().map(({ row_no, ...row }) => [row_no, row]));
  return rowNos.flatMap((rowNo) => found.get(rowNo) ?? []);
}

export async function ownIds(db: Snapshot, websiteId: string, ids: readonly string[]): Promise<Set<string>> {
  const portions = await inBatches(ids, (batch) =>
    db.all(`SELECT id FROM articles WHERE website_id = ? AND id IN (${placeholders(batch)})`, websiteId, ...batch),
  );
  return new Set(portions.flat().map(({ id }) => id));
}

/** The most frequent labels first, spelled as in the newest article with each. The trash counts, too. */
export async function frequentLabels(
  db: Snapshot,
  websiteId: string,
  kind: Exclude<LabelKind, "keyword" | "author">,
  most: number,
): Promise<string[]> {
  const labels = await db.all(
    `SELECT label_key, max(row_no) AS row_no FROM article_labels WHERE website_id = ? AND kind = ?
     GROUP BY label_key ORDER BY count(*) DESC, label_key LIMIT CAST(? AS BIGINT)`,
    websiteId,
    kind,
    most,
  );
  const column = ({ category: "categories", tag: "tags" } as const)[kind];
  const rowNos = [...new Set(labels.map((label) => label.row_no))];
  const portions = await inBatches(rowNos, (batch) =>
    db.all(`SELECT row_no, ${column} AS labels FROM articles WHERE row_no IN (${placeholders(batch)})`, ...batch),
  );
  const written = new Map(portions.flat().map((row) => [row.row_no, JSON.parse(row.labels) as string[]]));
  return labels.map(
    ({ label_key, row_no }) => written.get(row_no)?.find((label) => labelKey(label) === label_key) ?? label_key,
  );
}
