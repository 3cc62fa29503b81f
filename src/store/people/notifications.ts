import type { Millis } from "../../domain/system/time.ts";
import {
  kindsFor,
  type MailChoice,
  type NotificationDetail,
  type NotificationKind,
  type NotificationSettings,
} from "../../domain/people/notification.ts";
import { type Role, ROLES } from "../../domain/people/permissions.ts";
import { declareRow } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import { inBatches, placeholders, valuesList } from "../system/sql-batch.ts";
import { PERSON_OF } from "../system/audit.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface StoredNotification {
  id: string;
  accountId: string;
  websiteId: string;
  kind: NotificationKind;
  /** An article or a webhook; null for several. */
  targetId: string | null;
  /** Identical in all notifications of one event. */
  eventKey: string;
  /** An account's id, or a name as in the audit log. */
  actor: string;
  detail: NotificationDetail;
  total: number;
  at: Millis;
}

const COLUMNS = "id, account_id, website_id, kind, target_id, event_key, actor, detail, total, at, read_at, mail";

/** Inserts one a person and event. With `joins` it is added to an existing one, which becomes unread again. */
export async function putNotifications(
  db: Writer,
  all: readonly StoredNotification[],
  { joins }: { joins: boolean },
): Promise<void> {
  const onConflict = joins
    ? `DO UPDATE SET total = notifications.total + excluded.total, at = excluded.at, detail = excluded.detail,
         target_id = NULL, read_at = NULL, mail = 1`
    : "DO NOTHING";
  await inBatches(all, (batch) =>
    db.run(
      `INSERT INTO notifications (${COLUMNS})
       VALUES ${valuesList(batch, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 1)")}
       ON CONFLICT (account_id, event_key) ${onConflict}`,
      ...batch.flatMap((one) => [
        one.id,
        one.accountId,
        one.websiteId,
        one.kind,
        one.targetId,
        one.eventKey,
        one.actor,
        JSON.stringify(one.detail),
        one.total,
        one.at,
      ]),
    ),
  );
}

export async function listPeopleWith(db: Snapshot, websiteId: string, roles: readonly Role[]): Promise<string[]> {
  const rows = await db.all(
    declareRow<{ id: string }>(`SELECT DISTINCT a.id FROM memberships m JOIN accounts a ON a.id = m.account_id
     WHERE m.role IN (${placeholders(roles)}) AND (m.website_id = ? OR m.website_id IS NULL)
       AND m.accepted_at IS NOT NULL AND a.disabled_at IS NULL AND a.password_hash IS NOT NULL
     ORDER BY a.id`),
    ...roles,
    websiteId,
  );
  return rows.map(({ id }) => id);
}

/** Condition on `n`: whether the person still has access. Takes 1 if the person has used a second factor, else 0. */
const IS_VISIBLE = `EXISTS (
    SELECT 1 FROM websites w JOIN memberships m ON m.website_id = w.id OR m.website_id IS NULL
    WHERE w.id = n.website_id AND w.deleted_at IS NULL AND m.account_id = n.account_id AND m.accepted_at IS NOT NULL
      AND (w.requires_second_factor = 0 OR CAST(? AS BIGINT) = 1)
      AND (${ROLES.map((role) => `(m.role = '${role}' AND n.kind IN (${quoted(kindsFor(role))}))`).join(" OR ")}))`;

function quoted(kinds: readonly NotificationKind[]): string {
  return kinds.map((kind) => `'${kind}'`).join(", ");
}

/** The person, and whether they have used a second factor. */
export interface NotificationReader {
  accountId: string;
  hasSecondFactor: boolean;
}

/** A notification with the current state of what it is about. */
export interface ShownNotification extends StoredNotification {
  websiteName: string;
  /** null unless the actor is an account that still exists. */
  actorName: string | null;
  /** null unless it is about one article that still exists. */
  title: string | null;
  readAt: Millis | null;
}

interface ShownRow {
  id: string;
  account_id: string;
  website_id: string;
  kind: NotificationKind;
  target_id: string | null;
  event_key: string;
  actor: string;
  detail: string;
  total: number;
  at: number;
  read_at: number | null;
  website_name: string;
  actor_name: string | null;
  title: string | null;
}

const SHOWN = `SELECT n.id, n.account_id, n.website_id, n.kind, n.target_id, n.event_key, n.actor, n.detail, n.total, n.at, n.read_at,
    (SELECT name FROM websites WHERE websites.id = n.website_id) AS website_name,
    ${PERSON_OF} AS actor_name,
    (SELECT title FROM articles WHERE articles.id = n.target_id AND articles.website_id = n.website_id) AS title
  FROM notifications n`;

export async function listNotifications(
  db: Snapshot,
  { accountId, hasSecondFactor }: NotificationReader,
  { unread, after, limit }: { unread: boolean; after: { at: Millis; id: string } | null; limit: number },
): Promise<ShownNotification[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
  const rows = await db.all(
    declareRow<ShownRow>(`${SHOWN}
     WHERE n.account_id = ? AND (n.at, n.id) < (?, ?) ${unread ? "AND n.read_at IS NULL" : ""} AND ${IS_VISIBLE}
     ORDER BY n.at DESC, n.id DESC LIMIT CAST(? AS BIGINT)`),
    accountId,
    at,
    id,
    hasSecondFactor ? 1 : 0,
    limit,
  );
  return rows.map(fromRow);
}

/** Number of unread notifications, up to `limit`. */
export async function countUnread(
  db: Snapshot,
  { accountId, hasSecondFactor }: NotificationReader,
  limit: number,
): Promise<number> {
  const row = await db.get(
    declareRow<{ n: number }>(`SELECT COUNT(*) AS n FROM (
       SELECT 1 FROM notifications n WHERE n.account_id = ? AND n.read_at IS NULL AND ${IS_VISIBLE}
       LIMIT CAST(? AS BIGINT)) AS found`),
    accountId,
    hasSecondFactor ? 1 : 0,
    limit,
  );
  return row?.n ?? 0;
}

