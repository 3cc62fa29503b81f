import type { ArticleInput } from "../../domain/articles/article.ts";
import type { OriginFields } from "../../domain/articles/origin.ts";
import type { Millis } from "../../domain/system/time.ts";
import { declareRow, type Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface StoredOrigin {
  /** Identity of the item within its source. */
  source: string;
  /** null: the article has been deleted permanently. */
  rowNo: number | null;
  /** Hash of the item as it was brought last. */
  hash: string;
  fields: OriginFields;
  held: ArticleInput | null;
  /** When `held` was changed; null if there is none. */
  heldAt: Millis | null;
  /** Who brought what is held, and what was applied of it. */
  heldBy: HeldBy[];
}

export interface HeldBy {
  actor: string;
  /** null: it is held. */
  appliedAt: Millis | null;
}

const COLUMNS = "source, row_no, hash, fields, held, held_at, held_by";

export async function findOrigin(db: Snapshot, websiteId: string, source: string): Promise<StoredOrigin | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM article_origins WHERE website_id = ? AND source = ?`,
    websiteId,
    source,
  );
  return row && fromRow(row);
}

/** The origins of an article with held changes, by source. */
export async function listHeld(db: Snapshot, rowNo: number): Promise<StoredOrigin[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM article_origins WHERE row_no = ? AND held_at IS NOT NULL ORDER BY source`,
    rowNo,
  );
  return rows.map(fromRow);
}

export async function putOrigin(db: Writer, websiteId: string, origin: StoredOrigin): Promise<void> {
  const { source, rowNo, hash, fields, held, heldAt, heldBy } = origin;
  // For ON CONFLICT, SQLite sets a savepoint, at which the word index writes what it has collected: 0.12 ms instead of 0.01.
  const isKnown = db.engine === "postgres" || (await hasOrigin(db, websiteId, source));
  await db.run(
    `INSERT INTO article_origins (website_id, source, row_no, hash, fields, held, held_at, held_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ${isKnown ? REPLACE : ""}`,
    websiteId,
    source,
    rowNo,
    hash,
    JSON.stringify(fields),
    held === null ? null : JSON.stringify(held),
    heldAt,
    JSON.stringify(heldBy),
  );
}

const REPLACE = `ON CONFLICT (website_id, source) DO UPDATE SET row_no = excluded.row_no, hash = excluded.hash,
  fields = excluded.fields, held = excluded.held, held_at = excluded.held_at, held_by = excluded.held_by`;

async function hasOrigin(db: Snapshot, websiteId: string, source: string): Promise<boolean> {
  const query = declareRow<{ found: number }>(
    "SELECT 1 AS found FROM article_origins WHERE website_id = ? AND source = ?",
  );
  return (await db.get(query, websiteId, source)) !== undefined;
}

/** Those who brought changes that were held and have been applied since. */
export async function listAppliedBringers(db: Snapshot, rowNo: number, since: Millis): Promise<string[]> {
  const rows = await db.all("SELECT held_by FROM article_origins WHERE row_no = ? AND held_by <> '[]'", rowNo);
  const all = rows.flatMap((row) => JSON.parse(row.held_by) as HeldBy[]);
  return all.filter(({ appliedAt }) => (appliedAt ?? 0) > since).map(({ actor }) => actor);
}

/** The source calls the item otherwise from now on. Changes nothing if it has brought one of that name already. */
export async function renameOrigin(db: Writer, websiteId: string, from: string, to: string): Promise<void> {
  await db.run(
    `UPDATE article_origins SET source = ? WHERE website_id = ? AND source = ?
       AND NOT EXISTS (SELECT 1 FROM article_origins other WHERE other.website_id = ? AND other.source = ?)`,
    to,
    websiteId,
    from,
    websiteId,
    to,
  );
}

function fromRow(row: Row<`SELECT ${typeof COLUMNS} FROM article_origins`>): StoredOrigin {
  return {
    source: row.source,
    rowNo: row.row_no,
    hash: row.hash,
    // The columns hold what `putOrigin` wrote.
    fields: JSON.parse(row.fields) as OriginFields,
    held: row.held === null ? null : (JSON.parse(row.held) as ArticleInput),
    heldAt: row.held_at,
    heldBy: JSON.parse(row.held_by) as HeldBy[],
  };
}
