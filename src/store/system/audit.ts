import type { AuditEntry } from "../../domain/system/audit.ts";
import type { Millis } from "../../domain/system/time.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import { placeholders } from "./sql-batch.ts";
import type { Row } from "../row.ts";
import type { Snapshot, Value, Writer } from "../store.ts";

/** An entry with the name and the e-mail address of the person, or the name of the guest, access token or sender. */
export interface ShownAuditEntry extends AuditEntry {
  actorName: string | null;
  actorEmail: string | null;
}

const COLUMNS = "id, at, website_id, actor, action, target_kind, target_id, detail, address";

type AuditRow = Row<`SELECT ${typeof COLUMNS} FROM audit_log`>;

const INSERT = `INSERT INTO audit_log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export async function insertAuditEntry(db: Writer, entry: AuditEntry): Promise<void> {
  await db.run(INSERT, ...toValues(entry));
}

/** Adds the entry, or replaces its detail while work of several transactions goes on. */
export async function putAuditEntry(db: Writer, entry: AuditEntry): Promise<void> {
  await db.run(`${INSERT} ON CONFLICT (id) DO UPDATE SET detail = excluded.detail`, ...toValues(entry));
}

function toValues(entry: AuditEntry): Value[] {
  return [
    entry.id,
    entry.at,
    entry.websiteId,
    entry.actor,
    entry.action,
    entry.targetKind,
    entry.targetId,
    JSON.stringify(entry.detail),
    entry.address,
  ];
}

/** Who did something; `name` null: no account, access token or sender, or it no longer exists. */
export interface Person {
  id: string;
  /** The e-mail address if the account has no name. */
  name: string | null;
}

/** A column: the name of the account, guest, access token or sender in the column `actor` of the same row. */
export const PERSON_OF = `COALESCE(
  (SELECT COALESCE(NULLIF(name, ''), email) FROM accounts WHERE accounts.id = actor),
  (SELECT guest FROM review_links WHERE review_links.id = actor),
  (SELECT name FROM access_tokens WHERE access_tokens.id = actor),
  (SELECT name FROM senders WHERE senders.id = actor))`;

export async function findPerson(db: Snapshot, id: string): Promise<Person> {
  const account = await db.get("SELECT COALESCE(NULLIF(name, ''), email) AS name FROM accounts WHERE id = ?", id);
  const found =
    account ??
    (await db.get("SELECT name FROM access_tokens WHERE id = ?", id)) ??
    (await db.get("SELECT name FROM senders WHERE id = ?", id));
  return { id, name: found?.name ?? null };
}

export interface AuditCursor {
  at: Millis;
  id: string;
}

export interface AuditFilter {
  /** null: entries of all websites, and of none. */
  websiteId: string | null;
  /** null: all actions. */
  actions: readonly AuditEntry["action"][] | null;
}

export async function listAuditEntries(
  db: Snapshot,
  { websiteId, actions }: AuditFilter,
  after: AuditCursor | null,
  limit: number,
): Promise<ShownAuditEntry[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
  const select = `SELECT ${COLUMNS}, (SELECT email FROM accounts WHERE accounts.id = actor) AS actor_email,
    COALESCE((SELECT NULLIF(name, '') FROM accounts WHERE accounts.id = actor),
    (SELECT guest FROM review_links WHERE review_links.id = actor),
    (SELECT name FROM access_tokens WHERE access_tokens.id = actor),
    (SELECT name FROM senders WHERE senders.id = actor)) AS actor_name FROM audit_log`;
  const order = "ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)";
  const conditions = [
    ...(websiteId === null ? [] : ["website_id = ?"]),
    "(at, id) < (?, ?)",
    ...(actions === null ? [] : [`action IN (${placeholders(actions)})`]),
  ].join(" AND ");
  const values = [...(websiteId === null ? [] : [websiteId]), at, id, ...(actions ?? []), limit];
  return (await db.all(`${select} WHERE ${conditions} ${order}`, ...values)).map(fromRow);
}

export interface TargetEntry extends AuditEntry {
  person: Person;
}

export async function listTargetEntries(
  db: Snapshot,
  targetId: string,
  after: AuditCursor,
  limit: number,
): Promise<TargetEntry[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS}, ${PERSON_OF} AS person FROM audit_log
     WHERE target_id = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT CAST(? AS BIGINT)`,
    targetId,
    after.at,
    after.id,
    limit,
  );
  return rows.map(targetEntry);
}

