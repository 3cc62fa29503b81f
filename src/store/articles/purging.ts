/** Deletes articles permanently: from the trash, or with their website. */
import type { Millis } from "../../domain/system/time.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

/** Tables that refer to an article by its row number. */
const PARTS = [
  "article_labels",
  "article_authors",
  "redirects",
  "language_redirects",
  "article_findings",
  "rechecked_metrics",
  "finding_overrides",
  "fingerprints",
  "review_records",
  "draft_copies",
  "revisions",
  "revision_texts",
  "receipt_versions",
  "comments",
  "comment_threads",
  "comment_texts",
  "article_bodies",
] as const;

export interface PurgedArticle {
  rowNo: number;
  id: string;
  title: string;
  version: number;
  deletedAt: Millis | null;
}

/** Articles in the website's trash since before `before`, earliest first. */
export async function listTrashBefore(
  db: Snapshot,
  websiteId: string,
  before: Millis,
  after: { deletedAt: Millis; id: string },
  limit: number,
): Promise<PurgedArticle[]> {
  const rows = await db.all(
    `SELECT ${PURGED} FROM articles
     WHERE website_id = ? AND deleted_at IS NOT NULL AND deleted_at < ? AND deleted_at >= ? AND (deleted_at, id) > (?, ?)
     ORDER BY deleted_at, id LIMIT CAST(? AS BIGINT)`,
    websiteId,
    before,
    after.deletedAt,
    after.deletedAt,
    after.id,
    limit,
  );
  return rows.map(fromRow);
}

/** The given articles that are still in the trash, locked so that none is restored until the transaction ends. */
export async function findInTrash(db: Writer, websiteId: string, ids: readonly string[]): Promise<PurgedArticle[]> {
  const found = await inBatches(ids, (batch) =>
    db.all(
      `SELECT ${PURGED} FROM articles
       WHERE website_id = ? AND id IN (${placeholders(batch)}) AND deleted_at IS NOT NULL FOR UPDATE`,
      websiteId,
      ...batch,
    ),
  );
  return found.flat().map(fromRow);
}

export interface ArticleRow {
  version: number;
  rowNo: number;
}

/** The website's articles in any state, ordered by version. */
export async function listArticleRows(
  db: Snapshot,
  websiteId: string,
  after: ArticleRow,
  limit: number,
): Promise<ArticleRow[]> {
  const rows = await db.all(
    `SELECT version, row_no FROM articles WHERE website_id = ? AND version >= ? AND (version, row_no) > (?, ?)
     ORDER BY version, row_no LIMIT CAST(? AS BIGINT)`,
    websiteId,
    after.version,
    after.version,
    after.rowNo,
    limit,
  );
  return rows.map(({ version, row_no: rowNo }) => ({ version, rowNo }));
}

/** Deletes the articles with everything that belongs to them except their events. @returns how many. */
export async function deleteArticles(db: Writer, websiteId: string, rowNos: readonly number[]): Promise<number> {
  const counts = await inBatches(rowNos, async (batch) => {
    const rows = placeholders(batch);
    // Remembered, so that the source does not bring it back.
    await db.run(
      `UPDATE article_origins SET row_no = NULL, fields = '{}', held = NULL, held_at = NULL, held_by = '[]'
       WHERE row_no IN (${rows})`,
      ...batch,
    );
    for (const table of PARTS) await db.run(`DELETE FROM ${table} WHERE row_no IN (${rows})`, ...batch);
    // These refer to articles by id, which is unique across websites.
    await db.run(
      `DELETE FROM notifications WHERE target_id IN (SELECT id FROM articles WHERE row_no IN (${rows}))`,
      ...batch,
    );
    await db.run(
      `DELETE FROM working_copies WHERE website_id = ? AND article_id IN (SELECT id FROM articles WHERE row_no IN (${rows}))`,
      websiteId,
      ...batch,
    );
    const arrived = `SELECT arrival_id FROM arrived_articles
      WHERE article_id IN (SELECT id FROM articles WHERE row_no IN (${rows}))`;
    await db.run(
      `DELETE FROM arrival_bodies WHERE arrival_id IN (
         SELECT id FROM arrivals WHERE id IN (${arrived}) AND state <> 'waiting' FOR UPDATE)`,
      ...batch,
    );
    await db.run(
      `DELETE FROM arrived_articles WHERE article_id IN (SELECT id FROM articles WHERE row_no IN (${rows}))`,
      ...batch,
    );
    if (db.engine === "postgres") await db.run(`DELETE FROM fingerprint_bands WHERE row_no IN (${rows})`, ...batch);
    const number = db.engine === "postgres" ? "row_no" : "rowid";
    await db.run(`DELETE FROM article_words WHERE ${number} IN (${rows})`, ...batch);
    return db.run(`DELETE FROM articles WHERE website_id = ? AND row_no IN (${rows})`, websiteId, ...batch);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Records that articles up to this version were purged: earlier read models load the website again. */
export async function raisePurgedVersion(db: Writer, websiteId: string, version: number): Promise<void> {
  await db.run(
    "UPDATE websites SET purged_version = ? WHERE id = ? AND purged_version < ?",
    version,
    websiteId,
    version,
  );
}

const PURGED = "row_no, id, title, version, deleted_at";

function fromRow(row: Row<`SELECT ${typeof PURGED} FROM articles`>): PurgedArticle {
  return { rowNo: row.row_no, id: row.id, title: row.title, version: row.version, deletedAt: row.deleted_at };
}
