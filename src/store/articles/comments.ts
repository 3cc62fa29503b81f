import type { Millis } from "../../domain/system/time.ts";
import type { LostPassage, Passage } from "../../domain/articles/passages.ts";
import { PERSON_OF, type Person } from "../system/audit.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import { declareRow, type Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

interface Owner {
  rowNo: number;
  websiteId: string;
}

export interface CommentThread {
  id: string;
  /** Empty for a thread about the whole article. */
  quote: string;
  /** null if it is about the whole article, or lost for good. */
  place: Passage | LostPassage | null;
  replacement: string | null;
  createdAt: Millis;
  resolved: { at: Millis; by: Person } | null;
  appliedAt: Millis | null;
}

export interface Comment {
  id: string;
  threadId: string;
  person: Person;
  /** Whether it was written by a review link, whose id is then the person's. */
  isGuest: boolean;
  /** With mentions written as `<@account>`. */
  body: string;
  mentions: Person[];
  createdAt: Millis;
  editedAt: Millis | null;
  isDeleted: boolean;
}

const THREAD = `id, quote, start_at, end_at, lost, replacement, created_at, resolved_at, resolved_by, applied_at,
  COALESCE((SELECT COALESCE(NULLIF(name, ''), email) FROM accounts WHERE accounts.id = resolved_by),
    (SELECT name FROM access_tokens WHERE access_tokens.id = resolved_by)) AS resolver` as const;

export async function listThreads(db: Snapshot, rowNo: number): Promise<CommentThread[]> {
  const rows = await db.all(`SELECT ${THREAD} FROM comment_threads WHERE row_no = ? ORDER BY created_at, id`, rowNo);
  return rows.map(threadFromRow);
}

export async function findThread(db: Snapshot, rowNo: number, id: string): Promise<CommentThread | undefined> {
  const row = await db.get(`SELECT ${THREAD} FROM comment_threads WHERE row_no = ? AND id = ?`, rowNo, id);
  return row && threadFromRow(row);
}

export async function insertThread(
  db: Writer,
  { rowNo, websiteId }: Owner,
  thread: Pick<CommentThread, "id" | "quote" | "replacement" | "createdAt"> & { place: Passage | null },
): Promise<void> {
  await db.run(
    `INSERT INTO comment_threads (id, website_id, row_no, quote, start_at, end_at, replacement, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    thread.id,
    websiteId,
    rowNo,
    thread.quote,
    thread.place?.start ?? null,
    thread.place?.end ?? null,
    thread.replacement,
    thread.createdAt,
  );
}

export async function movePassage(db: Writer, rowNo: number, id: string, place: Passage | LostPassage): Promise<void> {
  const isLost = "text" in place;
  await db.run(
    "UPDATE comment_threads SET start_at = ?, end_at = ?, lost = ? WHERE row_no = ? AND id = ?",
    isLost ? null : place.start,
    isLost ? null : place.end,
    isLost ? JSON.stringify(place) : null,
    rowNo,
    id,
  );
}

/** `by`: null reopens the thread. @returns whether the thread has changed. */
export async function setResolved(
  db: Writer,
  rowNo: number,
  id: string,
  { by, at, isApplied = false }: { by: string | null; at: Millis; isApplied?: boolean },
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE comment_threads SET resolved_at = ?, resolved_by = ?, applied_at = ?
     WHERE row_no = ? AND id = ? AND resolved_at IS ${by === null ? "NOT NULL" : "NULL"}`,
    by === null ? null : at,
    by,
    isApplied ? at : null,
    rowNo,
    id,
  );
  return changed === 1;
}

/** Whose suggestions were applied to the article since then. The first comment of a thread has its id. */
export async function listSuggesters(db: Snapshot, rowNo: number, since: Millis): Promise<string[]> {
  const rows = await db.all(
    `SELECT DISTINCT actor FROM comments JOIN comment_threads ON comment_threads.id = comments.id
     WHERE comments.row_no = ? AND applied_at > ?`,
    rowNo,
    since,
  );
  return rows.map(({ actor }) => actor);
}

/** The threads that were sent with this request for changes, oldest first. */
export function listRequested(db: Snapshot, rowNo: number, entryId: string): Promise<{ id: string; quote: string }[]> {
  return db.all(
    "SELECT id, quote FROM comment_threads WHERE row_no = ? AND requested_in = ? ORDER BY created_at, id",
    rowNo,
    entryId,
  );
}

