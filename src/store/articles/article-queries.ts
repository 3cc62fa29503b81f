/** Queries of the read API. None of them uses COUNT or OFFSET. */
import { toListForm } from "../../domain/articles/api-format.ts";
import type { Article, ArticleBody, ArticleStatus } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import { labelledQuery, type LabelKind } from "./labels.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import { wordsQuery } from "./search.ts";
import { declareRow } from "../row.ts";
import type { Snapshot, Store, Value } from "../store.ts";

/** Sort fields of a list; ties are broken by `id`, always ascending. */
export const SORT_FIELDS = ["published_at", "created_at", "updated_at", "title"] as const;
type SortField = (typeof SORT_FIELDS)[number];

export interface Sort {
  field: SortField;
  descending: boolean;
}

export interface ArticleFilter {
  slug?: string;
  category?: string | readonly string[];
  tag?: string | readonly string[];
  /** All of these. */
  tags?: string | readonly string[];
  keyword?: string;
  /** A name in the byline; any of several. */
  author?: string | readonly string[];
  /** Articles of every status, in place of the list's own; those without `published_at` are sorted as the newest. */
  isOfAnyStatus?: boolean;
  /** BCP 47. */
  language?: string;
  /** With `language`: also the articles that name none. */
  isOwnLanguage?: boolean;
  /** Tokens that must all occur; one that ends with `*` may be the beginning of a word. */
  words?: readonly string[];
  /** Saved in this store since then, which includes later imports whatever their own dates. */
  updatedSince?: Millis;
  publishedSince?: Millis;
}

/** docs/specification.md, 4.1: published articles by publication time, others by creation time, newest first. */
export function defaultSort(status: ArticleStatus): Sort & { field: "published_at" | "created_at" } {
  return { field: status === "published" ? "published_at" : "created_at", descending: true };
}

/** The row numbers of all matching articles that are not in the trash, in order. */
export async function matchingRows(
  db: Snapshot,
  websiteId: string,
  status: ArticleStatus,
  sort: Sort,
  filter: ArticleFilter,
): Promise<Uint32Array> {
  const conditions = ["website_id = ?", "deleted_at IS NULL"];
  const params: Value[] = [websiteId];
  const where = (condition: string, ...values: Value[]) => {
    conditions.push(condition);
    params.push(...values);
  };
  const labelled = (kind: LabelKind, label: string | readonly string[]) => {
    const query = labelledQuery(websiteId, kind, [label].flat());
    where(`row_no IN (${query.sql})`, ...query.params);
  };
  if (!filter.isOfAnyStatus) where("status = ?", status);
  if (filter.slug !== undefined) where("slug = ?", filter.slug);
  if (filter.category !== undefined) labelled("category", filter.category);
  if (filter.tag !== undefined) labelled("tag", filter.tag);
  for (const tag of [filter.tags ?? []].flat()) labelled("tag", tag);
  if (filter.keyword !== undefined) labelled("keyword", filter.keyword);
  if (filter.author !== undefined) labelled("author", filter.author);
  if (filter.language !== undefined) {
    where(filter.isOwnLanguage ? "(language = ? OR language IS NULL)" : "language = ?", filter.language);
  }
  if (filter.updatedSince !== undefined) where("saved_at >= ?", filter.updatedSince);
  if (filter.publishedSince !== undefined) where("published_at >= ?", filter.publishedSince);
  if (filter.words !== undefined) {
    const search = wordsQuery(db, websiteId, filter.words);
    where(`row_no IN (${search.sql})`, ...search.params);
  }
  const isWholeByTitle = sort.field === "title" && params.length === 2 && !filter.isOfAnyStatus;
  if (isWholeByTitle && db.engine === "postgres" && !(await hasLongTitle(db, websiteId, status))) {
    // The condition of the partial index `articles_by_title`, so that PostgreSQL can use it.
    where("octet_length(title_key) <= 1000");
  }
  const column = sort.field === "title" ? "title_key" : sort.field;
  // Engines sort nulls differently. NULLS LAST prevents the use of an index, so it is added only where it matters.
  const mayBeNull = column === "published_at" && (status !== "published" || filter.isOfAnyStatus === true);
  const isNullFirst = filter.isOfAnyStatus === true && sort.descending;
  return db.rowNumbers(
    `SELECT row_no FROM articles WHERE ${conditions.join(" AND ")}
     ORDER BY ${column} ${sort.descending ? "DESC" : "ASC"}${mayBeNull ? ` NULLS ${isNullFirst ? "FIRST, created_at DESC" : "LAST"}` : ""}, id`,
    ...params,
  );
}

/** The row numbers that follow `after` in the default order, at most `limit`; from the beginning if it is null. */
export async function nextRows(
  db: Snapshot,
  websiteId: string,
  status: ArticleStatus,
  after: SortKey | null,
  limit: number,
): Promise<Uint32Array> {
  const { field } = defaultSort(status);
  const select = (condition: string, ...values: Value[]) =>
    db.rowNumbers(
      `SELECT row_no FROM articles WHERE website_id = ? AND deleted_at IS NULL AND status = ?${condition}
       ORDER BY ${field} DESC, id LIMIT CAST(? AS BIGINT)`,
      websiteId,
      status,
      ...values,
    );
  if (after === null) return select("", limit);
  // Each begins where it is looked up in the index: one condition for both would read all of the same time again.
  const ofSameTime = await select(` AND ${field} = ? AND id > ?`, after.at, after.id, limit);
  if (ofSameTime.length === limit) return ofSameTime;
  const earlier = await select(` AND ${field} < ?`, after.at, limit - ofSameTime.length);
  if (ofSameTime.length === 0) return earlier;
  const rows = new Uint32Array(ofSameTime.length + earlier.length);
  rows.set(ofSameTime);
  rows.set(earlier, ofSameTime.length);
  return rows;
}

