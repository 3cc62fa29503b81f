import { labelKey } from "../../domain/system/collation.ts";
import {
  type Article,
  type ArticleBody,
  type ArticleOrigin,
  type ArticleStatus,
  type FullArticle,
  parseScore,
} from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { Website } from "../../domain/system/website.ts";
import {
  ARTICLE_COLUMNS,
  type ArticleRow,
  articleFromRow,
  articleValues,
  BODY_COLUMNS,
  bodyFromRow,
  type BodyRow,
  bodyValues,
  changedValues,
  reviewValue,
} from "./article-rows.ts";
import { declareRow } from "../row.ts";
import { inBatches, insertRows, placeholders } from "../system/sql-batch.ts";
import type { Snapshot, StoredArticle, StoredFull, Value, Writer } from "../store.ts";
import { IS_OF_WEBSITE, raiseReviewVersion } from "../system/websites.ts";

/** @param language the website's own. */
export async function insertArticle(
  db: Writer,
  { article, body }: FullArticle,
  savedAt: Millis,
  language: string | null = null,
): Promise<number> {
  const values = { ...articleValues(article, savedAt, language), score: parseScore(body.metricsJson) };
  const rowNo = await db.insert(
    `INSERT INTO articles (${names(values)}, slug_scope) VALUES (${placeholders(Object.keys(values))}, ${SLUG_SCOPE})`,
    "row_no",
    ...Object.values(values),
    ...slugScopeValues(article),
  );
  const bodyColumns = { row_no: rowNo, website_id: article.websiteId, ...bodyValues(body, db.engine) };
  await db.run(
    `INSERT INTO article_bodies (${names(bodyColumns)}) VALUES (${placeholders(Object.keys(bodyColumns))})`,
    ...Object.values(bodyColumns),
  );
  await insertLabels(db, rowNo, article);
  await insertAuthors(db, rowNo, article);
  return rowNo;
}

/** @param language the website's, if the title may change. @throws AppError `conflict` if the article has changed. */
export async function saveArticle(
  db: Writer,
  before: StoredFull,
  after: FullArticle & { savedAt: Millis },
  language: string | null = null,
): Promise<void> {
  const { article: stored } = before;
  const next = articleValues(after.article, after.savedAt, language);
  const changes = changedValues(articleValues(stored, after.savedAt, language), next);
  const hasOtherMetrics = after.body.metricsJson !== before.body.metricsJson;
  const score = hasOtherMetrics ? { score: parseScore(after.body.metricsJson) } : {};
  const values = { ...changes, ...score, saved_at: after.savedAt };
  const hasNewScope = "slug" in changes || "language" in changes || "deleted_at" in changes;
  const changed = await db.run(
    `UPDATE articles SET ${assignments(values)}${hasNewScope ? `, slug_scope = ${SLUG_SCOPE}` : ""}
     WHERE row_no = ? AND id = ? AND website_id = ? AND version = ?`,
    ...Object.values(values),
    ...(hasNewScope ? slugScopeValues(after.article) : []),
    stored.rowNo,
    after.article.id,
    after.article.websiteId,
    stored.version,
  );
  if (changed !== 1) {
    throw new AppError("conflict", "Somebody else has changed this article meanwhile. Reload and try again.");
  }
  const body = changedValues(bodyValues(before.body, db.engine), bodyValues(after.body, db.engine));
  if (Object.keys(body).length > 0) {
    await db.run(
      `UPDATE article_bodies SET ${assignments(body)} WHERE row_no = ?`,
      ...Object.values(body),
      stored.rowNo,
    );
  }
  if (JSON.stringify(labels(stored)) !== JSON.stringify(labels(after.article))) {
    await db.run("DELETE FROM article_labels WHERE row_no = ?", stored.rowNo);
    await insertLabels(db, stored.rowNo, after.article);
  }
  if (JSON.stringify(stored.authors) !== JSON.stringify(after.article.authors)) {
    await db.run("DELETE FROM article_authors WHERE row_no = ?", stored.rowNo);
    await insertAuthors(db, stored.rowNo, after.article);
  }
}

