/** Links that work once: to set up the first owner, to accept an invitation, and to reset a lost password. */
import type { Millis } from "../../domain/system/time.ts";
import type { LinkPurpose } from "../../domain/people/one-time-token.ts";
import { formatScope, parseScope, type WebsiteScope } from "../../domain/people/permissions.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface OneTimeLink {
  /** SHA-256 of its token, hexadecimal. */
  tokenHash: string;
  purpose: LinkPurpose;
  /** null: there is no account yet. */
  accountId: string | null;
  /** The websites to which everybody who sees the link may give access. */
  scope: WebsiteScope;
  /** The membership for which it was made; null: for the whole account. */
  membershipId: string | null;
  /** The account to which it was shown; null: it was sent by email, or an operator made it. */
  shownTo: string | null;
  /** Ids of the passkeys and authenticators (`factorIds`) that are kept when it is used; null: all. */
  keptFactors: readonly string[] | null;
  createdAt: Millis;
  expiresAt: Millis;
}

const COLUMNS = "token_hash, purpose, account_id, scope, membership_id, shown_to, kept_factors, created_at, expires_at";

type LinkRow = Row<`SELECT ${typeof COLUMNS} FROM one_time_links`>;

export async function insertLink(db: Writer, link: OneTimeLink): Promise<void> {
  await db.run(
    `INSERT INTO one_time_links (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    link.tokenHash,
    link.purpose,
    link.accountId,
    formatScope(link.scope),
    link.membershipId,
    link.shownTo,
    link.keptFactors === null ? null : JSON.stringify(link.keptFactors),
    link.createdAt,
    link.expiresAt,
  );
}

export async function findLink(db: Snapshot, tokenHash: string, now: Millis): Promise<OneTimeLink | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM one_time_links WHERE token_hash = ? AND expires_at > ?`,
    tokenHash,
    now,
  );
  return row && fromRow(row);
}

/** Consumes the link: of several concurrent calls, one gets it. @returns undefined when there is no valid one. */
export async function takeLink(db: Writer, tokenHash: string, now: Millis): Promise<OneTimeLink | undefined> {
  const row = await db.get(
    `DELETE FROM one_time_links WHERE token_hash = ? AND expires_at > ? RETURNING ${COLUMNS}`,
    tokenHash,
    now,
  );
  return row && fromRow(row);
}

/** Deletes the links of the account, or with null those for the first owner. */
export async function deleteLinks(db: Writer, accountId: string | null): Promise<void> {
  if (accountId === null) await db.run("DELETE FROM one_time_links WHERE account_id IS NULL");
  else await db.run("DELETE FROM one_time_links WHERE account_id = ?", accountId);
}

/** Deletes the account's password links; with `maxLifetimeMs` only those that were made for no longer. */
export async function deleteResetLinks(
  db: Writer,
  accountId: string,
  maxLifetimeMs = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await db.run(
    "DELETE FROM one_time_links WHERE account_id = ? AND purpose = 'reset' AND expires_at - created_at <= CAST(? AS BIGINT)",
    accountId,
    maxLifetimeMs,
  );
}

export async function listOneTimeLinks(db: Snapshot, accountId: string): Promise<OneTimeLink[]> {
  const rows = await db.all(`SELECT ${COLUMNS} FROM one_time_links WHERE account_id = ?`, accountId);
  return rows.map(fromRow);
}

export async function deleteLink(db: Writer, tokenHash: string): Promise<void> {
  await db.run("DELETE FROM one_time_links WHERE token_hash = ?", tokenHash);
}

export async function deleteLinksFor(db: Writer, { accountId, id }: { accountId: string; id: string }): Promise<void> {
  await db.run("DELETE FROM one_time_links WHERE account_id = ? AND membership_id = ?", accountId, id);
}

function fromRow(row: LinkRow): OneTimeLink {
  return {
    ...toCamelCase(row),
    scope: parseScope(row.scope),
    // Written by `insertLink`.
    keptFactors: row.kept_factors === null ? null : (JSON.parse(row.kept_factors) as string[]),
  };
}
