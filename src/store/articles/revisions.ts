import type { Millis } from "../../domain/system/time.ts";
import { type RevisionFields, type RevisionMark, type RevisionText } from "../../domain/articles/revision.ts";
import type { Person } from "../system/audit.ts";
import { PERSON_OF } from "../system/audit.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

/** The content of a revision, saved when a newer one replaces it. */
export interface SavedContent {
  fields: RevisionFields;
  textHash: string;
  wasApproved: boolean;
}

export interface RevisionCursor {
  number: number;
  at: Millis;
}

/** The article's current revision; undefined if it has never been changed. */
export function findHead(db: Snapshot, rowNo: number): Promise<RevisionCursor | undefined> {
  return db.get("SELECT number, at FROM revisions WHERE row_no = ? ORDER BY number DESC LIMIT 1", rowNo);
}

/** `content` is null for the current revision, whose content is the article itself. */
export async function insertRevision(
  db: Writer,
  owner: { rowNo: number; websiteId: string },
  number: number,
  mark: RevisionMark,
  content: SavedContent | null,
): Promise<void> {
  await db.run(
    `INSERT INTO revisions (row_no, number, website_id, id, at, actor, action, fields, text_hash, was_approved)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    owner.rowNo,
    number,
    owner.websiteId,
    mark.id,
    mark.at,
    mark.actor,
    mark.action,
    content === null ? null : JSON.stringify(content.fields),
    content?.textHash ?? null,
    content?.wasApproved === true ? 1 : 0,
  );
}

/** Saves the content of the newest revision, which is about to be replaced. */
export async function saveHead(db: Writer, rowNo: number, number: number, content: SavedContent): Promise<void> {
  await db.run(
    "UPDATE revisions SET fields = ?, text_hash = ?, was_approved = ? WHERE row_no = ? AND number = ?",
    JSON.stringify(content.fields),
    content.textHash,
    content.wasApproved ? 1 : 0,
    rowNo,
    number,
  );
}

export async function insertText(
  db: Writer,
  owner: { rowNo: number; websiteId: string },
  hash: string,
  text: RevisionText,
): Promise<void> {
  await db.run(
    `INSERT INTO revision_texts (row_no, hash, website_id, html, markdown) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (row_no, hash) DO NOTHING`,
    owner.rowNo,
    hash,
    owner.websiteId,
    text.html,
    text.markdown,
  );
}

/** Deletes revisions up to `number`, but the last approved and each actor's newest after it; and unused texts. */
export async function pruneRevisions(db: Writer, rowNo: number, number: number): Promise<void> {
  const gone = await db.run(
    `DELETE FROM revisions WHERE row_no = ? AND number <= ? AND number <>
       (SELECT COALESCE(max(number), 0) FROM revisions AS approved WHERE approved.row_no = ? AND was_approved = 1)
     AND number NOT IN (SELECT max(number) FROM revisions AS newest WHERE newest.row_no = ? AND number >
       (SELECT COALESCE(max(number), 0) FROM revisions AS approved WHERE approved.row_no = ? AND was_approved = 1)
       GROUP BY actor)`,
    rowNo,
    number,
    rowNo,
    rowNo,
    rowNo,
  );
  if (gone === 0) return;
  await db.run(
    `DELETE FROM revision_texts WHERE row_no = ? AND hash NOT IN
       (SELECT text_hash FROM revisions WHERE row_no = ? AND text_hash IS NOT NULL)`,
    rowNo,
    rowNo,
  );
}

export interface ListedRevision extends RevisionMark {
  number: number;
  person: Person;
}

/** Newest first, at most `limit`, after the given one. */
export async function listRevisions(
  db: Snapshot,
  rowNo: number,
  after: { at: Millis; id: string },
  limit: number,
): Promise<ListedRevision[]> {
  const rows = await db.all(
    `SELECT ${LISTED} FROM revisions
     WHERE row_no = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)`,
    rowNo,
    after.at,
    after.id,
    limit,
  );
  return rows.map(listed);
}

export interface StoredRevision extends ListedRevision {
  /** null for the current revision, whose content is the article itself. */
  kept: { fields: RevisionFields; textHash: string } | null;
}

export function findRevision(db: Snapshot, rowNo: number, id: string): Promise<StoredRevision | undefined> {
  return findOne(db, "id = ?", rowNo, id);
}

/** The newest approved revision that has since been replaced. */
export function findLastApproved(db: Snapshot, rowNo: number): Promise<StoredRevision | undefined> {
  return findOne(db, "was_approved = ?", rowNo, 1);
}

export function findNewest(db: Snapshot, rowNo: number): Promise<StoredRevision | undefined> {
  return findOne(db, "number > ?", rowNo, 0);
}

export async function listWriters(db: Snapshot, rowNo: number, after: number): Promise<string[]> {
  const rows = await db.all("SELECT DISTINCT actor FROM revisions WHERE row_no = ? AND number > ?", rowNo, after);
  return rows.map(({ actor }) => actor);
}

/** The revision that was current at that time; undefined if it was deleted, or the article never changed. */
export function findRevisionAt(db: Snapshot, rowNo: number, at: Millis): Promise<StoredRevision | undefined> {
  return findOne(db, "at <= ?", rowNo, at);
}

/** Undefined if it is the article's current text. */
export function findText(db: Snapshot, rowNo: number, hash: string): Promise<RevisionText | undefined> {
  return db.get("SELECT html, markdown FROM revision_texts WHERE row_no = ? AND hash = ?", rowNo, hash);
}

async function findOne(
  db: Snapshot,
  condition: string,
  rowNo: number,
  value: string | number,
): Promise<StoredRevision | undefined> {
  const row = await db.get(
    `SELECT ${LISTED}, fields, text_hash FROM revisions
     WHERE row_no = ? AND ${condition} ORDER BY number DESC LIMIT 1`,
    rowNo,
    value,
  );
  if (row === undefined) return undefined;
  const { fields, text_hash: textHash } = row;
  // The column holds what `insertRevision` or `keepHead` wrote.
  const kept = fields === null || textHash === null ? null : { fields: JSON.parse(fields) as RevisionFields, textHash };
  return { ...listed(row), kept };
}

const LISTED = `number, id, at, actor, action, ${PERSON_OF} AS person` as const;

function listed({ person, ...row }: Row<`SELECT ${typeof LISTED} FROM revisions`>): ListedRevision {
  return {
    number: row.number,
    id: row.id,
    at: row.at,
    actor: row.actor,
    action: row.action,
    person: { id: row.actor, name: person },
  };
}
