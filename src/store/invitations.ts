/** Links that work once: for the first owner, for those who are invited, and for those who lost their password. */
import type { Millis } from "../domain/article.ts";
import type { Reader, Writer } from "./store.ts";

export type LinkPurpose = "set-up" | "invitation" | "reset";

export interface OneTimeLink {
  /** SHA-256 of its token, hexadecimal. */
  tokenHash: string;
  purpose: LinkPurpose;
  /** null: there is no account yet. */
  accountId: string | null;
  createdAt: Millis;
  expiresAt: Millis;
}

interface LinkRow {
  token_hash: string;
  purpose: LinkPurpose;
  account_id: string | null;
  created_at: number;
  expires_at: number;
}

const COLUMNS = "token_hash, purpose, account_id, created_at, expires_at";

export async function insertLink(db: Writer, link: OneTimeLink): Promise<void> {
  await db.run(
    `INSERT INTO one_time_links (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`,
    link.tokenHash,
    link.purpose,
    link.accountId,
    link.createdAt,
    link.expiresAt,
  );
}

export async function findLink(db: Reader, tokenHash: string, now: Millis): Promise<OneTimeLink | undefined> {
  const row = await db.get<LinkRow>(
    `SELECT ${COLUMNS} FROM one_time_links WHERE token_hash = ? AND expires_at > ?`,
    tokenHash,
    now,
  );
  return row && fromRow(row);
}

/** Uses it up: of several who try at once, one gets it. @returns undefined when there is none that is good. */
export async function takeLink(db: Writer, tokenHash: string, now: Millis): Promise<OneTimeLink | undefined> {
  const row = await db.get<LinkRow>(
    `DELETE FROM one_time_links WHERE token_hash = ? AND expires_at > ? RETURNING ${COLUMNS}`,
    tokenHash,
    now,
  );
  return row && fromRow(row);
}

/** Those of the account; of null, those for the first owner. */
export async function deleteLinks(db: Writer, accountId: string | null): Promise<void> {
  if (accountId === null) await db.run("DELETE FROM one_time_links WHERE account_id IS NULL");
  else await db.run("DELETE FROM one_time_links WHERE account_id = ?", accountId);
}

/** Those that are over. */
export async function pruneLinks(db: Writer, now: Millis): Promise<void> {
  await db.run("DELETE FROM one_time_links WHERE expires_at <= ?", now);
}

function fromRow(row: LinkRow): OneTimeLink {
  return {
    tokenHash: row.token_hash,
    purpose: row.purpose,
    accountId: row.account_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
