/** Adds, finds, changes and removes pictures of articles. A file is complete on disk before its row is committed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Origin } from "../../../domain/system/audit.ts";
import { type Asset, assetKey, assetName, assetPath, parseAlt } from "../../../domain/articles/assets/asset.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";
import { DAY_MS } from "../../../domain/system/time.ts";
import type { Website } from "../../../domain/system/website.ts";
import {
  type AssetCursor,
  findAssetAnywhere,
  findAssetByHash,
  findAssets,
  insertAsset,
  listAssetBatch,
  listAssets,
  listDeletedAssets,
  listKnownAssets,
  markAssetDeleted,
  purgeAsset,
  reviveAsset,
  saveAlt,
} from "../../../store/articles/assets.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import { countNodes } from "../../../store/system/heartbeats.ts";
import { recordAudit } from "../../system/audit.ts";
import type { Deps } from "../../system/deps.ts";
import { catchFailure, type OnError } from "../../system/set-aside.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { AssetUses } from "./asset-uses.ts";

export type AssetDeps = Pick<Deps, "store" | "clock" | "newId" | "assetFiles" | "inspectPicture">;

export interface NewAsset {
  /** The file on this machine; it is not removed. */
  path: string;
  /** The file's original name. */
  name: string;
  alt: string;
  sourceUrl?: string | null;
}

/** How long the file of a deleted picture is kept, for a backup that is being made. */
const DELETED_KEPT_MS = DAY_MS;
/** Files without a row stay for this time, in case an older database is replaced by the newer one again. */
const ORPHANS_KEPT_MS = 30 * DAY_MS;
/** An upload must be committed well before its file could be mistaken for an orphan. */
const MAX_UPLOAD_MS = DAY_MS;
const AT_ONCE = 200;
/** Pictures that one transaction deletes. */
const DELETED_AT_ONCE = 100;

/**
 * Adds a picture without its metadata. The same file again returns the existing one, which gets the alternative text if
 * it had none. @throws AppError `invalid` if it is no picture, damaged or over a limit; `not_found`, `too_expensive`,
 * `busy`, `misconfigured`.
 */
