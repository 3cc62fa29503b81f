import type { Mapping } from "../../../domain/articles/senders/dialect.ts";
import type { Sender } from "../../../domain/articles/senders/sender.ts";
import { DAY_MS, type Millis } from "../../../domain/system/time.ts";
import { toCamelCase } from "../../../domain/system/camel-case.ts";
import { declareRow } from "../../row.ts";
import type { Snapshot, Writer } from "../../store.ts";

const COLUMNS = `id, website_id, kind, name, mapping, secret, previous_secret, previous_until, created_at, last_arrival_at,
  deleted_at`;

/** Also one that is deleted. */
export async function findSenderAnywhere(db: Snapshot, id: string): Promise<Sender | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM senders WHERE id = ?`, id);
  return row && toSender(toCamelCase(row));
}

/** Unless it is deleted; locked for a change until the transaction ends. */
export async function findSenderToChange(db: Writer, id: string): Promise<Sender | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM senders WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE`, id);
  return row && toSender(toCamelCase(row));
}

/** Any sender whose secret is sealed; undefined when there is none. */
export function anySenderSecret(db: Snapshot): Promise<Pick<Sender, "id" | "secret"> | undefined> {
  return db.get("SELECT id, secret FROM senders WHERE deleted_at IS NULL ORDER BY created_at LIMIT 1");
}

/** Those that are not deleted. */
export async function listSenders(db: Snapshot, websiteId: string): Promise<Sender[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM senders WHERE website_id = ? AND deleted_at IS NULL ORDER BY created_at, id`,
    websiteId,
  );
  return rows.map((row) => toSender(toCamelCase(row)));
}

export async function insertSender(db: Writer, sender: Sender): Promise<void> {
  await db.run(
    `INSERT INTO senders (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    sender.id,
    sender.websiteId,
    sender.kind,
    sender.name,
    toJson(sender.mapping),
    sender.secret,
    sender.previousSecret,
    sender.previousUntil,
    sender.createdAt,
    sender.lastArrivalAt,
    sender.deletedAt,
  );
  db.markWebsiteChanged(sender.websiteId);
}

/** Saves what people can change. */
export async function updateSender(db: Writer, sender: Sender): Promise<void> {
  await db.run(
    `UPDATE senders SET kind = ?, name = ?, mapping = ?, secret = ?, previous_secret = ?, previous_until = ?, deleted_at = ?
     WHERE id = ?`,
    sender.kind,
    sender.name,
    toJson(sender.mapping),
    sender.secret,
    sender.previousSecret,
    sender.previousUntil,
    sender.deletedAt,
    sender.id,
  );
  db.markWebsiteChanged(sender.websiteId);
}

/** Deletes the website's senders, which are refused from then on. */
export async function deleteSendersOf(db: Writer, websiteId: string, now: Millis): Promise<void> {
  await db.run("UPDATE senders SET deleted_at = ? WHERE website_id = ? AND deleted_at IS NULL", now, websiteId);
}

/** Of a sender that sends about weekly. */
const USUAL_DAYS = 21;

/**
 * Senders whose last arrival was before `before`, after three in three weeks that are a week apart, and of which nobody was
 * told since.
 */
export async function listSilentSenders(
  db: Snapshot,
  before: Millis,
): Promise<(Pick<Sender, "id" | "websiteId" | "name"> & { lastArrivalAt: Millis })[]> {
  const rows = await db.all(
    declareRow<{ id: string; website_id: string; name: string; last_arrival_at: number }>(
      `SELECT s.id, s.website_id, s.name, s.last_arrival_at FROM senders s JOIN websites w ON w.id = s.website_id
       WHERE s.deleted_at IS NULL AND w.deleted_at IS NULL AND s.last_arrival_at < ?
         AND (SELECT COUNT(*) FROM (SELECT 1 FROM arrivals a WHERE a.sender_id = s.id AND a.state <> 'ignored'
              AND a.at > s.last_arrival_at - ${USUAL_DAYS * DAY_MS} LIMIT 3) AS found) = 3
         AND EXISTS (SELECT 1 FROM arrivals a WHERE a.sender_id = s.id AND a.state <> 'ignored'
              AND a.at > s.last_arrival_at - ${USUAL_DAYS * DAY_MS} AND a.at < s.last_arrival_at - ${6 * DAY_MS})
         AND NOT EXISTS (SELECT 1 FROM notifications n
              WHERE n.target_id = s.id AND n.kind = 'sender_silent' AND n.at > s.last_arrival_at)
       ORDER BY s.id`,
    ),
    before,
  );
  return rows.map(toCamelCase);
}

export async function touchSender(db: Writer, id: string, at: Millis): Promise<void> {
  await db.run("UPDATE senders SET last_arrival_at = ? WHERE id = ?", at, id);
}

type StoredSender = Omit<Sender, "mapping"> & { mapping: string | null };

function toSender({ mapping, ...sender }: StoredSender): Sender {
  // Written by `toJson`.
  return { ...sender, mapping: mapping === null ? null : (JSON.parse(mapping) as Mapping) };
}

function toJson(mapping: Mapping | null): string | null {
  return mapping === null ? null : JSON.stringify(mapping);
}