/** Saves what readers cannot see; the version stays. */
export async function saveReview(db: Writer, rowNo: number, article: Article): Promise<void> {
  await db.run(
    "UPDATE articles SET review_state = ?, state_since = ?, author_id = ?, assignee_id = ? WHERE row_no = ?",
    reviewValue(article),
    article.stateSince,
    article.authorId,
    article.assigneeId,
    rowNo,
  );
  await raiseReviewVersion(db, article.websiteId);
}

/** Whether an article has the id, including articles of a website that is being deleted. */
export async function isIdTaken(db: Snapshot, id: string): Promise<boolean> {
  return (await db.get("SELECT 1 AS found FROM articles WHERE id = ?", id)) !== undefined;
}

export async function findArticle(db: Snapshot, websiteId: string, id: string): Promise<StoredArticle | undefined> {
  const article = await findArticleAnywhere(db, id);
  return article?.websiteId === websiteId ? article : undefined;
}

/** As `findArticle`, of any website. */
export async function findArticleAnywhere(db: Snapshot, id: string): Promise<StoredArticle | undefined> {
  const row = await db.get(`SELECT ${ARTICLE_COLUMNS} FROM articles WHERE id = ? AND ${IS_OF_WEBSITE}`, id);
  return row && articleFromRow(row);
}

export async function findFullArticle(db: Snapshot, websiteId: string, id: string): Promise<StoredFull | undefined> {
  const full = await findFullArticleAnywhere(db, id);
  return full?.article.websiteId === websiteId ? full : undefined;
}

/** As `findFullArticle`, of any website. */
export async function findFullArticleAnywhere(db: Snapshot, id: string): Promise<StoredFull | undefined> {
  const row = await db.get(FULL_ARTICLE, id);
  return row && { article: articleFromRow(row), body: bodyFromRow(row) };
}

const FULL_ARTICLE = declareRow<ArticleRow & BodyRow>(`SELECT ${ARTICLE_COLUMNS}, ${BODY_COLUMNS}
  FROM articles JOIN (SELECT row_no, ${BODY_COLUMNS} FROM article_bodies) AS body USING (row_no)
  WHERE id = ? AND ${IS_OF_WEBSITE}`);

export async function findSave(db: Snapshot, rowNo: number): Promise<{ version: number; savedAt: Millis } | undefined> {
  const row = await db.get("SELECT version, saved_at FROM articles WHERE row_no = ?", rowNo);
  return row && { version: row.version, savedAt: row.saved_at };
}

export async function findArticleOrigin(db: Snapshot, rowNo: number): Promise<ArticleOrigin | undefined> {
  return (await db.get("SELECT origin FROM articles WHERE row_no = ?", rowNo))?.origin;
}

/** Titles by article id, also of articles in the trash. */
export async function listTitles(
  db: Snapshot,
  websiteId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await inBatches(ids, (batch) =>
    db.all(
      `SELECT id, title FROM articles WHERE website_id = ? AND id IN (${placeholders(batch)})`,
      websiteId,
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ id, title }) => [id, title]));
}

export async function findWebsiteId(db: Snapshot, articleId: string): Promise<string | undefined> {
  const row = await db.get(`SELECT website_id FROM articles WHERE id = ? AND ${IS_OF_WEBSITE}`, articleId);
  return row?.website_id;
}

/** Id of the article that was published last; undefined if none is published. */
export async function newestPublished(db: Snapshot, websiteId: string): Promise<string | undefined> {
  const row = await db.get(
    `SELECT id FROM articles WHERE website_id = ? AND status = 'published' AND deleted_at IS NULL
     ORDER BY published_at DESC, id LIMIT 1`,
    websiteId,
  );
  return row?.id;
}

export async function findArticleByRow(db: Snapshot, rowNo: number): Promise<StoredArticle | undefined> {
  const row = await db.get(`SELECT ${ARTICLE_COLUMNS} FROM articles WHERE row_no = ?`, rowNo);
  return row && articleFromRow(row);
}

