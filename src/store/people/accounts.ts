import type { Account } from "../../domain/people/account.ts";
import type { Millis } from "../../domain/system/time.ts";
import { formatScope, parseScope, type WebsiteScope } from "../../domain/people/permissions.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS = "id, email, name, password_hash, trusted_for, created_at, disabled_at, last_sign_in_at";

type AccountRow = Row<`SELECT ${typeof COLUMNS} FROM accounts`>;
/** An arbitrary number that no other advisory lock has. */
const PEOPLE_LOCK = 5_273_747;

/** Locks accounts and memberships; call it before reading them: an owner is always left, and addresses are unique. */
export async function lockPeople(db: Writer): Promise<void> {
  if (db.engine === "postgres") await db.get("SELECT pg_advisory_xact_lock(CAST(? AS BIGINT))", PEOPLE_LOCK);
}

export async function insertAccount(db: Writer, account: Account): Promise<void> {
  await db.run(
    `INSERT INTO accounts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    account.id,
    account.email,
    account.name,
    account.passwordHash,
    formatScope(account.trustedFor),
    account.createdAt,
    account.disabledAt,
    account.lastSignInAt,
  );
}

export async function findAccount(db: Snapshot, id: string): Promise<Account | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM accounts WHERE id = ?`, id);
  return row && fromRow(row);
}

export async function findAccountByEmail(db: Snapshot, email: string): Promise<Account | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM accounts WHERE email = ?`, email);
  return row && fromRow(row);
}

export async function listEmails(db: Snapshot): Promise<Map<string, string>> {
  return new Map((await db.all("SELECT id, email FROM accounts")).map(({ id, email }) => [id, email]));
}

export async function hasAccounts(db: Snapshot): Promise<boolean> {
  return (await db.get("SELECT 1 FROM accounts LIMIT 1")) !== undefined;
}

export async function setPasswordHash(db: Writer, id: string, hash: string): Promise<void> {
  await db.run("UPDATE accounts SET password_hash = ? WHERE id = ?", hash, id);
}

export async function setTrustedFor(db: Writer, id: string, scope: WebsiteScope): Promise<void> {
  await db.run("UPDATE accounts SET trusted_for = ? WHERE id = ?", formatScope(scope), id);
}

/** Saves the same password hashed with newer parameters, unless it was changed meanwhile. */
export async function renewPasswordHash(db: Writer, id: string, earlier: string, hash: string): Promise<void> {
  await db.run("UPDATE accounts SET password_hash = ? WHERE id = ? AND password_hash = ?", hash, id, earlier);
}

export async function setEmail(db: Writer, id: string, email: string): Promise<void> {
  await db.run("UPDATE accounts SET email = ? WHERE id = ?", email, id);
}

export async function setName(db: Writer, id: string, name: string): Promise<void> {
  await db.run("UPDATE accounts SET name = ? WHERE id = ?", name, id);
}

export async function setDisabled(db: Writer, id: string, disabledAt: Millis | null): Promise<void> {
  await db.run("UPDATE accounts SET disabled_at = ? WHERE id = ?", disabledAt, id);
}

/** @returns false when the account was disabled or its password changed meanwhile. */
export async function recordSignIn(
  db: Writer,
  account: Pick<Account, "id" | "passwordHash">,
  now: Millis,
): Promise<boolean> {
  const changed = await db.run(
    "UPDATE accounts SET last_sign_in_at = ? WHERE id = ? AND disabled_at IS NULL AND password_hash = ?",
    now,
    account.id,
    account.passwordHash,
  );
  return changed === 1;
}

/** Deletes everything other than the password that can open the account. */
export async function deleteFactors(db: Writer, id: string): Promise<void> {
  for (const table of FACTORS) await db.run(`DELETE FROM ${table} WHERE account_id = ?`, id);
}

/** Deletes the account with everything it owns; its actions stay in the audit log. */
export async function deleteAccount(db: Writer, id: string): Promise<void> {
  // A concurrent sign-in or addition either commits first and is deleted as well, or finds the account gone.
  if (db.engine === "postgres") await db.get("SELECT 1 FROM accounts WHERE id = ? FOR UPDATE", id);
  for (const table of OWNED) await db.run(`DELETE FROM ${table} WHERE account_id = ?`, id);
  await db.run("DELETE FROM accounts WHERE id = ?", id);
}

const FACTORS = ["totp", "recovery_codes", "passkeys", "challenges", "devices"] as const;
const OWNED = [
  "memberships",
  "sessions",
  "one_time_links",
  "notifications",
  "notification_settings",
  "email_changes",
  "working_copies",
  "presence",
  ...FACTORS,
] as const;

function fromRow(row: AccountRow): Account {
  return {
    ...toCamelCase(row),
    trustedFor: parseScope(row.trusted_for),
  };
}