/** Records the audit entry of the request for changes that included the open threads. @returns how many there are. */
export async function markRequested(
  db: Writer,
  rowNo: number,
  ids: readonly string[],
  entryId: string,
): Promise<number> {
  const counts = await inBatches(ids, (batch) =>
    db.run(
      `UPDATE comment_threads SET requested_in = ? WHERE row_no = ? AND resolved_at IS NULL AND id IN (${placeholders(batch)})`,
      entryId,
      rowNo,
      ...batch,
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export async function deleteThread(db: Writer, rowNo: number, id: string): Promise<void> {
  await db.run("DELETE FROM comments WHERE row_no = ? AND thread_id = ?", rowNo, id);
  await db.run("DELETE FROM comment_threads WHERE row_no = ? AND id = ?", rowNo, id);
}

const COMMENT =
  `id, thread_id, actor, guest, ${PERSON_OF} AS person, body, mentions, created_at, edited_at, deleted_at` as const;

export async function listComments(db: Snapshot, rowNo: number): Promise<Comment[]> {
  const rows = await db.all(`SELECT ${COMMENT} FROM comments WHERE row_no = ? ORDER BY created_at, id`, rowNo);
  const mentioned = [...new Set(rows.flatMap(({ mentions }) => parseIds(mentions)))];
  const people = await inBatches(mentioned, (batch) =>
    db.all(
      `SELECT id, COALESCE(NULLIF(name, ''), email) AS name FROM accounts WHERE id IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  const names = new Map(people.flat().map(({ id, name }) => [id, name]));
  return rows.map((row) => commentFromRow(row, names));
}

export async function findComment(db: Snapshot, rowNo: number, id: string): Promise<Comment | undefined> {
  const row = await db.get(`SELECT ${COMMENT} FROM comments WHERE row_no = ? AND id = ?`, rowNo, id);
  return row && commentFromRow(row, new Map());
}

export async function countOpenThreads(db: Snapshot, rowNo: number): Promise<number> {
  const row = await db.get("SELECT COUNT(*) AS n FROM comment_threads WHERE row_no = ? AND resolved_at IS NULL", rowNo);
  return row?.n ?? 0;
}

export async function countComments(db: Snapshot, rowNo: number): Promise<{ count: number; characters: number }> {
  const comments = await db.get(
    declareRow<{ n: number; characters: number }>(
      "SELECT COUNT(*) AS n, CAST(COALESCE(SUM(LENGTH(body)), 0) AS BIGINT) AS characters FROM comments WHERE row_no = ?",
    ),
    rowNo,
  );
  const threads = await db.get(
    declareRow<{ characters: number }>(
      `SELECT CAST(COALESCE(SUM(LENGTH(quote) + LENGTH(COALESCE(replacement, ''))), 0) AS BIGINT) AS characters
       FROM comment_threads WHERE row_no = ?`,
    ),
    rowNo,
  );
  return { count: comments?.n ?? 0, characters: (comments?.characters ?? 0) + (threads?.characters ?? 0) };
}

export async function countCommentsOf(db: Snapshot, rowNo: number, actor: string): Promise<number> {
  const row = await db.get("SELECT COUNT(*) AS n FROM comments WHERE row_no = ? AND actor = ?", rowNo, actor);
  return row?.n ?? 0;
}

export async function insertComment(
  db: Writer,
  { rowNo, websiteId }: Owner,
  comment: Pick<Comment, "id" | "threadId" | "body" | "createdAt"> & {
    actor: string;
    /** Who the guest is, in words; null: the actor is a member. */
    guest: string | null;
    mentions: readonly string[];
  },
): Promise<void> {
  await db.run(
    `INSERT INTO comments (id, website_id, row_no, thread_id, actor, guest, body, mentions, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    comment.id,
    websiteId,
    rowNo,
    comment.threadId,
    comment.actor,
    comment.guest,
    comment.body,
    JSON.stringify(comment.mentions),
    comment.createdAt,
  );
}

export async function editComment(
  db: Writer,
  rowNo: number,
  id: string,
  { body, mentions, at }: { body: string; mentions: readonly string[]; at: Millis },
): Promise<void> {
  await db.run(
    "UPDATE comments SET body = ?, mentions = ?, edited_at = ? WHERE row_no = ? AND id = ?",
    body,
    JSON.stringify(mentions),
    at,
    rowNo,
    id,
  );
}

export async function eraseComment(db: Writer, rowNo: number, id: string, at: Millis): Promise<void> {
  await db.run(
    "UPDATE comments SET body = '', mentions = '[]', deleted_at = ? WHERE row_no = ? AND id = ?",
    at,
    rowNo,
    id,
  );
}

/** The text that the threads' passages refer to. */
export interface CommentedText {
  version: number;
  draftedAt: Millis | null;
}

export async function findCommentedText(db: Snapshot, rowNo: number): Promise<CommentedText | undefined> {
  const row = await db.get("SELECT version, drafted_at FROM comment_texts WHERE row_no = ?", rowNo);
  return row && { version: row.version, draftedAt: row.drafted_at };
}

export async function readCommentedText(db: Snapshot, rowNo: number): Promise<string | undefined> {
  return (await db.get("SELECT text FROM comment_texts WHERE row_no = ?", rowNo))?.text;
}

export async function putCommentedText(
  db: Writer,
  { rowNo, websiteId }: Owner,
  { version, draftedAt, text }: CommentedText & { text: string },
): Promise<void> {
  await db.run(
    `INSERT INTO comment_texts (row_no, website_id, version, drafted_at, text) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (row_no) DO UPDATE SET version = excluded.version, drafted_at = excluded.drafted_at, text = excluded.text`,
    rowNo,
    websiteId,
    version,
    draftedAt,
    text,
  );
}

type ThreadRow = Row<`SELECT ${typeof THREAD} FROM comment_threads`>;
type CommentRow = Row<`SELECT ${typeof COMMENT} FROM comments`>;

function threadFromRow(row: ThreadRow): CommentThread {
  const { start_at: start, end_at: end, lost, resolved_at: at, resolved_by: by } = row;
  return {
    id: row.id,
    quote: row.quote,
    // Written by `movePassage`.
    place: start !== null && end !== null ? { start, end } : lost === null ? null : (JSON.parse(lost) as LostPassage),
    replacement: row.replacement,
    createdAt: row.created_at,
    resolved: at === null || by === null ? null : { at, by: { id: by, name: row.resolver } },
    appliedAt: row.applied_at,
  };
}

function commentFromRow(row: CommentRow, names: ReadonlyMap<string, string>): Comment {
  return {
    id: row.id,
    threadId: row.thread_id,
    person: { id: row.actor, name: row.guest ?? row.person },
    isGuest: row.guest !== null,
    body: row.body,
    mentions: parseIds(row.mentions).map((id) => ({ id, name: names.get(id) ?? null })),
    createdAt: row.created_at,
    editedAt: row.edited_at,
    isDeleted: row.deleted_at !== null,
  };
}

/** Written by `insertComment`. */
function parseIds(mentions: string): string[] {
  return JSON.parse(mentions) as string[];
}
