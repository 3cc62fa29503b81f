import type { Millis } from "../../domain/system/time.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { Position, WebsitePosition } from "../../domain/system/high-water-mark.ts";
import { type IntegrityGate, PUBLISH_DELAY_SECONDS, type Website } from "../../domain/system/website.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Value, Writer } from "../store.ts";

const COLUMNS =
  `id, created_at, content_version, event_sequence, epoch, name, url, url_pattern, preview_url, requires_second_factor,
   requires_second_person, publish_delay, asset_url, serves_feeds, index_now_key, language, url_changed_at,
   slugs_per_language, integrity_gate, series_labels, responsible_name, responsible_url, names_reviewers,
   time_zone` as const;

type WebsiteRow = Row<`SELECT ${typeof COLUMNS} FROM websites`>;

/** The settings that people edit; the rest of the row consists of counters. */
type WebsiteSettings = Omit<Website, "id" | "createdAt" | "contentVersion" | "eventSequence" | "epoch">;

export async function insertWebsite(db: Writer, website: Website): Promise<void> {
  await db.run(
    `INSERT INTO websites (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    website.id,
    website.createdAt,
    website.contentVersion,
    website.eventSequence,
    website.epoch,
    ...toSettingValues(website),
  );
}

export async function saveWebsite(db: Writer, website: WebsiteSettings & Pick<Website, "id">): Promise<void> {
  await db.run(
    `UPDATE websites SET name = ?, url = ?, url_pattern = ?, preview_url = ?, requires_second_factor = ?,
       requires_second_person = ?, publish_delay = ?, asset_url = ?, serves_feeds = ?, index_now_key = ?, language = ?,
       url_changed_at = ?, slugs_per_language = ?, integrity_gate = ?, series_labels = ?, responsible_name = ?,
       responsible_url = ?, names_reviewers = ?, time_zone = ? WHERE id = ?`,
    ...toSettingValues(website),
    website.id,
  );
}

/** In the order of the columns in both statements. */
function toSettingValues(settings: WebsiteSettings): Value[] {
  return [
    settings.name,
    settings.url,
    settings.urlPattern,
    settings.previewUrl,
    settings.requiresSecondFactor ? 1 : 0,
    settings.requiresSecondPerson ? 1 : 0,
    settings.publishDelaySeconds,
    settings.assetUrl,
    settings.servesFeeds ? 1 : 0,
    settings.indexNowKey,
    settings.language,
    settings.urlChangedAt,
    settings.slugsPerLanguage ? 1 : 0,
    settings.integrityGate,
    JSON.stringify(settings.seriesLabels),
    settings.responsibleName,
    settings.responsibleUrl,
    settings.namesReviewers ? 1 : 0,
    settings.timeZone,
  ];
}

/** Ids of the websites that ask their members for a second factor. */
export async function listRequiringSecondFactor(db: Snapshot): Promise<string[]> {
  const rows = await db.all("SELECT id FROM websites WHERE requires_second_factor = 1 AND deleted_at IS NULL");
  return rows.map(({ id }) => id);
}

export async function findWebsite(db: Snapshot, id: string): Promise<Website | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM websites WHERE id = ? AND deleted_at IS NULL`, id);
  return row && fromRow(row);
}

export async function listWebsites(db: Snapshot): Promise<Website[]> {
  const rows = await db.all(`SELECT ${COLUMNS} FROM websites WHERE deleted_at IS NULL ORDER BY created_at, id`);
  return rows.map(fromRow);
}

/** Makes the website disappear for everybody; its rows are deleted later, in batches. */
export async function markDeleted(db: Writer, id: string, now: Millis): Promise<void> {
  await db.run("UPDATE websites SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL", now, id);
  db.markWebsiteChanged(id);
}

export function listDeletedWebsites(db: Snapshot): Promise<{ id: string; name: string }[]> {
  return db.all("SELECT id, name FROM websites WHERE deleted_at IS NOT NULL ORDER BY deleted_at, id");
}

/** A condition: the row's website is not deleted. */
export const IS_OF_WEBSITE =
  "NOT EXISTS (SELECT 1 FROM websites w WHERE w.id = website_id AND w.deleted_at IS NOT NULL)";

export async function deleteWebsiteRow(db: Writer, id: string): Promise<void> {
  await db.run("DELETE FROM websites WHERE id = ? AND deleted_at IS NOT NULL", id);
}

/** Whether there is a website, or was one: its deletion is in the audit log. */
export async function hasHadWebsites(db: Snapshot): Promise<boolean> {
  const found = await db.get(
    "SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM websites) OR EXISTS (SELECT 1 FROM audit_log WHERE website_id IS NOT NULL)",
  );
  return found !== undefined;
}

export async function listPositions(db: Snapshot): Promise<WebsitePosition[]> {
  const rows = await db.all("SELECT id, epoch, content_version, event_sequence FROM websites");
  return rows.map(({ id, epoch, content_version, event_sequence }) => ({
    websiteId: id,
    epoch,
    contentVersion: content_version,
    eventSequence: event_sequence,
  }));
}

/** Locks the website for the transaction; call it before reading what changes of articles or deliveries depend on. */
export async function lockWebsite(db: Writer, id: string): Promise<void> {
  if (db.engine === "postgres") await db.get("SELECT 1 FROM websites WHERE id = ? FOR NO KEY UPDATE", id);
}

