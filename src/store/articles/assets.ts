/** Pictures of articles. Their files are kept elsewhere (`AssetFiles`). */
import type { Millis } from "../../domain/system/time.ts";
import { type Asset, assetKey, type PictureFacts } from "../../domain/articles/assets/asset.ts";
import { declareRow, type Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import { inBatches, OF_WEBSITE, placeholders } from "../system/sql-batch.ts";
import type { Snapshot, Writer } from "../store.ts";
import { IS_OF_WEBSITE } from "../system/websites.ts";

const COLUMNS =
  `id, website_id, hash, name, type, bytes, width, height, alt, source_url, created_by, created_at` as const;

type AssetRow = Row<`SELECT ${typeof COLUMNS} FROM assets`>;

/** @returns false when the website already has a picture with this hash. */
export async function insertAsset(db: Writer, asset: Asset): Promise<boolean> {
  const count = await db.run(
    `INSERT INTO assets (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (website_id, hash) DO NOTHING`,
    asset.id,
    asset.websiteId,
    asset.hash,
    asset.name,
    asset.type,
    asset.bytes,
    asset.width,
    asset.height,
    asset.alt,
    asset.sourceUrl,
    asset.createdBy,
    asset.createdAt,
  );
  return count === 1;
}

export async function findAssetByHash(db: Snapshot, websiteId: string, hash: string): Promise<Asset | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM assets WHERE website_id = ? AND hash = ? AND deleted_at IS NULL AND ${IS_OF_WEBSITE}`,
    websiteId,
    hash,
  );
  return row && toCamelCase(row);
}

/** Of the pictures with these hashes, without deleted ones. */
export async function findAssetFacts(
  db: Snapshot,
  websiteId: string,
  hashes: readonly string[],
): Promise<Map<string, PictureFacts>> {
  const rows = await inBatches(hashes, (batch) =>
    db.all(
      `SELECT hash, type, width, height FROM assets WHERE website_id = ? AND hash IN (${placeholders(batch)}) AND deleted_at IS NULL`,
      websiteId,
      ...batch,
    ),
  );
  return new Map(rows.flat().map(({ hash, ...facts }) => [hash, facts]));
}

/** Restores a deleted picture whose row still exists. @returns the picture, or undefined if none has this hash. */
export async function reviveAsset(db: Writer, websiteId: string, hash: string): Promise<Asset | undefined> {
  const row = await db.get(
    `UPDATE assets SET deleted_at = NULL WHERE website_id = ? AND hash = ? RETURNING ${COLUMNS}`,
    websiteId,
    hash,
  );
  return row && toCamelCase(row);
}

/** The picture that was copied from this address, unless it is deleted. */
export async function findAssetBySource(
  db: Snapshot,
  websiteId: string,
  sourceUrl: string,
): Promise<Asset | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM assets WHERE website_id = ? AND source_url = ? AND deleted_at IS NULL ORDER BY id LIMIT 1`,
    websiteId,
    sourceUrl,
  );
  return row && toCamelCase(row);
}

export async function saveAlt(db: Writer, websiteId: string, id: string, alt: string): Promise<void> {
  await db.run("UPDATE assets SET alt = ? WHERE website_id = ? AND id = ?", alt, websiteId, id);
}

/** Pictures that were deleted before that time, oldest first. */
export async function listDeletedAssets(db: Snapshot, before: Millis, limit: number): Promise<Asset[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM assets WHERE deleted_at < ? ORDER BY deleted_at, id LIMIT CAST(? AS BIGINT)`,
    before,
    limit,
  );
  return rows.map(toCamelCase);
}

/** Removes the row of a picture that was deleted before that time. @returns whether it was there. */
export async function purgeAsset(db: Writer, websiteId: string, id: string, before: Millis): Promise<boolean> {
  const count = await db.run(
    "DELETE FROM assets WHERE website_id = ? AND id = ? AND deleted_at < ?",
    websiteId,
    id,
    before,
  );
  return count === 1;
}

export interface AssetCursor {
  createdAt: Millis;
  id: string;
}

/** A page of the website's pictures, newest first. */
export async function listAssets(
  db: Snapshot,
  websiteId: string,
  before: AssetCursor | null,
  limit: number,
): Promise<Asset[]> {
  const { createdAt, id } = before ?? { createdAt: Number.MAX_SAFE_INTEGER, id: "" };
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM assets WHERE website_id = ? AND deleted_at IS NULL AND (created_at, id) < (?, ?)
     ORDER BY created_at DESC, id DESC LIMIT CAST(? AS BIGINT)`,
    websiteId,
    createdAt,
    id,
    limit,
  );
  return rows.map(toCamelCase);
}

export async function findAssetAnywhere(db: Snapshot, id: string): Promise<Asset | undefined> {
  const row = await db.get(`SELECT ${COLUMNS} FROM assets WHERE id = ? AND deleted_at IS NULL`, id);
  return row && toCamelCase(row);
}

