/** What somebody has typed in the editor and not saved; nobody else sees it. */
import type { Millis } from "../../domain/system/time.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface CopyScope {
  accountId: string;
  websiteId: string;
  /** null: an article that does not exist yet. */
  articleId: string | null;
}

export interface WorkingCopy {
  /** Made by the page that it was typed in. */
  id: string;
  content: string;
  savedAt: Millis;
}

const COLUMNS = "id, content, saved_at" as const;

export async function listWorkingCopies(
  db: Snapshot,
  { accountId, websiteId, articleId }: CopyScope,
): Promise<WorkingCopy[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM working_copies WHERE website_id = ? AND article_id = ? AND account_id = ?
     ORDER BY saved_at DESC, id`,
    websiteId,
    articleId ?? "",
    accountId,
  );
  return rows.map(fromRow);
}

/** Replaces the copy with that id. A copy never moves to another article. */
export async function saveWorkingCopy(
  db: Writer,
  { accountId, websiteId, articleId }: CopyScope,
  { id, content, savedAt }: WorkingCopy,
): Promise<void> {
  await db.run(
    `INSERT INTO working_copies (account_id, id, website_id, article_id, content, saved_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id, id) DO UPDATE SET content = excluded.content, saved_at = excluded.saved_at
     WHERE working_copies.website_id = excluded.website_id AND working_copies.article_id = excluded.article_id`,
    accountId,
    id,
    websiteId,
    articleId ?? "",
    content,
    savedAt,
  );
}

export async function deleteWorkingCopy(db: Writer, scope: CopyScope, id: string): Promise<void> {
  await db.run(
    "DELETE FROM working_copies WHERE account_id = ? AND id = ? AND website_id = ? AND article_id = ?",
    scope.accountId,
    id,
    scope.websiteId,
    scope.articleId ?? "",
  );
}

/** How many copies there are, this one left out. */
export async function countOtherCopies(db: Snapshot, scope: CopyScope, id: string): Promise<number> {
  const row = await db.get(
    `SELECT COUNT(*) AS total FROM working_copies WHERE website_id = ? AND article_id = ? AND account_id = ? AND id <> ?`,
    scope.websiteId,
    scope.articleId ?? "",
    scope.accountId,
    id,
  );
  return Number(row?.total ?? 0);
}

function fromRow(row: Row<`SELECT ${typeof COLUMNS} FROM working_copies`>): WorkingCopy {
  return { id: row.id, content: row.content, savedAt: row.saved_at };
}
