/** The kinds of findings that each article has, for lists, and its metrics by a later engine than the delivered ones. */
import type { FindingFilter, FindingKind, Severity } from "../../../domain/articles/findings.ts";
import { parseScore } from "../../../domain/articles/article.ts";
import { insertRows } from "../../system/sql-batch.ts";
import type { Snapshot, Writer } from "../../store.ts";

interface ArticleRow {
  rowNo: number;
  websiteId: string;
}

export async function insertFindings(
  db: Writer,
  { rowNo, websiteId }: ArticleRow,
  kinds: ReadonlyMap<FindingKind, Severity>,
): Promise<void> {
  if (kinds.size === 0) return;
  const rows = Array.from(kinds, ([kind, severity]) => [rowNo, kind, websiteId, severity === "block" ? 1 : 0]);
  await insertRows(db, "article_findings (row_no, kind, website_id, is_blocking)", rows);
}

export async function replaceFindings(
  db: Writer,
  article: ArticleRow,
  kinds: ReadonlyMap<FindingKind, Severity>,
): Promise<void> {
  await db.run("DELETE FROM article_findings WHERE row_no = ?", article.rowNo);
  await insertFindings(db, article, kinds);
}

/** Articles with such a finding, in every state and in the trash, each once and in no particular order. */
export function findingRows(db: Snapshot, websiteId: string, filter: FindingFilter): Promise<Uint32Array> {
  if (filter === "any") {
    return db.rowNumbers("SELECT DISTINCT row_no FROM article_findings WHERE website_id = ?", websiteId);
  }
  if (filter === "blocking") {
    return db.rowNumbers(
      "SELECT DISTINCT row_no FROM article_findings WHERE website_id = ? AND is_blocking = 1",
      websiteId,
    );
  }
  return db.rowNumbers("SELECT row_no FROM article_findings WHERE website_id = ? AND kind = ?", websiteId, filter);
}

/** Undefined: the metrics that are delivered are those of the current engine, or no recheck has come to the article. */
export async function findRechecked(db: Snapshot, rowNo: number): Promise<string | undefined> {
  return (await db.get("SELECT metrics FROM rechecked_metrics WHERE row_no = ?", rowNo))?.metrics;
}

export async function replaceRechecked(
  db: Writer,
  { rowNo, websiteId }: ArticleRow,
  { metricsJson, engineVersion }: { metricsJson: string; engineVersion: string },
): Promise<void> {
  await deleteRechecked(db, rowNo);
  await db.run(
    "INSERT INTO rechecked_metrics (row_no, website_id, engine_version, metrics) VALUES (?, ?, ?, ?)",
    rowNo,
    websiteId,
    engineVersion,
    metricsJson,
  );
  await db.run("UPDATE articles SET score = ? WHERE row_no = ?", parseScore(metricsJson), rowNo);
}

export async function deleteRechecked(db: Writer, rowNo: number): Promise<void> {
  await db.run("DELETE FROM rechecked_metrics WHERE row_no = ?", rowNo);
}

/** An article as a recheck comes to it. */
export interface CheckedRow extends ArticleRow {
  id: string;
  /** The newest metrics that it has. */
  metricsJson: string;
}

/** The next articles by row number, at most `limit`; `websiteId`: of one website. */
export async function listChecked(
  db: Snapshot,
  { after, websiteId, limit }: { after: number; websiteId: string | null; limit: number },
): Promise<CheckedRow[]> {
  const rows = await db.all(
    `SELECT article_bodies.row_no AS row_no, article_bodies.website_id AS website_id, id,
       COALESCE(rechecked_metrics.metrics, article_bodies.metrics) AS newest_metrics
     FROM article_bodies JOIN articles USING (row_no) LEFT JOIN rechecked_metrics USING (row_no)
     WHERE article_bodies.row_no > ?${websiteId === null ? "" : " AND article_bodies.website_id = ?"}
     ORDER BY article_bodies.row_no LIMIT CAST(? AS BIGINT)`,
    after,
    ...(websiteId === null ? [] : [websiteId]),
    limit,
  );
  return rows.map((row) => ({
    rowNo: row.row_no,
    websiteId: row.website_id,
    id: row.id,
    metricsJson: row.newest_metrics,
  }));
}

/** 0 if there is no article. */
export async function findLastRow(db: Snapshot): Promise<number> {
  const [last] = await db.rowNumbers("SELECT row_no FROM article_bodies ORDER BY row_no DESC LIMIT 1");
  return last ?? 0;
}

/** How far the recheck of all articles has come. */
export interface RecheckPosition {
  engineVersion: string;
  /** The last row; null: it is done. */
  after: number | null;
}

/** Key in `settings`. */
const RECHECK = "recheck";

export async function findRecheckPosition(db: Snapshot): Promise<RecheckPosition | undefined> {
  const row = await db.get("SELECT value FROM settings WHERE name = ?", RECHECK);
  return row && (JSON.parse(row.value) as RecheckPosition);
}

export async function saveRecheckPosition(db: Writer, position: RecheckPosition): Promise<void> {
  await db.run("DELETE FROM settings WHERE name = ?", RECHECK);
  await db.run("INSERT INTO settings (name, value) VALUES (?, ?)", RECHECK, JSON.stringify(position));
}
