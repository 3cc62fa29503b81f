import type { Millis } from "../../domain/system/time.ts";
import type { SigningKey } from "../../domain/system/signing-key.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface SealedKey {
  id: string;
  /** Null: lost, or destroyed. */
  sealed: string | null;
}

/** Oldest first. */
export async function listSigningKeys(db: Snapshot): Promise<SigningKey[]> {
  const rows = await db.all(
    "SELECT id, public_key, created_at, retired_at, revoked_at FROM signing_keys ORDER BY created_at, id",
  );
  return rows.map((row) => ({
    id: row.id,
    publicKey: row.public_key,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
    revokedAt: row.revoked_at,
  }));
}

/** The key that signs; undefined if there is none. */
export async function findCurrentKey(db: Snapshot): Promise<SealedKey | undefined> {
  return db.get(
    `SELECT id, private_key AS sealed FROM signing_keys WHERE retired_at IS NULL AND private_key IS NOT NULL
     ORDER BY created_at DESC, id DESC LIMIT 1`,
  );
}

export async function insertSigningKey(
  db: Writer,
  { id, publicKey, createdAt }: SigningKey,
  sealed: string,
): Promise<void> {
  await db.run(
    "INSERT INTO signing_keys (id, public_key, private_key, created_at, retired_at, revoked_at) VALUES (?, ?, ?, ?, NULL, NULL)",
    id,
    publicKey,
    sealed,
    createdAt,
  );
}

/** Retires the keys that still sign, and destroys their private keys, which nothing needs any more. */
export async function retireSigningKeys(db: Writer, at: Millis): Promise<void> {
  await db.run("UPDATE signing_keys SET retired_at = ?, private_key = NULL WHERE retired_at IS NULL", at);
}

/** Destroys its private key, too. @returns false if there is no such key. */
export async function revokeSigningKey(db: Writer, id: string, since: Millis, now: Millis): Promise<boolean> {
  const changed = await db.run(
    `UPDATE signing_keys SET revoked_at = ?, retired_at = COALESCE(retired_at, CAST(? AS BIGINT)), private_key = NULL
     WHERE id = ?`,
    since,
    now,
    id,
  );
  return changed === 1;
}

/** The name of a setting. */
export const PSEUDONYM_KEY = "pseudonym_key";

/** The key from which pseudonyms of reviewers derive, sealed with its name as context. */
export async function findPseudonymKey(db: Snapshot): Promise<SealedKey | undefined> {
  return db.get("SELECT name AS id, value AS sealed FROM settings WHERE name = ?", PSEUDONYM_KEY);
}

/** Has no effect if there is one. */
export async function insertPseudonymKey(db: Writer, toSealed: (context: string) => string): Promise<void> {
  await db.run(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
    PSEUDONYM_KEY,
    toSealed(PSEUDONYM_KEY),
  );
}

export async function deletePseudonymKey(db: Writer): Promise<void> {
  await db.run("DELETE FROM settings WHERE name = ?", PSEUDONYM_KEY);
}

/** All that is sealed here and in use. */
export async function listReviewSecrets(db: Snapshot): Promise<SealedKey[]> {
  const found = [await findCurrentKey(db), await findPseudonymKey(db)];
  return found.filter((one) => one !== undefined);
}