export async function addAsset(
  deps: AssetDeps,
  websiteId: string,
  { path, name, alt: text, sourceUrl = null }: NewAsset,
  origin: Origin,
): Promise<Asset> {
  const alt = parseAlt(text);
  await deps.store.read((db) => loadWebsite(db, websiteId));
  await assertFilesShared(deps);
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("picture")));
  try {
    const file = join(folder, "cleaned");
    const { facts, hash, bytes } = await deps.inspectPicture(websiteId, path, file);
    const known = await reuse(deps, { websiteId, hash, alt }, file, origin);
    if (known !== undefined) return known;
    const asset: Asset = {
      id: deps.newId(),
      websiteId,
      hash,
      name: assetName(name, facts.type),
      bytes,
      ...facts,
      alt,
      sourceUrl,
      createdBy: origin.actor,
      createdAt: deps.clock(),
    };
    await deps.assetFiles.put(assetKey(asset), file);
    const isNew = await deps.store.write(async (db) => {
      await loadWebsite(db, websiteId);
      if (deps.clock() - asset.createdAt > MAX_UPLOAD_MS) throw new Error("the upload of a picture took too long");
      if (!(await insertAsset(db, asset))) return false;
      await recordAudit(db, deps, origin, {
        action: "asset.added",
        targetKind: "asset",
        targetId: asset.id,
        websiteId,
        detail: { name: asset.name, bytes, ...(sourceUrl === null ? {} : { source_url: sourceUrl }) },
      });
      return true;
    });
    if (isNew) return asset;
    // Another request has added the same file at the same time.
    await deps.assetFiles.remove(assetKey(asset));
    const other = await reuse(deps, { websiteId, hash, alt }, file, origin);
    if (other === undefined) throw new Error("a picture that exists could not be found");
    return other;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The website's picture with this hash, restored if it or its file was lost; undefined if there is none. */
async function reuse(
  deps: AssetDeps,
  { websiteId, hash, alt }: Pick<Asset, "websiteId" | "hash" | "alt">,
  file: string,
  origin: Origin,
): Promise<Asset | undefined> {
  const read = await deps.store.read((db) => findAssetByHash(db, websiteId, hash));
  const found = read ?? (await deps.store.write((db) => reviveAsset(db, websiteId, hash)));
  if (found === undefined) return undefined;
  if (!(await deps.assetFiles.has(assetKey(found)))) await deps.assetFiles.put(assetKey(found), file);
  return found.alt === "" && alt !== "" ? changeAlt(deps, found, alt, origin) : found;
}

/** @throws AppError `invalid`. */
export async function changeAlt(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  asset: Asset,
  text: string,
  origin: Origin,
): Promise<Asset> {
  const alt = parseAlt(text);
  await deps.store.write(async (db) => {
    await saveAlt(db, asset.websiteId, asset.id, alt);
    await recordAudit(db, deps, origin, {
      action: "asset.changed",
      targetKind: "asset",
      targetId: asset.id,
      websiteId: asset.websiteId,
      detail: { name: asset.name, alt },
    });
  });
  return { ...asset, alt };
}

/** @throws AppError `not_found`. */
export async function readAsset({ store }: Pick<Deps, "store">, id: string): Promise<Asset> {
  const found = await store.read((db) => findAssetAnywhere(db, id));
  if (found === undefined) throw new AppError("not_found", `There is no picture with the id ${id}.`);
  return found;
}

/** A page of the website's pictures, newest first; `next`: where the next page begins. */
export async function listLibrary(
  { store }: Pick<Deps, "store">,
  websiteId: string,
  before: AssetCursor | null,
  limit: number,
): Promise<{ assets: Asset[]; next: AssetCursor | null }> {
  const found = await store.read((db) => listAssets(db, websiteId, before, limit + 1));
  const assets = found.slice(0, limit);
  return { assets, next: found.length > limit ? (assets.at(-1) ?? null) : null };
}

/** A page of the pictures that pass all filters, newest first. */
export async function listFiltered(
  deps: Pick<Deps, "store">,
  websiteId: string,
  filters: readonly ((assets: readonly Asset[]) => Promise<Asset[]>)[],
  before: AssetCursor | null,
  limit: number,
): Promise<{ assets: Asset[]; next: AssetCursor | null }> {
  const found: Asset[] = [];
  for (let from = before; ;) {
    const { assets, next } = await listLibrary(deps, websiteId, from, AT_ONCE);
    let left = assets;
    for (const filter of filters) left = await filter(left);
    found.push(...left);
    if (found.length > limit) return { assets: found.slice(0, limit), next: found[limit - 1] ?? null };
    if (next === null) return { assets: found, next: null };
    from = next;
  }
}

const HASH_IN_ADDRESS = /\/assets\/[0-9a-f-]{36}\/([0-9a-f]{64})(?:\/|$)/;

/**
 * Keeps the pictures whose name, alternative text or first address contains all words; for a picture's address, that picture.
 * Filters here, because SQLite folds only ASCII letters.
 */
export function matchesWords(search: string): (assets: readonly Asset[]) => Promise<Asset[]> {
  const hash = HASH_IN_ADDRESS.exec(search)?.[1];
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = (asset: Asset) => {
    if (hash !== undefined) return asset.hash === hash;
    const text = `${asset.name} ${asset.alt} ${asset.sourceUrl ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return (assets) => Promise.resolve(assets.filter(isMatch));
}

/** Deletes the pictures that nothing uses by now. @returns the deleted ones, and those that are used and stay. */
export async function deleteUnused(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  uses: AssetUses,
  websiteId: string,
  ids: readonly string[],
  origin: Origin,
): Promise<{ deleted: Asset[]; used: Asset[] }> {
  const deleted: Asset[] = [];
  const used: Asset[] = [];
  for (let at = 0; at < ids.length; at += DELETED_AT_ONCE) {
    const batch = ids.slice(at, at + DELETED_AT_ONCE);
    const found = await deps.store.read((db) => findAssets(db, websiteId, batch));
    const unused = new Set(await uses.filterUnused(websiteId, found));
    used.push(...found.filter((asset) => !unused.has(asset)));
    const isGone = await deps.store.write((db) =>
      Array.fromAsync(unused, (asset) => markDeleted(db, deps, asset, origin)),
    );
    deleted.push(...[...unused].filter((_, no) => isGone[no]));
  }
  return { deleted, used };
}

/** Stops serving the picture at once. Its file is kept for a day. */
export async function deleteAsset(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  asset: Asset,
  origin: Origin,
): Promise<void> {
  await deps.store.write((db) => markDeleted(db, deps, asset, origin));
}

/** @returns false if it was deleted before. */
async function markDeleted(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId">,
  { id, websiteId, name }: Asset,
  origin: Origin,
): Promise<boolean> {
  if (!(await markAssetDeleted(db, websiteId, id, deps.clock()))) return false;
  const target = { targetKind: "asset", targetId: id, websiteId } as const;
  await recordAudit(db, deps, origin, { action: "asset.deleted", ...target, detail: { name } });
  return true;
}

/** @throws AppError `misconfigured` if other processes would not see the file. */
async function assertFilesShared({ store, assetFiles }: Pick<Deps, "store" | "assetFiles">): Promise<void> {
  if (assetFiles.isShared || (await store.read(countNodes)) <= 1) return;
  throw new AppError(
    "misconfigured",
    "Several processes of Rostrum run on this database, and pictures are kept on one machine only: set ROSTRUM_ASSETS to a shared folder or a bucket (docs/assets.md).",
  );
}

export interface OpenedAsset {
  asset: Asset;
  /** Path of the file on this machine. */
  path: string;
}

/** A picture that may be served, with the path of its file on this machine; undefined if there is none. */
export async function openAsset(
  { store, assetFiles }: Pick<Deps, "store" | "assetFiles">,
  websiteId: string,
  hash: string,
): Promise<OpenedAsset | undefined> {
  const asset = await store.read((db) => findAssetByHash(db, websiteId, hash));
  if (asset === undefined) return undefined;
  const path = await assetFiles.open(assetKey(asset));
  if (path === undefined) throw new Error(`the file of the picture ${assetKey(asset)} is missing`);
  return { asset, path };
}

/** The picture's absolute address. @param base the service's own address. */
export function assetUrl(asset: Asset, website: Pick<Website, "assetUrl">, base: string): string {
  return (website.assetUrl ?? base) + assetPath(asset);
}

type RemovalDeps = Pick<Deps, "store" | "clock" | "assetFiles">;

/** Removes the files of pictures that were deleted at least a day ago. @returns how many. */
export async function removeDeletedAssets(
  { store, clock, assetFiles }: RemovalDeps,
  onError: OnError = () => undefined,
): Promise<number> {
  const before = clock() - DELETED_KEPT_MS;
  const failed = new Set<string>();
  let removed = 0;
  for (;;) {
    const found = await store.read((db) => listDeletedAssets(db, before, AT_ONCE + failed.size));
    const batch = found.filter(({ id }) => !failed.has(id));
    for (const asset of batch) {
      const remove = async () => {
        // Removes the row first: if the picture was restored, it must keep its file.
        const isGone = await store.write((db) => purgeAsset(db, asset.websiteId, asset.id, before), { notify: false });
        if (isGone) await assetFiles.remove(assetKey(asset));
        removed++;
      };
      await catchFailure(remove, (error) => {
        failed.add(asset.id);
        onError(error, `the deleted picture ${asset.id} could not be removed; it will be retried`);
        return Promise.resolve();
      });
    }
    if (batch.length < AT_ONCE) return removed;
  }
}

/** Removes the picture files of a deleted website; the rows are removed afterwards. */
export async function removeAssetsOfWebsite(
  { store, assetFiles }: Pick<Deps, "store" | "assetFiles">,
  websiteId: string,
): Promise<void> {
  for (let after = ""; ;) {
    const batch = await store.read((db) => listAssetBatch(db, websiteId, after, AT_ONCE));
    for (const asset of batch) await assetFiles.remove(assetKey(asset));
    const last = batch.at(-1);
    if (last === undefined || batch.length < AT_ONCE) return;
    after = last.id;
  }
}

/** Removes files of interrupted uploads. Keys contain their time: none that is being written is removed. */
export async function removeOrphanedFiles(
  { store, clock, assetFiles }: RemovalDeps,
  onError: OnError = () => undefined,
): Promise<number> {
  let removed = 0;
  const remove = async (keys: readonly string[]) => {
    const known = await store.read((db) => knownKeys(db, keys));
    for (const key of keys) {
      if (known.has(key)) continue;
      const removeFile = async () => {
        await assetFiles.remove(key);
        removed++;
      };
      await catchFailure(removeFile, (error) => {
        onError(error, `the file ${key}, which belongs to no picture, could not be removed; it will be retried`);
        return Promise.resolve();
      });
    }
  };
  let old: string[] = [];
  for await (const key of assetFiles.list()) {
    const createdAt = timeOf(key);
    if (createdAt === null || createdAt > clock() - ORPHANS_KEPT_MS) continue;
    old.push(key);
    if (old.length < AT_ONCE) continue;
    await remove(old);
    old = [];
  }
  await remove(old);
  return removed;
}

async function knownKeys(db: Snapshot, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = keys.map((key) => key.slice(key.lastIndexOf(".") + 1));
  return new Set((await listKnownAssets(db, ids)).map(assetKey));
}

/** The time in the UUIDv7 at the end of a key; null if it is not the key of an asset. */
function timeOf(key: string): number | null {
  const [, high, low] = /^[0-9a-f-]{36}\/[0-9a-f]{64}\.([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(key) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}