export async function markAssetDeleted(db: Writer, websiteId: string, id: string, now: Millis): Promise<boolean> {
  const count = await db.run(
    "UPDATE assets SET deleted_at = ? WHERE website_id = ? AND id = ? AND deleted_at IS NULL",
    now,
    websiteId,
    id,
  );
  return count === 1;
}

/** Texts of the articles with these row numbers that match `pattern` (as in `LIKE`). */
export async function findTextsWith(
  db: Snapshot,
  websiteId: string,
  rowNumbers: readonly number[],
  pattern: string,
): Promise<{ rowNo: number; text: string }[]> {
  const rows = await inBatches(rowNumbers, async (batch) => [
    ...(await db.all(
      declareRow<{ row_no: number; text: string }>(
        `SELECT row_no, html AS text FROM article_bodies
         WHERE website_id = ? AND row_no IN (${placeholders(batch)}) AND html LIKE ?`,
      ),
      websiteId,
      ...batch,
      pattern,
    )),
    ...(await db.all(
      declareRow<{ row_no: number; text: string }>(
        `SELECT row_no, featured_image_url AS text FROM articles
         WHERE ${OF_WEBSITE} AND row_no IN (${placeholders(batch)}) AND featured_image_url LIKE ?`,
      ),
      websiteId,
      ...batch,
      pattern,
    )),
  ]);
  return rows.flat().map(({ row_no: rowNo, text }) => ({ rowNo, text }));
}

/** The website's draft copies, without reading them. */
export async function listDraftSizes(
  db: Snapshot,
  websiteId: string,
): Promise<{ rowNo: number; savedAt: Millis; bytes: number }[]> {
  const rows = await db.all(
    declareRow<{ row_no: number; saved_at: number; bytes: number }>(
      "SELECT row_no, saved_at, octet_length(changes) AS bytes FROM draft_copies WHERE website_id = ?",
    ),
    websiteId,
  );
  return rows.map(({ row_no: rowNo, saved_at: savedAt, bytes }) => ({ rowNo, savedAt, bytes }));
}

/** The draft copies of those articles that match `pattern`. */
export async function findDraftsWith(
  db: Snapshot,
  websiteId: string,
  rowNumbers: readonly number[],
  pattern: string,
): Promise<{ rowNo: number; text: string }[]> {
  const rows = await inBatches(rowNumbers, (batch) =>
    db.all(
      declareRow<{ row_no: number; changes: string }>(
        `SELECT row_no, changes FROM draft_copies
         WHERE website_id = ? AND row_no IN (${placeholders(batch)}) AND changes LIKE ?`,
      ),
      websiteId,
      ...batch,
      pattern,
    ),
  );
  return rows.flat().map(({ row_no: rowNo, changes: text }) => ({ rowNo, text }));
}

/** Where a text is outside articles: what somebody has typed, or, without an account, what is held of a source. */
export interface UnsavedText {
  accountId: string | null;
  /** Id of the working copy, or the source. */
  id: string;
}

/** The website's unsaved texts, without reading them. */
export async function listUnsavedTexts(
  db: Snapshot,
  websiteId: string,
): Promise<(UnsavedText & { savedAt: Millis })[]> {
  const typed = await db.all("SELECT account_id, id, saved_at FROM working_copies WHERE website_id = ?", websiteId);
  const held = await db.all(
    "SELECT source, held_at FROM article_origins WHERE website_id = ? AND held_at IS NOT NULL",
    websiteId,
  );
  return [
    ...typed.map(({ account_id: accountId, id, saved_at: savedAt }) => ({ accountId, id, savedAt })),
    ...held.map(({ source: id, held_at: savedAt }) => ({ accountId: null, id, savedAt: savedAt ?? 0 })),
  ];
}

export async function findUnsavedWith(
  db: Snapshot,
  websiteId: string,
  { accountId, id }: UnsavedText,
  pattern: string,
): Promise<string | undefined> {
  if (accountId === null) {
    const origin = await db.get(
      "SELECT held FROM article_origins WHERE website_id = ? AND source = ? AND held LIKE ?",
      websiteId,
      id,
      pattern,
    );
    return origin?.held ?? undefined;
  }
  const row = await db.get(
    "SELECT content FROM working_copies WHERE account_id = ? AND id = ? AND content LIKE ?",
    accountId,
    id,
    pattern,
  );
  return row?.content;
}

/** Returns the row numbers of articles that were not purged. */
export async function listExistingArticles(
  db: Snapshot,
  websiteId: string,
  rowNumbers: readonly number[],
): Promise<number[]> {
  const rows = await inBatches(rowNumbers, (batch) =>
    db.all(
      declareRow<{ row_no: number }>(
        `SELECT row_no FROM articles WHERE ${OF_WEBSITE} AND row_no IN (${placeholders(batch)})`,
      ),
      websiteId,
      ...batch,
    ),
  );
  return rows.flat().map(({ row_no: rowNo }) => rowNo);
}

