import type { ArticleInput, Millis } from "../../domain/articles/article.ts";
import { PERSON_OF, type Person } from "../system/audit.ts";
import type { Reader, Writer } from "../store.ts";

/** Unpublished changes to a published article, stored beside the live version. */
export interface DraftCopy {
  changes: ArticleInput;
  /** Who saved it last. */
  person: Person;
  savedAt: Millis;
}

export async function findDraftCopy(db: Reader, rowNo: number): Promise<DraftCopy | undefined> {
  const row = await db.get(
    `SELECT changes, actor, ${PERSON_OF} AS person, saved_at FROM draft_copies WHERE row_no = ?`,
    rowNo,
  );
  if (row === undefined) return undefined;
  const person = { id: row.actor, name: row.person };
  // The column holds what `putDraftCopy` wrote.
  return { changes: JSON.parse(row.changes) as ArticleInput, person, savedAt: row.saved_at };
}

export async function putDraftCopy(
  db: Writer,
  rowNo: number,
  websiteId: string,
  draft: Omit<DraftCopy, "person"> & { actor: string },
): Promise<void> {
  await db.run(
    `INSERT INTO draft_copies (row_no, website_id, changes, actor, saved_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (row_no) DO UPDATE SET changes = excluded.changes, actor = excluded.actor, saved_at = excluded.saved_at`,
    rowNo,
    websiteId,
    JSON.stringify(draft.changes),
    draft.actor,
    draft.savedAt,
  );
}

/** @returns whether there was one. */
export async function deleteDraftCopy(db: Writer, rowNo: number): Promise<boolean> {
  return (await db.run("DELETE FROM draft_copies WHERE row_no = ?", rowNo)) === 1;
}
