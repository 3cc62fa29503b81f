/** The signed statement about an article's last approval. It counts while the approval does, for the same content. */
import type { Millis } from "../../../domain/system/time.ts";
import { inBatches, placeholders } from "../../system/sql-batch.ts";
import type { Snapshot, Writer } from "../../store.ts";

interface Approval {
  rowNo: number;
  /** Of the approved content. */
  contentHash: string;
  approvedAt: Millis | null;
}

export async function findReviewRecord(
  db: Snapshot,
  { rowNo, contentHash, approvedAt }: Approval,
): Promise<string | undefined> {
  const row = await db.get(
    "SELECT jws FROM review_records WHERE row_no = ? AND content_hash = ? AND created_at = ?",
    rowNo,
    contentHash,
    approvedAt,
  );
  return row?.jws;
}

/** The records of these articles, of those that are published. */
export async function listReviewRecords(db: Snapshot, rowNos: readonly number[]): Promise<Map<number, string>> {
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT r.row_no, r.jws FROM review_records r JOIN articles a ON a.row_no = r.row_no
       WHERE r.row_no IN (${placeholders(batch)}) AND a.status = 'published' AND a.deleted_at IS NULL
         AND r.content_hash = a.content_hash AND r.created_at = a.approved_at`,
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ row_no, jws }) => [row_no, jws]));
}

/** In place of any earlier one. */
export async function saveReviewRecord(
  db: Writer,
  { rowNo, websiteId, contentHash, approvedAt, jws }: Approval & { websiteId: string; jws: string },
): Promise<void> {
  await db.run(
    `INSERT INTO review_records (row_no, website_id, content_hash, jws, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (row_no) DO UPDATE SET content_hash = excluded.content_hash, jws = excluded.jws,
       created_at = excluded.created_at`,
    rowNo,
    websiteId,
    contentHash,
    jws,
    approvedAt,
  );
}

/** The record stays valid where nothing of what it says has changed, such as after a receipt. */
export async function moveReviewRecord(db: Writer, rowNo: number, from: string, to: string): Promise<void> {
  await db.run("UPDATE review_records SET content_hash = ? WHERE row_no = ? AND content_hash = ?", to, rowNo, from);
}

/** Whether one of the revisions is by a person, not a machine or a command. */
export async function isEditedByPerson(db: Snapshot, rowNo: number): Promise<boolean> {
  const row = await db.get(
    "SELECT 1 AS found FROM revisions WHERE row_no = ? AND actor IN (SELECT id FROM accounts) LIMIT 1",
    rowNo,
  );
  return row !== undefined;
}
