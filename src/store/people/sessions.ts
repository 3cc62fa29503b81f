import type { Millis } from "../../domain/system/time.ts";
import type { Session } from "../../domain/people/account.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS =
  "id, account_id, token_hash, created_at, last_seen_at, confirmed_at, address, user_agent, second_factor";

type SessionRow = Row<`SELECT ${typeof COLUMNS} FROM sessions`>;

export async function insertSession(db: Writer, session: Session): Promise<void> {
  await db.run(
    `INSERT INTO sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.id,
    session.accountId,
    session.tokenHash,
    session.createdAt,
    session.lastSeenAt,
    session.confirmedAt,
    session.address,
    session.userAgent,
    session.hasSecondFactor ? 1 : 0,
  );
}

export async function findSessionByHash(db: Snapshot, hash: string): Promise<Session | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM sessions WHERE token_hash = ?`, hash);
  return row && fromRow(row);
}

export async function hasSession(db: Snapshot, id: string): Promise<boolean> {
  return (await db.get("SELECT 1 FROM sessions WHERE id = ?", id)) !== undefined;
}

export async function listSessions(db: Snapshot, accountId: string): Promise<Session[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM sessions WHERE account_id = ? ORDER BY last_seen_at DESC, id DESC`,
    accountId,
  );
  return rows.map(fromRow);
}

export async function touchSession(db: Writer, id: string, seenAt: Millis): Promise<void> {
  await db.run("UPDATE sessions SET last_seen_at = ? WHERE id = ? AND last_seen_at < ?", seenAt, id, seenAt);
}

/** Records that the session has proved a second factor. */
export async function markSecondFactor(db: Writer, id: string): Promise<void> {
  await db.run("UPDATE sessions SET second_factor = 1 WHERE id = ?", id);
}

/** For a person who has no second factor any more: none of their sessions counts as having proved one. */
export async function unmarkSecondFactors(db: Writer, accountId: string): Promise<void> {
  await db.run("UPDATE sessions SET second_factor = 0 WHERE account_id = ? AND second_factor = 1", accountId);
}

export async function confirmSession(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run("UPDATE sessions SET confirmed_at = ? WHERE id = ?", now, id);
}

export async function replaceToken(db: Writer, id: string, tokenHash: string): Promise<void> {
  await db.run("UPDATE sessions SET token_hash = ? WHERE id = ?", tokenHash, id);
}

export async function deleteSession(db: Writer, accountId: string, id: string): Promise<boolean> {
  return (await db.run("DELETE FROM sessions WHERE id = ? AND account_id = ?", id, accountId)) > 0;
}

export function deleteSessions(db: Writer, accountId: string, exceptId: string | null): Promise<number> {
  return db.run("DELETE FROM sessions WHERE account_id = ? AND id <> ?", accountId, exceptId ?? "");
}

/** After a restore: sessions, links and tokens that were ended or used since the backup would be valid again. */
export async function forgetSignIns(db: Writer): Promise<void> {
  for (const table of ["sessions", "one_time_links", "challenges", "preview_tokens", "email_changes"]) {
    await db.run(`DELETE FROM ${table}`);
  }
  // Guests who have made a decision are still named.
  await db.run("UPDATE review_links SET expires_at = 0");
}

function fromRow(row: SessionRow): Session {
  const { second_factor, ...rest } = row;
  return { ...toCamelCase(rest), hasSecondFactor: second_factor === 1 };
}
