/** Queries behind the lists of articles by their state. */
import type { ListForm } from "../../domain/articles/api-format.ts";
import { type Article, ARTICLE_STATUSES } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { Snapshot } from "../store.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import { toReviewState } from "./article-rows.ts";

/** An article as lists of machines show it. */
export interface ArticleSnippet extends Pick<
  Article,
  "status" | "reviewState" | "publishAt" | "deletedAt" | "updatedAt" | "language" | "version"
> {
  listForm: ListForm;
  draftSavedAt: Millis | null;
  /** The source by the client's own id; null: none. */
  source: string | null;
}

/** Rows that changed at that time or later, in no particular order. */
export function changedRows(db: Snapshot, websiteId: string, since: Millis): Promise<Uint32Array> {
  // Each part has an index.
  const living = ARTICLE_STATUSES.map((status) => `status = '${status}' AND deleted_at IS NULL`);
  const parts = [...living, "deleted_at IS NOT NULL"].map(
    (condition) => `SELECT row_no FROM articles WHERE website_id = ? AND updated_at >= ? AND ${condition}`,
  );
  return db.rowNumbers(parts.join(" UNION ALL "), ...parts.flatMap(() => [websiteId, since]));
}

/** Reads articles in the order of the row numbers. */
export async function snippets(db: Snapshot, rowNos: readonly number[]): Promise<ArticleSnippet[]> {
  const batches = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT articles.row_no AS row_no, list_form, status, review_state, publish_at, deleted_at, updated_at, language,
         version, draft_copies.saved_at AS drafted_at, ${EXTERNAL_SOURCE} AS external_source
       FROM articles LEFT JOIN draft_copies USING (row_no) WHERE articles.row_no IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  const found = new Map(
    batches.flat().map((row) => [
      row.row_no,
      {
        // The column holds what `insertArticle` wrote.
        listForm: JSON.parse(row.list_form) as ListForm,
        status: row.status,
        reviewState: toReviewState(row),
        publishAt: row.publish_at,
        deletedAt: row.deleted_at,
        updatedAt: row.updated_at,
        language: row.language,
        version: row.version,
        draftSavedAt: row.drafted_at,
        source: row.external_source,
      },
    ]),
  );
  return rowNos.flatMap((rowNo) => found.get(rowNo) ?? []);
}

/** The source of a row of `articles`, which has at most one, unless people merged two articles. */
const EXTERNAL_SOURCE = `(SELECT min(source) FROM article_origins
  WHERE article_origins.row_no = articles.row_no AND source LIKE 'api:%')`;

export async function findExternalSource(db: Snapshot, rowNo: number): Promise<string | null> {
  const row = await db.get(`SELECT ${EXTERNAL_SOURCE} AS external_source FROM articles WHERE row_no = ?`, rowNo);
  return row?.external_source ?? null;
}