async function findWebsiteToChange(db: Writer, id: string): Promise<Website | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM websites WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE`, id);
  return row && fromRow(row);
}

/** The website of an article, locked as by `lockWebsite`. @returns undefined if there is no such article. */
export async function findWebsiteOfArticleToChange(db: Writer, articleId: string): Promise<Website | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM websites
     WHERE id = (SELECT website_id FROM articles WHERE articles.id = ?) AND deleted_at IS NULL FOR NO KEY UPDATE`,
    articleId,
  );
  return row && fromRow(row);
}

/** Call it once a transaction and website. `isUnpublished`: nothing published changes. @throws AppError `not_found`. */
export async function raiseContentVersion(db: Writer, websiteId: string, isUnpublished = false): Promise<number> {
  // Without RETURNING, for which SQLite prepares to undo the statement: the word index then writes what it has collected so far.
  await db.run(
    `UPDATE websites SET content_version = content_version + 1, unpublished_changes = unpublished_changes + CAST(? AS BIGINT)
     WHERE id = ? AND deleted_at IS NULL`,
    isUnpublished ? 1 : 0,
    websiteId,
  );
  const row = await db.get("SELECT content_version FROM websites WHERE id = ? AND deleted_at IS NULL", websiteId);
  if (row === undefined) throw new AppError("not_found", `There is no website with the id ${websiteId}.`);
  db.markWebsiteChanged(websiteId);
  return row.content_version;
}

/** Records that a content version raised as unpublished in this transaction does change a published article. */
export async function markPublishedChange(db: Writer, websiteId: string): Promise<void> {
  await db.run("UPDATE websites SET unpublished_changes = unpublished_changes - 1 WHERE id = ?", websiteId);
}

/** Records a change that readers cannot see: the content version stays. */
export async function raiseReviewVersion(db: Writer, websiteId: string): Promise<void> {
  await db.run("UPDATE websites SET review_version = review_version + 1 WHERE id = ?", websiteId);
}

/** More events than can have been lost between a backup and its restoration. */
const SEQUENCE_LEAP = 1_000_000;

/**
 * For a restored backup. Every website gets a new epoch: no earlier ETag or cached page is valid any more. Its events
 * continue far above those that receivers may have seen since the backup: none is taken for an old one.
 *
 * @param lastSeen a process's high-water mark: after an earlier restoration of the same backup, it is a leap ahead.
 * @returns how many.
 */
export async function renewEpochs(
  db: Writer,
  newEpoch: () => string,
  lastSeen: ReadonlyMap<string, Position>,
): Promise<number> {
  const websites = await db.all("SELECT id, event_sequence FROM websites");
  for (const { id, event_sequence } of websites) {
    const behind = Math.max(0, (lastSeen.get(id)?.eventSequence ?? 0) - event_sequence);
    await db.run(
      "UPDATE websites SET epoch = ?, event_sequence = event_sequence + CAST(? AS BIGINT) WHERE id = ?",
      newEpoch(),
      behind + SEQUENCE_LEAP,
      id,
    );
    db.markWebsiteChanged(id);
  }
  return websites.length;
}

function fromRow(row: WebsiteRow): Website {
  const { publish_delay, ...rest } = row;
  return {
    ...toCamelCase(rest),
    // A CHECK allows nothing else.
    integrityGate: row.integrity_gate as IntegrityGate,
    seriesLabels: JSON.parse(row.series_labels) as string[],
    namesReviewers: row.names_reviewers === 1,
    slugsPerLanguage: row.slugs_per_language === 1,
    timeZone: row.time_zone,
    requiresSecondFactor: row.requires_second_factor === 1,
    requiresSecondPerson: row.requires_second_person === 1,
    servesFeeds: row.serves_feeds === 1,
    publishDelaySeconds: publish_delay ?? PUBLISH_DELAY_SECONDS.default,
  };
}

export interface WebsiteContents {
  /** Including those in the trash. */
  articles: number;
  events: number;
  keys: number;
  webhooks: number;
  /** Members of this website alone, including invited ones. */
  members: number;
}

export async function countContents(db: Snapshot, websiteId: string): Promise<WebsiteContents> {
  const row = await db.get(
    `SELECT (SELECT COUNT(*) FROM articles WHERE website_id = ?) AS articles,
       (SELECT COUNT(*) FROM events WHERE website_id = ?) AS events,
       (SELECT COUNT(*) FROM api_keys WHERE website_id = ? AND revoked_at IS NULL) AS keys,
       (SELECT COUNT(*) FROM endpoints WHERE website_id = ? AND deleted_at IS NULL) AS webhooks,
       (SELECT COUNT(*) FROM memberships WHERE website_id = ?) AS members`,
    websiteId,
    websiteId,
    websiteId,
    websiteId,
    websiteId,
  );
  return row ?? { articles: 0, events: 0, keys: 0, webhooks: 0, members: 0 };
}

/** @throws AppError `not_found`. */
export async function loadWebsite(db: Snapshot, id: string): Promise<Website> {
  return (await findWebsite(db, id)) ?? refuseUnknownWebsite(id);
}

/** Like `loadWebsite`, and locks the website until the transaction ends. @throws AppError `not_found`. */
export async function loadWebsiteToChange(db: Writer, id: string): Promise<Website> {
  return (await findWebsiteToChange(db, id)) ?? refuseUnknownWebsite(id);
}

function refuseUnknownWebsite(id: string): never {
  throw new AppError("not_found", `There is no website with the id or name ${id}; "rostrum website list" shows all.`);
}