export async function listAssetHashes(
  db: Snapshot,
  websiteId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.all(
    `SELECT hash FROM assets WHERE website_id = ? AND hash > ? AND deleted_at IS NULL
     ORDER BY hash LIMIT CAST(? AS BIGINT)`,
    websiteId,
    after,
    limit,
  );
  return rows.map(({ hash }) => hash);
}

export async function findAssets(db: Snapshot, websiteId: string, ids: readonly string[]): Promise<Asset[]> {
  const rows = await inBatches(ids, (batch) =>
    db.all(
      declareRow<AssetRow>(
        `SELECT ${COLUMNS} FROM assets WHERE website_id = ? AND id IN (${placeholders(batch)}) AND deleted_at IS NULL`,
      ),
      websiteId,
      ...batch,
    ),
  );
  return rows.flat().map(toCamelCase);
}

/** Titles and states of the articles, without those that were purged. */
export async function listUsingArticles(
  db: Snapshot,
  websiteId: string,
  rowNumbers: readonly number[],
): Promise<{ id: string; title: string; isInTrash: boolean }[]> {
  const rows = await inBatches(rowNumbers, (batch) =>
    db.all(
      declareRow<{ id: string; title: string; deleted_at: number | null }>(
        `SELECT id, title, deleted_at FROM articles WHERE ${OF_WEBSITE} AND row_no IN (${placeholders(batch)})`,
      ),
      websiteId,
      ...batch,
    ),
  );
  return rows.flat().map(({ id, title, deleted_at: deletedAt }) => ({ id, title, isInTrash: deletedAt !== null }));
}

/** Keys of the files that existing pictures need, for all websites; those of deleted pictures are not included. */
export async function listAssetKeys(db: Snapshot): Promise<string[]> {
  const rows = await db.all("SELECT id, website_id, hash FROM assets WHERE deleted_at IS NULL ORDER BY id");
  return rows.map(({ id, website_id: websiteId, hash }) => assetKey({ id, websiteId, hash }));
}

/** As `listAssetKeys`, with the sizes of the files. */
export async function listAssetSizes(db: Snapshot): Promise<{ key: string; bytes: number }[]> {
  const rows = await db.all("SELECT id, website_id, hash, bytes FROM assets WHERE deleted_at IS NULL ORDER BY id");
  return rows.map(({ id, website_id: websiteId, hash, bytes }) => ({ key: assetKey({ id, websiteId, hash }), bytes }));
}

/** As `listAssetKeys`, with an id after `after`. */
export async function listAssetKeyBatch(
  db: Snapshot,
  after: string,
  limit: number,
): Promise<{ id: string; key: string }[]> {
  const rows = await db.all(
    "SELECT id, website_id, hash FROM assets WHERE id > ? AND deleted_at IS NULL ORDER BY id LIMIT CAST(? AS BIGINT)",
    after,
    limit,
  );
  return rows.map(({ id, website_id: websiteId, hash }) => ({ id, key: assetKey({ id, websiteId, hash }) }));
}

/** The ids that belong to a picture of any website, deleted or not. */
export async function listKnownAssets(
  db: Snapshot,
  ids: readonly string[],
): Promise<Pick<Asset, "id" | "websiteId" | "hash">[]> {
  const rows = await inBatches(ids, (batch) =>
    db.all(
      declareRow<Pick<AssetRow, "id" | "website_id" | "hash">>(
        `SELECT id, website_id, hash FROM assets WHERE id IN (${placeholders(batch)})`,
      ),
      ...batch,
    ),
  );
  return rows.flat().map(({ id, website_id: websiteId, hash }) => ({ id, websiteId, hash }));
}

/** All pictures of a website, deleted ones included, in batches by id. */
export async function listAssetBatch(db: Snapshot, websiteId: string, after: string, limit: number): Promise<Asset[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM assets WHERE website_id = ? AND id > ? ORDER BY id LIMIT CAST(? AS BIGINT)`,
    websiteId,
    after,
    limit,
  );
  return rows.map(toCamelCase);
}

/** Key in `settings`. */
const PICTURE_BASE = "picture_base";

/** The service's address that pictures have in articles; undefined: none was ever set. */
export async function findPictureBase(db: Snapshot): Promise<string | undefined> {
  return (await db.get("SELECT value FROM settings WHERE name = ?", PICTURE_BASE))?.value;
}

export async function savePictureBase(db: Writer, base: string): Promise<void> {
  await db.run("DELETE FROM settings WHERE name = ?", PICTURE_BASE);
  await db.run("INSERT INTO settings (name, value) VALUES (?, ?)", PICTURE_BASE, base);
}