/** Read notifications are not e-mailed. @returns how many were unread. */
export async function markRead(db: Writer, accountId: string, ids: readonly string[], now: Millis): Promise<number> {
  const counts = await inBatches(ids, (batch) =>
    db.run(
      `UPDATE notifications SET read_at = ?, mail = 0
       WHERE account_id = ? AND read_at IS NULL AND id IN (${placeholders(batch)})`,
      now,
      accountId,
      ...batch,
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export async function markAllRead(db: Writer, accountId: string, until: Millis, now: Millis): Promise<void> {
  await db.run(
    "UPDATE notifications SET read_at = ?, mail = 0 WHERE account_id = ? AND read_at IS NULL AND at <= ?",
    now,
    accountId,
    until,
  );
}

export async function markUnread(db: Writer, accountId: string, ids: readonly string[]): Promise<void> {
  await inBatches(ids, (batch) =>
    db.run(
      `UPDATE notifications SET read_at = NULL WHERE account_id = ? AND id IN (${placeholders(batch)})`,
      accountId,
      ...batch,
    ),
  );
}

/** Marks notifications that have become pointless as read, for everybody. */
export async function settleNotifications(
  db: Writer,
  targetId: string,
  kinds: readonly NotificationKind[],
  now: Millis,
): Promise<void> {
  await db.run(
    `UPDATE notifications SET read_at = ?, mail = 0
     WHERE target_id = ? AND read_at IS NULL AND kind IN (${placeholders(kinds)})`,
    now,
    targetId,
    ...kinds,
  );
}

export interface Burst {
  accountId: string;
  firstAt: Millis;
  lastAt: Millis;
}

/** Notifications that are still to be e-mailed: per person, the times of the first and the last one. */
export async function listBursts(db: Snapshot): Promise<Burst[]> {
  const rows = await db.all(
    declareRow<BurstRow>(
      `SELECT account_id, MIN(at) AS first_at, MAX(at) AS last_at FROM notifications WHERE mail = 1
       GROUP BY account_id ORDER BY account_id`,
    ),
  );
  return rows.map(burstFromRow);
}

/** One person's burst, locked until the transaction ends, so that only one process sends it. */
export async function lockBurst(db: Writer, accountId: string): Promise<Burst | undefined> {
  await lockNotificationSettings(db, accountId);
  const row = await db.get(
    declareRow<BurstRow>(
      `SELECT account_id, MIN(at) AS first_at, MAX(at) AS last_at FROM notifications WHERE mail = 1 AND account_id = ?
       GROUP BY account_id`,
    ),
    accountId,
  );
  return row && burstFromRow(row);
}

interface BurstRow {
  account_id: string;
  first_at: number;
  last_at: number;
}

/** Marks the burst as e-mailed. @returns its unread notifications that the person has access to, oldest first. */
export async function takeBurst(
  db: Writer,
  { accountId, hasSecondFactor }: NotificationReader,
): Promise<ShownNotification[]> {
  const taken = await db.all(
    declareRow<{ id: string }>("UPDATE notifications SET mail = 0 WHERE account_id = ? AND mail = 1 RETURNING id"),
    accountId,
  );
  const found = await inBatches(
    taken.map(({ id }) => id),
    (batch) =>
      db.all(
        declareRow<ShownRow>(
          `${SHOWN} WHERE n.account_id = ? AND n.id IN (${placeholders(batch)}) AND n.read_at IS NULL AND ${IS_VISIBLE}`,
        ),
        accountId,
        ...batch,
        hasSecondFactor ? 1 : 0,
      ),
  );
  return found
    .flat()
    .map(fromRow)
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

export async function findNotificationSettings(
  db: Snapshot,
  accountId: string,
): Promise<NotificationSettings | undefined> {
  const row = await db.get("SELECT mail, muted, time_zone FROM notification_settings WHERE account_id = ?", accountId);
  // Written by `saveNotificationSettings` only.
  return (
    row && {
      mail: row.mail as MailChoice,
      muted: JSON.parse(row.muted) as NotificationKind[],
      timeZone: row.time_zone,
    }
  );
}

/** Locks the person's settings, which a person without any has, too. */
export async function lockNotificationSettings(db: Writer, accountId: string): Promise<void> {
  await db.get("SELECT 1 FROM accounts WHERE id = ? FOR NO KEY UPDATE", accountId);
}

export async function saveNotificationSettings(
  db: Writer,
  accountId: string,
  { mail, muted, timeZone }: NotificationSettings,
): Promise<void> {
  await db.run(
    `INSERT INTO notification_settings (account_id, mail, muted, time_zone) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET mail = excluded.mail, muted = excluded.muted, time_zone = excluded.time_zone`,
    accountId,
    mail,
    JSON.stringify(muted),
    timeZone,
  );
}

/** Clears bursts of a restored backup: some of them were e-mailed after it was made, and the rest are out of date. */
export async function forgetBursts(db: Writer): Promise<void> {
  await db.run("UPDATE notifications SET mail = 0 WHERE mail = 1");
}

function burstFromRow({ account_id, first_at, last_at }: BurstRow): Burst {
  return { accountId: account_id, firstAt: first_at, lastAt: last_at };
}

function fromRow(row: ShownRow): ShownNotification {
  return {
    ...toCamelCase(row),
    // Written by `putNotifications` only.
    detail: JSON.parse(row.detail) as NotificationDetail,
  };
}
