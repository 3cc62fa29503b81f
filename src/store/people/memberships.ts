import type { AccountState, Membership } from "../../domain/people/account.ts";
import { getAccountState } from "../../domain/people/account.ts";
import { byName } from "../../domain/system/collation.ts";
import type { Millis } from "../../domain/system/time.ts";
import type { Role } from "../../domain/people/permissions.ts";
import { declareRow, type Row } from "../row.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS = "id, account_id, website_id, role, created_at, accepted_at";

type MembershipRow = Row<`SELECT ${typeof COLUMNS} FROM memberships`>;

export async function insertMembership(db: Writer, membership: Membership): Promise<void> {
  await db.run(
    `INSERT INTO memberships (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
    membership.id,
    membership.accountId,
    membership.websiteId,
    membership.role,
    membership.createdAt,
    membership.acceptedAt,
  );
}

export async function listMemberships(db: Snapshot, accountId: string): Promise<Membership[]> {
  return (await listAllMemberships(db, accountId)).filter(({ acceptedAt }) => acceptedAt !== null);
}

/** One person's memberships, including those not accepted yet. */
export async function listAllMemberships(db: Snapshot, accountId: string): Promise<Membership[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM memberships WHERE account_id = ? ORDER BY created_at, id`,
    accountId,
  );
  return rows.map(fromRow);
}

export async function acceptMembership(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run("UPDATE memberships SET accepted_at = ? WHERE id = ? AND accepted_at IS NULL", now, id);
}

export async function setRole(db: Writer, id: string, role: Role): Promise<void> {
  await db.run("UPDATE memberships SET role = ? WHERE id = ?", role, id);
}

export async function deleteMembership(db: Writer, id: string): Promise<void> {
  await db.run("DELETE FROM memberships WHERE id = ?", id);
}

/** How many people other than this one own every website and can sign in. */
export async function countOtherOwners(db: Snapshot, accountId: string): Promise<number> {
  const row = await db.get(
    `SELECT COUNT(*) AS n FROM memberships m JOIN accounts a ON a.id = m.account_id
     WHERE m.website_id IS NULL AND m.role = 'owner' AND m.accepted_at IS NOT NULL AND a.id <> ? AND a.disabled_at IS NULL
       AND a.password_hash IS NOT NULL`,
    accountId,
  );
  return row?.n ?? 0;
}

export interface Member extends Membership {
  email: string;
  name: string;
  state: AccountState;
  hasTotp: boolean;
  lastSignInAt: Millis | null;
}

const MEMBERS = `SELECT m.id, m.account_id, m.website_id, m.role, m.created_at, m.accepted_at, a.email, a.name, a.password_hash,
    a.disabled_at, a.last_sign_in_at,
    (SELECT COUNT(*) FROM totp t WHERE t.account_id = a.id AND t.confirmed_at IS NOT NULL) AS totp
  FROM memberships m JOIN accounts a ON a.id = m.account_id`;

type MemberRow = Row<typeof MEMBERS>;

/** Members of the website and of all websites; with null, all memberships. Oldest first. */
export async function listMembers(db: Snapshot, websiteId: string | null): Promise<Member[]> {
  const order = "ORDER BY m.created_at, m.id";
  const rows =
    websiteId === null
      ? await db.all(`${MEMBERS} ${order}`)
      : await db.all(`${MEMBERS} WHERE m.website_id = ? OR m.website_id IS NULL ${order}`, websiteId);
  return rows.map(memberFromRow);
}

/** Accounts that can sign in and may edit articles of the website, by name. */
export async function listEditors(db: Snapshot, websiteId: string): Promise<{ id: string; name: string }[]> {
  const rows = await db.all(
    declareRow<{ id: string; name: string }>(`SELECT DISTINCT a.id, COALESCE(NULLIF(a.name, ''), a.email) AS name
     FROM memberships m JOIN accounts a ON a.id = m.account_id
     WHERE m.role <> 'viewer' AND (m.website_id = ? OR m.website_id IS NULL) AND a.disabled_at IS NULL
       AND a.password_hash IS NOT NULL AND m.accepted_at IS NOT NULL
     ORDER BY name, a.id`),
    websiteId,
  );
  return rows.toSorted((one, other) => byName(one.name, other.name));
}

/** Accounts that can sign in and read articles of the website, ordered by name. */
export async function listReaders(db: Snapshot, websiteId: string): Promise<{ id: string; name: string }[]> {
  const rows = await db.all(
    declareRow<{ id: string; name: string }>(`SELECT DISTINCT a.id, COALESCE(NULLIF(a.name, ''), a.email) AS name
     FROM memberships m JOIN accounts a ON a.id = m.account_id
     WHERE (m.website_id = ? OR m.website_id IS NULL) AND a.disabled_at IS NULL AND a.password_hash IS NOT NULL
       AND m.accepted_at IS NOT NULL
     ORDER BY name, a.id`),
    websiteId,
  );
  return rows.toSorted((one, other) => byName(one.name, other.name));
}

export async function findMemberAnywhere(db: Snapshot, id: string): Promise<Member | undefined> {
  const row = await db.get(`${MEMBERS} WHERE m.id = ?`, id);
  return row && memberFromRow(row);
}

function memberFromRow(row: MemberRow): Member {
  return {
    ...fromRow(row),
    email: row.email,
    name: row.name,
    state: getMemberState(row),
    hasTotp: row.totp > 0,
    lastSignInAt: row.last_sign_in_at,
  };
}

/** A person with an active account may be invited to a further membership. */
function getMemberState({ accepted_at, password_hash, disabled_at }: MemberRow): AccountState {
  const state = getAccountState({ passwordHash: password_hash, disabledAt: disabled_at });
  return state === "active" && accepted_at === null ? "invited" : state;
}

function fromRow(row: MembershipRow): Membership {
  return {
    id: row.id,
    accountId: row.account_id,
    websiteId: row.website_id,
    role: row.role,
    createdAt: row.created_at,
    acceptedAt: row.accepted_at,
  };
}
