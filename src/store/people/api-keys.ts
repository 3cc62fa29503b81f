import type { Millis } from "../../domain/system/time.ts";
import type { ApiKey } from "../../domain/people/api-key.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS = `id, website_id, name, hash, prefix, last_four, scope, rate_limit,
  created_at, expires_at, last_used_at, revoked_at`;

export async function insertKey(db: Writer, key: ApiKey): Promise<void> {
  await db.run(
    `INSERT INTO api_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    key.websiteId,
    key.name,
    key.hash,
    key.prefix,
    key.lastFour,
    key.scope,
    key.rateLimit,
    key.createdAt,
    key.expiresAt,
    key.lastUsedAt,
    key.revokedAt,
  );
}

export async function findKeyAnywhere(db: Snapshot, id: string): Promise<ApiKey | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`, id);
  return row && toCamelCase(row);
}

export async function findKeyByHash(db: Snapshot, hash: string): Promise<ApiKey | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ?`, hash);
  return row && toCamelCase(row);
}

export async function listKeys(db: Snapshot, websiteId: string): Promise<ApiKey[]> {
  const rows = await db.all(`SELECT ${COLUMNS} FROM api_keys WHERE website_id = ? ORDER BY created_at, id`, websiteId);
  return rows.map(toCamelCase);
}

/** @returns false when the key was already revoked or does not exist. */
export async function revokeKey(db: Writer, id: string, now: Millis): Promise<boolean> {
  const row = await db.get(
    "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING website_id",
    now,
    id,
  );
  if (row !== undefined) db.markWebsiteChanged(row.website_id);
  return row !== undefined;
}

export async function revokeKeys(db: Writer, websiteId: string, now: Millis): Promise<void> {
  await db.run("UPDATE api_keys SET revoked_at = ? WHERE website_id = ? AND revoked_at IS NULL", now, websiteId);
  db.markWebsiteChanged(websiteId);
}

export async function touchKey(db: Writer, id: string, usedAt: Millis): Promise<void> {
  await db.run(
    "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
    usedAt,
    id,
    usedAt,
  );
}