export async function findLastEntry(
  db: Snapshot,
  targetId: string,
  actions: readonly AuditEntry["action"][],
): Promise<TargetEntry | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS}, ${PERSON_OF} AS person FROM audit_log
     WHERE target_id = ? AND action IN (${placeholders(actions)}) ORDER BY at DESC, id DESC LIMIT 1`,
    targetId,
    ...actions,
  );
  return row && targetEntry(row);
}

export async function findLastEntryOf(
  db: Snapshot,
  targetId: string,
  actions: readonly AuditEntry["action"][],
  actor: string,
): Promise<TargetEntry | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS}, ${PERSON_OF} AS person FROM audit_log
     WHERE target_id = ? AND actor = ? AND action IN (${placeholders(actions)}) ORDER BY at DESC, id DESC LIMIT 1`,
    targetId,
    actor,
    ...actions,
  );
  return row && targetEntry(row);
}

export async function findFirstEntry(
  db: Snapshot,
  targetId: string,
  action: AuditEntry["action"],
): Promise<AuditEntry | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM audit_log WHERE target_id = ? AND action = ? ORDER BY at, id LIMIT 1`,
    targetId,
    action,
  );
  return row && toEntry(row);
}

export async function hasEntry(
  db: Snapshot,
  targetId: string,
  { action, detail, since }: Pick<AuditEntry, "action" | "detail"> & { since: Millis },
): Promise<boolean> {
  const row = await db.get(
    "SELECT 1 AS found FROM audit_log WHERE target_id = ? AND at > ? AND action = ? AND detail = ? LIMIT 1",
    targetId,
    since,
    action,
    JSON.stringify(detail),
  );
  return row !== undefined;
}

/** Entries about the website after the cursor and up to `before`, oldest first. `except`: an actor. */
export async function listEntriesAfter(
  db: Snapshot,
  given: {
    websiteId: string;
    actions: readonly AuditEntry["action"][];
    except: string;
    after: AuditCursor;
    before: Millis;
    limit: number;
  },
): Promise<TargetEntry[]> {
  const { websiteId, actions, except, after, before, limit } = given;
  const rows = await db.all(
    `SELECT ${COLUMNS}, ${PERSON_OF} AS person FROM audit_log
     WHERE website_id = ? AND (at, id) > (?, ?) AND at <= ? AND actor <> ? AND action IN (${placeholders(actions)})
     ORDER BY at, id LIMIT CAST(? AS BIGINT)`,
    websiteId,
    after.at,
    after.id,
    before,
    except,
    ...actions,
    limit,
  );
  return rows.map(targetEntry);
}

function targetEntry(row: AuditRow & { person: string | null }): TargetEntry {
  return { ...toEntry(row), person: { id: row.actor, name: row.person } };
}

function fromRow(row: AuditRow & { actor_name: string | null; actor_email: string | null }): ShownAuditEntry {
  return { ...toEntry(row), actorName: row.actor_name, actorEmail: row.actor_email };
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    ...toCamelCase(row),
    // Written by `insertAuditEntry`.
    detail: JSON.parse(row.detail) as AuditEntry["detail"],
  };
}

/** Addresses invited by the actor, or to the website, since then, each as often as it was; not by commands. */
export async function listInvitations(
  db: Snapshot,
  { since, limit, ...by }: { since: Millis; limit: number } & ({ actor: string } | { websiteId: string }),
): Promise<string[]> {
  const rows = await ("actor" in by
    ? db.all(
        `SELECT detail FROM audit_log WHERE actor = ? AND at > ? AND action = 'member.invited'
         LIMIT CAST(? AS BIGINT)`,
        by.actor,
        since,
        limit,
      )
    : db.all(
        `SELECT detail FROM audit_log WHERE website_id = ? AND actor <> 'cli' AND at > ? AND action = 'member.invited'
         LIMIT CAST(? AS BIGINT)`,
        by.websiteId,
        since,
        limit,
      ));
  // Written by `recordAudit`, with the address.
  return rows.map(({ detail }) => (JSON.parse(detail) as { email: string }).email);
}
