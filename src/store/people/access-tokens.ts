import type { AccessToken } from "../../domain/people/access-token.ts";
import type { Millis } from "../../domain/system/time.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS = `id, website_id, name, hash, prefix, last_four, scope, created_at, expires_at, last_used_at, revoked_at`;

export async function insertToken(db: Writer, token: AccessToken): Promise<void> {
  await db.run(
    `INSERT INTO access_tokens (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.websiteId,
    token.name,
    token.hash,
    token.prefix,
    token.lastFour,
    token.scope,
    token.createdAt,
    token.expiresAt,
    token.lastUsedAt,
    token.revokedAt,
  );
  db.markWebsiteChanged(token.websiteId);
}

export async function findTokenAnywhere(db: Snapshot, id: string): Promise<AccessToken | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM access_tokens WHERE id = ?`, id);
  return row && toCamelCase(row);
}

export async function findTokenByHash(db: Snapshot, hash: string): Promise<AccessToken | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM access_tokens WHERE hash = ?`, hash);
  return row && toCamelCase(row);
}

export async function listTokens(db: Snapshot, websiteId: string): Promise<AccessToken[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM access_tokens WHERE website_id = ? ORDER BY created_at, id`,
    websiteId,
  );
  return rows.map(toCamelCase);
}

/** @returns false when the token was already revoked or does not exist. */
export async function revokeToken(db: Writer, id: string, now: Millis): Promise<boolean> {
  const row = await db.get(
    "UPDATE access_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING website_id",
    now,
    id,
  );
  if (row !== undefined) db.markWebsiteChanged(row.website_id);
  return row !== undefined;
}

/** Revokes all tokens of the website. */
export async function revokeTokens(db: Writer, websiteId: string, now: Millis): Promise<void> {
  await db.run("UPDATE access_tokens SET revoked_at = ? WHERE website_id = ? AND revoked_at IS NULL", now, websiteId);
}

/** Tokens that expire between `now` and `until`, of which owners were not told. */
export async function listExpiring(db: Snapshot, now: Millis, until: Millis): Promise<AccessToken[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM access_tokens
     WHERE expires_at > ? AND expires_at <= ? AND revoked_at IS NULL AND warned_at IS NULL ORDER BY id`,
    now,
    until,
  );
  return rows.map(toCamelCase);
}

/** @returns false when the owners were told already, or the token was revoked. */
export async function markWarned(db: Writer, id: string, now: Millis): Promise<boolean> {
  const marked = await db.run(
    "UPDATE access_tokens SET warned_at = ? WHERE id = ? AND warned_at IS NULL AND revoked_at IS NULL",
    now,
    id,
  );
  return marked > 0;
}

export async function touchToken(db: Writer, id: string, usedAt: Millis): Promise<void> {
  await db.run(
    "UPDATE access_tokens SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
    usedAt,
    id,
    usedAt,
  );
}
