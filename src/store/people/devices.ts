import type { Millis } from "../../domain/system/time.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface Device {
  id: string;
  accountId: string;
  /** SHA-256 of its cookie's token, hexadecimal. */
  tokenHash: string;
  createdAt: Millis;
  lastUsedAt: Millis;
}

export async function insertDevice(db: Writer, device: Device): Promise<void> {
  await db.run(
    "INSERT INTO devices (id, account_id, token_hash, created_at, last_used_at) VALUES (?, ?, ?, ?, ?)",
    device.id,
    device.accountId,
    device.tokenHash,
    device.createdAt,
    device.lastUsedAt,
  );
}

export async function findDevice(
  db: Snapshot,
  accountId: string,
  tokenHash: string,
  since: Millis,
): Promise<string | undefined> {
  const row = await db.get(
    "SELECT id FROM devices WHERE token_hash = ? AND account_id = ? AND last_used_at > ?",
    tokenHash,
    accountId,
    since,
  );
  return row?.id;
}

export async function touchDevice(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run("UPDATE devices SET last_used_at = ? WHERE id = ?", now, id);
}

export async function deleteDevices(db: Writer, accountId: string, exceptId: string | null): Promise<void> {
  await db.run("DELETE FROM devices WHERE account_id = ? AND id <> ?", accountId, exceptId ?? "");
}

/** Deletes all but the account's `most` most recently used devices. */
export async function pruneDevices(db: Writer, accountId: string, most: number): Promise<void> {
  await db.run(
    `DELETE FROM devices WHERE account_id = ? AND id NOT IN (
       SELECT id FROM devices WHERE account_id = ? ORDER BY last_used_at DESC, id LIMIT CAST(? AS BIGINT))`,
    accountId,
    accountId,
    most,
  );
}
