import type { Millis } from "../../domain/system/time.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface Totp {
  accountId: string;
  /** The sealed secret, with the account's id as its context. */
  sealed: string;
  createdAt: Millis;
  /** null until one of its codes has been entered. */
  confirmedAt: Millis | null;
  /** The newest time step whose code was used. */
  lastStep: number;
}

const COLUMNS = "account_id, secret, created_at, confirmed_at, last_step";

type TotpRow = Row<`SELECT ${typeof COLUMNS} FROM totp`>;

export async function findTotp(db: Snapshot, accountId: string): Promise<Totp | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM totp WHERE account_id = ?`, accountId);
  return row && fromRow(row);
}

export async function listTotps(db: Snapshot): Promise<Totp[]> {
  const found = await db.all(`SELECT ${COLUMNS} FROM totp WHERE confirmed_at IS NOT NULL ORDER BY account_id`);
  return found.map(fromRow);
}

export async function anyTotp(db: Snapshot): Promise<Totp | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM totp WHERE confirmed_at IS NOT NULL LIMIT 1`);
  return row && fromRow(row);
}

/** Stores a new authenticator, in place of an unconfirmed one. @returns false when one is confirmed already. */
export async function beginTotp(db: Writer, accountId: string, sealed: string, now: Millis): Promise<boolean> {
  const changed = await db.run(
    `INSERT INTO totp (account_id, secret, created_at, confirmed_at, last_step) VALUES (?, ?, ?, NULL, 0)
     ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
       WHERE totp.confirmed_at IS NULL`,
    accountId,
    sealed,
    now,
  );
  return changed === 1;
}

/** @returns false when the authenticator was replaced meanwhile, or is confirmed already. */
export async function confirmTotp(
  db: Writer,
  { accountId, sealed }: Pick<Totp, "accountId" | "sealed">,
  step: number,
  now: Millis,
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE totp SET confirmed_at = ?, last_step = ?
     WHERE account_id = ? AND secret = ? AND confirmed_at IS NULL`,
    now,
    step,
    accountId,
    sealed,
  );
  return changed === 1;
}

/** Consumes the code of a time step. @returns false when it, or a later one, was used before. */
export async function takeTotpStep(db: Writer, { accountId, sealed }: Totp, step: number): Promise<boolean> {
  const changed = await db.run(
    "UPDATE totp SET last_step = ? WHERE account_id = ? AND secret = ? AND last_step < ?",
    step,
    accountId,
    sealed,
    step,
  );
  return changed === 1;
}

/** Deletes the authenticator and the recovery codes. @returns whether there was an authenticator. */
export async function deleteTotp(db: Writer, accountId: string): Promise<boolean> {
  await db.run("DELETE FROM recovery_codes WHERE account_id = ?", accountId);
  return (await db.run("DELETE FROM totp WHERE account_id = ?", accountId)) > 0;
}

/** Replaces all earlier codes. `hashes`: SHA-256, hexadecimal. */
export async function replaceRecoveryCodes(db: Writer, accountId: string, hashes: readonly string[]): Promise<void> {
  await db.run("DELETE FROM recovery_codes WHERE account_id = ?", accountId);
  for (const hash of hashes) {
    await db.run("INSERT INTO recovery_codes (account_id, code_hash) VALUES (?, ?)", accountId, hash);
  }
}

/** Consumes a recovery code. @returns whether there was such a code. */
export async function takeRecoveryCode(db: Writer, accountId: string, hash: string): Promise<boolean> {
  return (await db.run("DELETE FROM recovery_codes WHERE account_id = ? AND code_hash = ?", accountId, hash)) > 0;
}

export async function countRecoveryCodes(db: Snapshot, accountId: string): Promise<number> {
  const row = await db.get("SELECT COUNT(*) AS n FROM recovery_codes WHERE account_id = ?", accountId);
  return row?.n ?? 0;
}

function fromRow(row: TotpRow): Totp {
  const { secret: sealed, ...rest } = row;
  return { ...toCamelCase(rest), sealed };
}