export async function findBody(db: Snapshot, rowNo: number): Promise<ArticleBody> {
  const row = await db.get(`SELECT ${BODY_COLUMNS} FROM article_bodies WHERE row_no = ?`, rowNo);
  if (row === undefined) throw new Error(`no body of row ${rowNo}`);
  return bodyFromRow(row);
}

/** Scope of the index `articles_by_slug_scope`, which backs `isSlugTaken`; only that knows a website's language. */
const SLUG_SCOPE = `(SELECT CASE WHEN slugs_per_language = 1 THEN coalesce(CAST(? AS TEXT), '-') ELSE '' END
  FROM websites WHERE websites.id = ?)`;

function slugScopeValues({ language, websiteId }: Article): Value[] {
  return [language, websiteId];
}

/** @param languages the article's and the website's own, where slugs are unique per language; else null. */
export async function isSlugTaken(
  db: Snapshot,
  websiteId: string,
  slug: string,
  exceptId: string,
  languages: { own: string | null; article: string | null } | null = null,
): Promise<boolean> {
  const row = await db.get(
    declareRow<{ found: number }>(
      `SELECT 1 AS found FROM articles WHERE website_id = ? AND slug = ? AND deleted_at IS NULL AND id <> ?
       ${languages === null ? "" : "AND coalesce(language, ?) = ?"} LIMIT 1`,
    ),
    websiteId,
    slug,
    exceptId,
    ...(languages === null ? [] : [languages.own ?? "", languages.article ?? languages.own ?? ""]),
  );
  return row !== undefined;
}

/** Counts slugs that several articles share against the rule, and names the first; null if there are none. */
export async function findSharedSlugs(
  db: Snapshot,
  { id, language, slugsPerLanguage }: Pick<Website, "id" | "language" | "slugsPerLanguage">,
): Promise<{ count: number; slug: string } | null> {
  const row = await db.get(
    declareRow<{ n: number; slug: string | null }>(
      `SELECT count(*) AS n, min(slug) AS slug FROM (
         SELECT slug FROM articles WHERE website_id = ? AND deleted_at IS NULL
         GROUP BY slug${slugsPerLanguage ? ", coalesce(language, ?)" : ""} HAVING count(*) > 1
       ) AS shared`,
    ),
    id,
    ...(slugsPerLanguage ? [language] : []),
  );
  return row?.slug == null ? null : { count: row.n, slug: row.slug };
}

/** A page of `iterateArticles`, in the same order: at most `limit` articles after the given one. */
export async function listArticles(
  db: Snapshot,
  websiteId: string,
  page: { status?: ArticleStatus; after?: { createdAt: Millis; id: string }; limit: number },
): Promise<StoredArticle[]> {
  const conditions = ["website_id = ?", "deleted_at IS NULL"];
  const params: Value[] = [websiteId];
  if (page.status !== undefined) {
    conditions.push("status = ?");
    params.push(page.status);
  }
  if (page.after !== undefined) {
    conditions.push("(created_at, id) > (?, ?)");
    params.push(page.after.createdAt, page.after.id);
  }
  const rows = await db.all(
    `SELECT ${ARTICLE_COLUMNS} FROM articles WHERE ${conditions.join(" AND ")} ORDER BY created_at, id LIMIT CAST(? AS BIGINT)`,
    ...params,
    page.limit,
  );
  return rows.map(articleFromRow);
}

/** All articles that are not in the trash, in the order of their creation, oldest first. */
export async function* iterateArticles(
  db: Snapshot,
  websiteId: string,
  status?: ArticleStatus,
): AsyncGenerator<StoredArticle> {
  let after: { createdAt: Millis; id: string } | undefined;
  for (;;) {
    const page = await listArticles(db, websiteId, {
      // Some two milliseconds' work: exports run beside readers.
      limit: 50,
      ...(status === undefined ? {} : { status }),
      ...(after === undefined ? {} : { after }),
    });
    yield* page;
    after = page.at(-1);
    if (after === undefined) return;
  }
}

