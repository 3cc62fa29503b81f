/** Row numbers of articles by one condition of a list's filter, in every state and in the trash, in no particular order. */
import { ARTICLE_STATUSES } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { Snapshot } from "../store.ts";

/** Times from `from` on and before `until`. */
export function dateRows(
  db: Snapshot,
  websiteId: string,
  field: "published_at" | "updated_at",
  { from, until }: { from: Millis; until: Millis },
): Promise<Uint32Array> {
  // Each part has an index.
  const living = ARTICLE_STATUSES.map((status) => `status = '${status}' AND deleted_at IS NULL`);
  const parts = [...living, "deleted_at IS NOT NULL"].map(
    (condition) =>
      `SELECT row_no FROM articles WHERE website_id = ? AND ${field} >= ? AND ${field} < ? AND ${condition}`,
  );
  return db.rowNumbers(parts.join(" UNION ALL "), ...parts.flatMap(() => [websiteId, from, until]));
}

export function personRows(
  db: Snapshot,
  websiteId: string,
  column: "author_id" | "assignee_id",
  id: string,
): Promise<Uint32Array> {
  return db.rowNumbers(`SELECT row_no FROM articles WHERE website_id = ? AND ${column} = ?`, websiteId, id);
}

export function languageRows(db: Snapshot, websiteId: string, language: string): Promise<Uint32Array> {
  return db.rowNumbers("SELECT row_no FROM articles WHERE website_id = ? AND language = ?", websiteId, language);
}

/** Articles that name another language. */
export function otherLanguageRows(db: Snapshot, websiteId: string, language: string): Promise<Uint32Array> {
  return db.rowNumbers(
    "SELECT row_no FROM articles WHERE website_id = ? AND language IS NOT NULL AND language <> ?",
    websiteId,
    language,
  );
}

export function scoreRows(
  db: Snapshot,
  websiteId: string,
  { least, most }: { least: number; most: number },
): Promise<Uint32Array> {
  return db.rowNumbers(
    "SELECT row_no FROM articles WHERE website_id = ? AND score >= ? AND score <= ?",
    websiteId,
    least,
    most,
  );
}
