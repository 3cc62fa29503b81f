import type { Snapshot, StoredArticle, Writer } from "../store.ts";

/** Records that a receiver's response took the article from one version to the next, with no other change in between. */
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
