import type { Mapping } from "../../domain/articles/senders/dialect.ts";
import type { Sender } from "../../domain/articles/senders/sender.ts";
import type { Millis } from "../../domain/system/time.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

const COLUMNS = `id, website_id, kind, name, mapping, secret, previous_secret, previous_until, created_at, last_arrival_at,
  deleted_at`;

/** Also one that is deleted. */
export async function findSenderAnywhere(db: Snapshot, id: string): Promise<Sender | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM senders WHERE id = ?`, id);
  return row && toSender(toCamelCase(row));
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
