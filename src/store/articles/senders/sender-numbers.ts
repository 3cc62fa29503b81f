/** The numbers by which WordPress' clients name what a sender has made, and the labels and pictures that they see. */
import type { Sender } from "../../../domain/articles/senders/sender.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { declareRow } from "../../row.ts";
import { inBatches, placeholders } from "../../system/sql-batch.ts";
import type { Snapshot, Writer } from "../../store.ts";

export type NumberKind = "post" | "media" | "tag" | "category";

export interface Numbered {
  number: number;
  value: string;
}

/** Serialises those who number things of this sender. */
export async function lockSender(db: Writer, id: string): Promise<void> {
  if (db.engine === "postgres") await db.get("SELECT 1 FROM senders WHERE id = ? FOR UPDATE", id);
}

/** @param db with the sender locked. @returns the new number, `first` if there is none of the kind. */
export async function addNumber(
  db: Writer,
  { id, websiteId }: Pick<Sender, "id" | "websiteId">,
  kind: NumberKind,
  value: string,
  first: number,
): Promise<number> {
  const last = await db.get(
    "SELECT number FROM sender_numbers WHERE sender_id = ? AND kind = ? ORDER BY number DESC LIMIT 1",
    id,
    kind,
  );
  const number = last === undefined ? first : last.number + 1;
  await db.run(
    "INSERT INTO sender_numbers (sender_id, kind, number, website_id, value) VALUES (?, ?, ?, ?, ?)",
    id,
    kind,
    number,
    websiteId,
    value,
  );
  return number;
}

export async function findNumbered(
  db: Snapshot,
  senderId: string,
  kind: NumberKind,
  numbers: readonly number[],
): Promise<Numbered[]> {
  const rows = await inBatches(numbers, (batch) =>
    db.all(
      `SELECT number, value FROM sender_numbers WHERE sender_id = ? AND kind = ? AND number IN (${placeholders(batch)})`,
      senderId,
      kind,
      ...batch,
    ),
  );
  return rows.flat();
}

export async function findNumber(
  db: Snapshot,
  senderId: string,
  kind: NumberKind,
  value: string,
): Promise<number | undefined> {
  const row = await db.get(
    "SELECT number FROM sender_numbers WHERE sender_id = ? AND kind = ? AND value = ?",
    senderId,
    kind,
    value,
  );
  return row?.number;
}

/** At most `limit`, the newest first. */
export function listNumbers(db: Snapshot, senderId: string, kind: NumberKind, limit: number): Promise<Numbered[]> {
  return db.all(
    `SELECT number, value FROM sender_numbers WHERE sender_id = ? AND kind = ?
     ORDER BY number DESC LIMIT CAST(? AS BIGINT)`,
    senderId,
    kind,
    limit,
  );
}

/** What identifies a post that was made at that time by a request whose body has this hash. */
export function toPostValue(at: Millis, bodyHash: string): string {
  // Of 13 digits until the year 2286, so that the values are in the order of their times.
  return `${at}:${bodyHash}`;
}

/** The number of the post that the same body has made since then. */
export async function findRepeatedPost(
  db: Snapshot,
  senderId: string,
  bodyHash: string,
  since: Millis,
): Promise<number | undefined> {
  const row = await db.get(
    `SELECT number FROM sender_numbers WHERE sender_id = ? AND kind = 'post' AND value > ? AND value LIKE ?
     ORDER BY number DESC LIMIT 1`,
    senderId,
    String(since),
    `%:${bodyHash}`,
  );
  return row?.number;
}

export interface SenderPost {
  number: number;
  articleId: string;
  title: string;
  slug: string;
}

/** The posts that are not in the trash, the newest first. */
export function listSenderPosts(db: Snapshot, senderId: string, limit: number): Promise<SenderPost[]> {
  return db.all(
    declareRow<SenderPost>(
      `SELECT sender_numbers.number AS "number", articles.id AS "articleId", title, slug
       FROM sender_numbers
         JOIN article_origins ON article_origins.website_id = sender_numbers.website_id
           AND source = 'sender:' || sender_id || ':' || number
         JOIN articles ON articles.row_no = article_origins.row_no
       WHERE sender_id = ? AND sender_numbers.kind = 'post' AND deleted_at IS NULL
       ORDER BY number DESC LIMIT CAST(? AS BIGINT)`,
    ),
    senderId,
    limit,
  );
}
