import type { ArticleInput } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import { declareRow } from "../row.ts";
import { placeholders } from "../system/sql-batch.ts";
import { PERSON_OF, type Person } from "../system/audit.ts";
import type { Snapshot, Writer } from "../store.ts";

/** Unpublished changes to a published article, stored beside the live version. */
export interface DraftCopy {
  changes: ArticleInput;
  person: Person;
  savedAt: Millis;
  /** The ids of all who have saved it. */
  writers: readonly string[];
}

export async function findDraftCopy(db: Snapshot, rowNo: number): Promise<DraftCopy | undefined> {
  const row = await db.get(
    `SELECT changes, actor, ${PERSON_OF} AS person, saved_at, writers FROM draft_copies WHERE row_no = ?`,
    rowNo,
  );
  if (row === undefined) return undefined;
  const person = { id: row.actor, name: row.person };
  // The columns hold what `putDraftCopy` wrote.
  const changes = JSON.parse(row.changes) as ArticleInput;
  return { changes, person, savedAt: row.saved_at, writers: JSON.parse(row.writers) as string[] };
}

export async function putDraftCopy(
  db: Writer,
  rowNo: number,
  websiteId: string,
  draft: Omit<DraftCopy, "person"> & { actor: string },
): Promise<void> {
  await db.run(
    `INSERT INTO draft_copies (row_no, website_id, changes, actor, saved_at, writers) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (row_no) DO UPDATE SET changes = excluded.changes, actor = excluded.actor,
       saved_at = excluded.saved_at, writers = excluded.writers`,
    rowNo,
    websiteId,
    JSON.stringify(draft.changes),
    draft.actor,
    draft.savedAt,
    JSON.stringify(draft.writers),
  );
}

/** The ids of those of these articles that have a draft copy, by row. For at most a few hundred rows at once. */
export async function findDrafted(db: Snapshot, rowNos: readonly number[]): Promise<Map<number, string>> {
  if (rowNos.length === 0) return new Map();
  const rows = await db.all(
    `SELECT articles.row_no AS row_no, id FROM articles JOIN draft_copies ON draft_copies.row_no = articles.row_no
     WHERE articles.row_no IN (${placeholders(rowNos)})`,
    ...rowNos,
  );
  return new Map(rows.map(({ row_no, id }) => [row_no, id]));
}

/** The article whose draft copy gives it this slug. `language`: only in this language. */
export async function findDraftBySlug(
  db: Snapshot,
  websiteId: string,
  slug: string,
  language: string | undefined,
): Promise<string | undefined> {
  const rows = await db.all(
    `SELECT articles.id AS id, changes, articles.language AS language, websites.language AS own
     FROM draft_copies JOIN articles ON articles.row_no = draft_copies.row_no
       JOIN websites ON websites.id = draft_copies.website_id
     WHERE draft_copies.website_id = ? AND articles.deleted_at IS NULL AND changes LIKE '%"slug":%' ORDER BY articles.id`,
    websiteId,
  );
  return rows.find((row) => {
    const changes = JSON.parse(row.changes) as ArticleInput;
    const { language: latest = row.language } = changes;
    return changes.slug === slug && (language === undefined || (latest ?? row.own) === language);
  })?.id;
}

/** Changes with each draft copy that is saved, applied or discarded. */
export async function draftsVersion(db: Snapshot, websiteId: string): Promise<string> {
  const row = await db.get(
    declareRow<{ count: number; saved_at: number | null; times: number | null }>(
      "SELECT count(*) AS count, max(saved_at) AS saved_at, CAST(sum(saved_at % 1000000000) AS BIGINT) AS times FROM draft_copies WHERE website_id = ?",
    ),
    websiteId,
  );
  return `${row?.count ?? 0}-${row?.saved_at ?? 0}-${row?.times ?? 0}`;
}

export async function deleteDraftCopy(db: Writer, rowNo: number): Promise<boolean> {
  return (await db.run("DELETE FROM draft_copies WHERE row_no = ?", rowNo)) === 1;
}
