import type { Millis } from "../../domain/system/time.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface StoredMail {
  id: string;
  /** Null: it concerns no website, or every one. */
  websiteId: string | null;
  /** Sealed. */
  content: string;
  createdAt: Millis;
  expiresAt: Millis;
  tries: number;
  readyAt: Millis;
}

const COLUMNS = "id, website_id, content, created_at, expires_at, tries, ready_at";

export async function insertMail(db: Writer, mail: StoredMail): Promise<void> {
  await db.run(
    `INSERT INTO mails (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    mail.id,
    mail.websiteId,
    mail.content,
    mail.createdAt,
    mail.expiresAt,
    mail.tries,
    mail.readyAt,
  );
}

/** The next mails to be tried, due or not, without dead letters. */
export async function nextMails(db: Snapshot, limit: number): Promise<StoredMail[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM mails
     WHERE NOT EXISTS (SELECT 1 FROM dead_letters l WHERE l.kind = 'mail' AND l.subject_id = mails.id)
     ORDER BY ready_at, id LIMIT CAST(? AS BIGINT)`,
    limit,
  );
  return rows.map(toCamelCase);
}

export async function countMails(db: Snapshot): Promise<number> {
  return (await db.get("SELECT COUNT(*) AS n FROM mails"))?.n ?? 0;
}

/** Claims the mail until `until`. @returns false when another process has claimed or finished it first. */
export async function claimMail(
  db: Writer,
  { id, readyAt }: Pick<StoredMail, "id" | "readyAt">,
  until: Millis,
): Promise<boolean> {
  return (
    (await db.run(
      "UPDATE mails SET ready_at = ?, tries = tries + 1 WHERE id = ? AND ready_at = ?",
      until,
      id,
      readyAt,
    )) > 0
  );
}

export async function postponeMail(db: Writer, id: string, readyAt: Millis): Promise<void> {
  await db.run("UPDATE mails SET ready_at = ? WHERE id = ?", readyAt, id);
}

export async function deleteMail(db: Writer, id: string): Promise<void> {
  await db.run("DELETE FROM mails WHERE id = ?", id);
}

/** For a restored backup: some mails were sent after it was made, and the others are out of date. */
export async function forgetMails(db: Writer): Promise<void> {
  await db.run("DELETE FROM mails");
}