/** Whether a title is too long for PostgreSQL's title index. */
async function hasLongTitle(db: Snapshot, websiteId: string, status: ArticleStatus): Promise<boolean> {
  const row = await db.get(
    `SELECT 1 FROM articles WHERE website_id = ? AND status = ? AND deleted_at IS NULL AND octet_length(title_key) > 1000
     LIMIT 1`,
    websiteId,
    status,
  );
  return row !== undefined;
}

/** The stored list form of each row as JSON text, in no particular order. For at most a few hundred rows at once. */
export function listForms(db: Snapshot, rowNos: readonly number[]): Promise<{ row_no: number; list_form: string }[]> {
  return db.all(`SELECT row_no, list_form FROM articles WHERE row_no IN (${placeholders(rowNos)})`, ...rowNos);
}

/** The list forms of the published ones of these rows, in no order, with the time of their last change. */
export async function publishedForms(db: Snapshot, rowNos: readonly number[]) {
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT row_no, status, deleted_at, list_form, updated_at, language FROM articles WHERE row_no IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  return found.flat().filter(({ status, deleted_at }) => status === "published" && deleted_at === null);
}

export interface ArticleChange {
  rowNo: number;
  id: string;
  /** `null`: in the trash. */
  status: ArticleStatus | null;
}

/** At most `limit` articles that changed after the version, earliest first, which PostgreSQL reads by index. */
export async function changesSince(
  db: Snapshot,
  websiteId: string,
  version: number,
  limit: number,
): Promise<ArticleChange[]> {
  const rows = await db.all(
    `SELECT row_no, id, status, deleted_at FROM articles WHERE website_id = ? AND version > ?
     ORDER BY version LIMIT CAST(? AS BIGINT)`,
    websiteId,
    version,
    limit,
  );
  return rows.map((row) => ({
    rowNo: row.row_no,
    id: row.id,
    status: row.deleted_at === null ? row.status : null,
  }));
}

/** The sort key of a row in the default order. */
export interface SortKey {
  at: Millis;
  id: string;
}

/** For at most a few hundred rows at once. */
export async function sortKeys(
  db: Snapshot,
  status: ArticleStatus,
  rowNos: readonly number[],
): Promise<Map<number, SortKey>> {
  const rows = await db.all(
    `SELECT row_no, ${defaultSort(status).field} AS at, id FROM articles WHERE row_no IN (${placeholders(rowNos)})`,
    ...rowNos,
  );
  // A published article has the time of its publication.
  return new Map(rows.map((row) => [row.row_no, { at: row.at ?? 0, id: row.id }]));
}

/** An article outside the trash, with the detail's fields as JSON texts, which are delivered as they are stored. */
export function findDetail(db: Snapshot, websiteId: string, id: string) {
  return db.get(DETAIL, id, websiteId);
}

/** As `findDetail`, at once; null if that needs waiting. */
export function findDetailSync(store: Pick<Store, "getSync">, websiteId: string, id: string) {
  return store.getSync(DETAIL, id, websiteId);
}

const DETAIL = `SELECT articles.row_no AS row_no, status, list_form, approved_at, version, html, internal_links, metrics,
    reported_metrics, supplied_steps, steps
  FROM articles JOIN article_bodies USING (row_no)
  WHERE id = ? AND articles.website_id = ? AND deleted_at IS NULL`;

/** As `findDetail`, for an article that is not stored in this state, such as a preview. */
export function toDetail(
  article: Article & { rowNo: number },
  body: ArticleBody,
): NonNullable<Awaited<ReturnType<typeof findDetail>>> {
  return {
    row_no: article.rowNo,
    status: article.status,
    list_form: JSON.stringify(toListForm(article)),
    approved_at: article.approvedAt,
    version: article.version,
    html: body.html,
    internal_links: JSON.stringify(body.internalLinks),
    metrics: body.metricsJson,
    reported_metrics: body.reportedMetrics === null ? null : JSON.stringify(body.reportedMetrics),
    supplied_steps: JSON.stringify(body.suppliedSteps),
    steps: JSON.stringify(body.steps),
  };
}

/** SQL: the language of the website's articles that name none, and that of an article; "" if unknown. */
export const OWN_LANGUAGE = "coalesce(websites.language, '')";
export const ARTICLE_LANGUAGE = `coalesce(articles.language, ${OWN_LANGUAGE})` as const;

export interface SlugHolder {
  id: string;
  status: ArticleStatus;
  language: string | null;
}

/** Outside the trash; in the website's own language first, then by language. `language`: only those in it. */
export function listBySlug(db: Snapshot, websiteId: string, slug: string, language?: string): Promise<SlugHolder[]> {
  return db.all(
    declareRow<SlugHolder>(
      `SELECT articles.id AS id, articles.status AS status, articles.language AS language
       FROM articles JOIN websites ON websites.id = articles.website_id
       WHERE articles.website_id = ? AND slug = ? AND articles.deleted_at IS NULL
         ${language === undefined ? "" : `AND ${ARTICLE_LANGUAGE} = ?`}
       ORDER BY ${ARTICLE_LANGUAGE} <> ${OWN_LANGUAGE}, ${ARTICLE_LANGUAGE}, articles.id`,
    ),
    websiteId,
    slug,
    ...(language === undefined ? [] : [language]),
  );
}

/** A website's content version, with whatever else a view depends on; undefined if the website does not exist. */
export function websiteState(db: Snapshot, websiteId: string) {
  return db.get(
    `SELECT content_version, unpublished_changes, event_sequence, epoch, purged_version, language FROM websites
     WHERE id = ? AND deleted_at IS NULL`,
    websiteId,
  );
}
