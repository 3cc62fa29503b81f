import type { Millis } from "../../domain/system/time.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface Passkey {
  /** The credential's id, base64url. */
  id: string;
  accountId: string;
  /** COSE, base64url. */
  publicKey: string;
  /** The signature count that the authenticator reports; many always report 0. */
  counter: number;
  transports: string[];
  name: string;
  createdAt: Millis;
  lastUsedAt: Millis | null;
}

const COLUMNS = "id, account_id, public_key, counter, transports, name, created_at, last_used_at";

type PasskeyRow = Row<`SELECT ${typeof COLUMNS} FROM passkeys`>;

/** @returns false when a passkey with that id exists already. */
export async function insertPasskey(db: Writer, passkey: Passkey): Promise<boolean> {
  const inserted = await db.run(
    `INSERT INTO passkeys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    passkey.id,
    passkey.accountId,
    passkey.publicKey,
    passkey.counter,
    JSON.stringify(passkey.transports),
    passkey.name,
    passkey.createdAt,
    passkey.lastUsedAt,
  );
  return inserted === 1;
}

export async function findPasskey(db: Snapshot, id: string): Promise<Passkey | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM passkeys WHERE id = ?`, id);
  return row && fromRow(row);
}

export async function listPasskeys(db: Snapshot, accountId: string): Promise<Passkey[]> {
  const rows = await db.all(`SELECT ${COLUMNS} FROM passkeys WHERE account_id = ? ORDER BY created_at, id`, accountId);
  return rows.map(fromRow);
}

/** @returns false when the passkey is gone, or its counter was changed meanwhile. */
export async function recordPasskeyUse(
  db: Writer,
  { id, counter }: Pick<Passkey, "id" | "counter">,
  newCounter: number,
  now: Millis,
): Promise<boolean> {
  const changed = await db.run(
    "UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ? AND counter = ?",
    newCounter,
    now,
    id,
    counter,
  );
  return changed === 1;
}

export async function deletePasskey(db: Writer, accountId: string, id: string): Promise<boolean> {
  return (await db.run("DELETE FROM passkeys WHERE id = ? AND account_id = ?", id, accountId)) > 0;
}

/** `hash`: SHA-256 of the challenge; `accountId` null: for a sign-in whose account is not known yet. */
export async function insertChallenge(
  db: Writer,
  challenge: { hash: string; accountId: string | null; expiresAt: Millis },
): Promise<void> {
  await db.run(
    "INSERT INTO challenges (hash, account_id, expires_at) VALUES (?, ?, ?)",
    challenge.hash,
    challenge.accountId,
    challenge.expiresAt,
  );
}

/** Consumes the challenge. @returns whether it was valid, and for that person. */
export async function takeChallenge(db: Writer, hash: string, accountId: string | null, now: Millis): Promise<boolean> {
  const row = await db.get("DELETE FROM challenges WHERE hash = ? RETURNING account_id, expires_at", hash);
  return row !== undefined && row.account_id === accountId && row.expires_at > now;
}

function fromRow(row: PasskeyRow): Passkey {
  return {
    ...toCamelCase(row),
    // Written by `insertPasskey`.
    transports: JSON.parse(row.transports) as string[],
  };
}
