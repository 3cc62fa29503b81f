/** Links that work once and change the e-mail address of an account, or change it back. */
import type { Millis } from "../../domain/system/time.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface EmailChange {
  /** SHA-256 of its token, hexadecimal. */
  tokenHash: string;
  accountId: string;
  kind: "confirm" | "undo";
  email: string;
  /** The session that requested the change; null for `undo`. */
  sessionId: string | null;
  createdAt: Millis;
  expiresAt: Millis;
}

const COLUMNS = "token_hash, account_id, kind, email, session_id, created_at, expires_at";

export async function insertEmailChange(db: Writer, change: EmailChange): Promise<void> {
  await db.run(
    `INSERT INTO email_changes (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    change.tokenHash,
    change.accountId,
    change.kind,
    change.email,
    change.sessionId,
    change.createdAt,
    change.expiresAt,
  );
}

/** @returns the newest address waiting for confirmation. */
export async function findPendingEmail(db: Snapshot, accountId: string, now: Millis): Promise<string | null> {
  const row = await db.get(
    `SELECT email FROM email_changes WHERE account_id = ? AND kind = 'confirm' AND expires_at > ?
     ORDER BY created_at DESC LIMIT 1`,
    accountId,
    now,
  );
  return row?.email ?? null;
}

/** Consumes the link, so that only one of several concurrent calls succeeds. @returns undefined unless it is valid. */
export async function takeEmailChange(
  db: Writer,
  tokenHash: string,
  kind: EmailChange["kind"],
  now: Millis,
): Promise<EmailChange | undefined> {
  const row = await db.get(
    `DELETE FROM email_changes WHERE token_hash = ? AND kind = ? AND expires_at > ? RETURNING ${COLUMNS}`,
    tokenHash,
    kind,
    now,
  );
  return row && fromRow(row);
}

export async function deleteEmailChanges(db: Writer, accountId: string, kind: EmailChange["kind"]): Promise<void> {
  await db.run("DELETE FROM email_changes WHERE account_id = ? AND kind = ?", accountId, kind);
}

function fromRow(row: Row<`SELECT ${typeof COLUMNS} FROM email_changes`>): EmailChange {
  return {
    ...toCamelCase(row),
    // Written by `insertEmailChange`.
    kind: row.kind as EmailChange["kind"],
  };
}