/** Scheduled articles whose publication time has come, earliest first. */
export async function listDue(db: Snapshot, now: Millis, limit: number): Promise<StoredArticle[]> {
  const rows = await db.all(
    `SELECT ${ARTICLE_COLUMNS} FROM articles
     WHERE publish_at <= ? AND status = 'approved' AND deleted_at IS NULL AND ${IS_OF_WEBSITE}
       AND ${IS_NOT_SET_ASIDE}
     ORDER BY publish_at, id LIMIT CAST(? AS BIGINT)`,
    now,
    limit,
  );
  return rows.map(articleFromRow);
}

/** When the first scheduled article is or was due; null: there is none. */
export async function findNextDue(db: Snapshot): Promise<Millis | null> {
  const row = await db.get(
    `SELECT publish_at FROM articles
     WHERE publish_at IS NOT NULL AND status = 'approved' AND deleted_at IS NULL AND ${IS_OF_WEBSITE}
       AND ${IS_NOT_SET_ASIDE}
     ORDER BY publish_at LIMIT 1`,
  );
  return row?.publish_at ?? null;
}

/** A condition: the article's publication has not failed since its last change. */
const IS_NOT_SET_ASIDE = `NOT EXISTS (
  SELECT 1 FROM dead_letters l WHERE l.kind = 'article' AND l.subject_id = articles.id AND l.failed_at >= articles.updated_at)`;

/** Number of the website's articles by state, without the trash. Shown to people; not for the read path. */
export async function countArticles(db: Snapshot, websiteId: string): Promise<Record<ArticleStatus, number>> {
  const rows = await db.all(
    "SELECT status, count(*) AS n FROM articles WHERE website_id = ? AND deleted_at IS NULL GROUP BY status",
    websiteId,
  );
  return { published: 0, approved: 0, pending: 0, ...Object.fromEntries(rows.map((row) => [row.status, row.n])) };
}

async function insertLabels(db: Writer, rowNo: number, article: Article): Promise<void> {
  const rows = labels(article).map(({ kind, key }) => [article.websiteId, kind, key, rowNo]);
  await insertRows(db, "article_labels (website_id, kind, label_key, row_no)", rows);
}

async function insertAuthors(db: Writer, rowNo: number, { websiteId, authors }: Article): Promise<void> {
  const keys = [...new Set(authors.map(({ name }) => labelKey(name)))];
  const rows = keys.map((key) => [websiteId, key, rowNo]);
  await insertRows(db, "article_authors (website_id, name_key, row_no)", rows);
}

/** The labels by which an article is found, each once. A label may contain any character, including separators. */
function labels(article: Article): { kind: string; key: string }[] {
  const keywords =
    article.targetKeyword === null ? article.seoKeywords : [article.targetKeyword, ...article.seoKeywords];
  return [...keyed("category", article.categories), ...keyed("tag", article.tags), ...keyed("keyword", keywords)];
}

function keyed(kind: string, names: readonly string[]): { kind: string; key: string }[] {
  return Array.from(new Set(names.map(labelKey)), (key) => ({ kind, key }));
}

function names(values: Record<string, Value>): string {
  return Object.keys(values).join(", ");
}

function assignments(values: Record<string, Value>): string {
  return Object.keys(values)
    .map((name) => `${name} = ?`)
    .join(", ");
}

/** Records that only a receiver's response took the article from one version to the next. */
export async function saveReceiptVersion(db: Writer, before: StoredArticle, version: number): Promise<void> {
  await db.run(
    `INSERT INTO receipt_versions (row_no, website_id, since_version, version) VALUES (?, ?, ?, ?)
     ON CONFLICT (row_no) DO UPDATE SET version = excluded.version, since_version =
       CASE WHEN receipt_versions.version = excluded.since_version THEN receipt_versions.since_version
            ELSE excluded.since_version END`,
    before.rowNo,
    before.websiteId,
    before.version,
    version,
  );
}

/** Whether nothing but receivers' responses has changed the article since it had the version `since`. */
export async function isOnlyReceipts(db: Snapshot, article: StoredArticle, since: number): Promise<boolean> {
  const row = await db.get(
    "SELECT 1 FROM receipt_versions WHERE row_no = ? AND version = ? AND since_version <= ?",
    article.rowNo,
    article.version,
    since,
  );
  return row !== undefined && since < article.version;
}
