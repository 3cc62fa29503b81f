/**
 * Detects a restore without `rostrum restored`: receivers would take next events for old ones, and caches hold pages of
 * versions that are assigned again. The mark is in memory and in the data folder, outside the database.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/system/errors.ts";
import { findSetBack, type HighWaterMark, type Position, raiseMark } from "../domain/system/high-water-mark.ts";
import type { Log } from "../process/log.ts";
import { makePrivateFolder, writePrivateFileAsync } from "../store/system/files.ts";
import { hasForeignEvents } from "../store/website/post-restore.ts";
import type { ChangeFeed, Snapshot, Store } from "../store/store.ts";
import { hasTable } from "../store/system/has-table.ts";
import { hasHadWebsites, listPositions } from "../store/system/websites.ts";
import { runEvery } from "../process/interval.ts";

export const HIGH_WATER_MARK_FILE = "high-water-mark.json";

const CHECK_INTERVAL_MS = 1_000;

export interface MarkKeeper extends AsyncDisposable {
  /** Rejects with an AppError `conflict` when the database is set back while it is served. */
  setBack: Promise<never>;
}

/** Compares, then updates until disposed of; in memory only in a read-only folder. @throws AppError `conflict`. */
export async function saveHighWaterMark(
  store: Store & Pick<ChangeFeed, "commitCounter">,
  dataDir: string,
  log: Pick<Log, "warn" | "error">,
): Promise<MarkKeeper> {
  const path = join(dataDir, HIGH_WATER_MARK_FILE);
  const mark = readHighWaterMark(dataDir);
  const setBack = Promise.withResolvers<never>();
  setBack.promise.catch(() => undefined);
  let isUnsaved = false;
  let hasWarned = false;
  let checkedAt = Number.NaN;
  const check = async () => {
    const positions = await store.read(listPositions);
    const found = findSetBack(mark, positions);
    if (found !== undefined) throw new AppError("conflict", describeSetBack(found, path));
    if (raiseMark(mark, positions)) isUnsaved = true;
  };
  const save = async () => {
    if (!isUnsaved) return;
    try {
      makePrivateFolder(dataDir);
      await writePrivateFileAsync(path, `${JSON.stringify([...mark])}\n`);
      isUnsaved = false;
    } catch (error) {
      if (!hasWarned) {
        log.warn(
          { path, reason: String(error) },
          "a database that is put back to an earlier state will not be noticed after a restart",
        );
      }
      hasWarned = true;
    }
  };
  try {
    await store.read((db) => assertNotEmptied(db, dataDir));
  } catch (error) {
    // A PostgreSQL server has many databases: the folder may be meant for another one now.
    if (store.engine === "sqlite" || !(error instanceof AppError && error.code === "conflict")) throw error;
    log.warn({ path }, error.message);
  }
  if (await store.read(hasForeignEvents)) throw new AppError("conflict", FOREIGN_EVENTS);
  await check();
  const checking = runEvery(
    CHECK_INTERVAL_MS,
    async () => {
      const commitCounter = store.commitCounter();
      if (commitCounter === checkedAt && !isUnsaved) return;
      try {
        await check();
        checkedAt = commitCounter;
        await save();
      } catch (error) {
        // Other components log an outage of the database.
        if (error instanceof AppError && error.code === "conflict") setBack.reject(error);
      }
    },
    log,
  );
  return {
    setBack: setBack.promise,
    [Symbol.asyncDispose]: async () => {
      await checking[Symbol.asyncDispose]();
      // The last changes are missed if the database is unavailable or was set back.
      await check().catch(() => undefined);
      await save();
    },
  };
}

const WHAT_TO_DO =
  'If it was recovered, restored or replaced by an earlier copy, stop the service on every machine, run "rostrum restored" once, and ' +
  "start it again: otherwise receivers take new events for old ones.";

const FOREIGN_EVENTS = `The events in the database were written by another PostgreSQL server, so that no webhook would be sent. ${WHAT_TO_DO}`;

/** Null: no database. @throws AppError `conflict` if it never had a website, but this data folder has served one. */
export async function assertNotEmptied(db: Snapshot | null, dataDir: string): Promise<void> {
  const { size } = readHighWaterMark(dataDir);
  if (size === 0 || (db !== null && (await hasTable(db, "websites")) && (await hasHadWebsites(db)))) return;
  throw new AppError(
    "conflict",
    `The database is empty, but this data folder has served ${size === 1 ? "a website" : `${size} websites`}: check DATABASE_URL and ` +
      "ROSTRUM_DATA_DIR, and that the disk is there, or restore a backup. To start with an empty database, delete " +
      `${join(dataDir, HIGH_WATER_MARK_FILE)}.`,
  );
}

function describeSetBack({ before, now }: NonNullable<ReturnType<typeof findSetBack>>, path: string): string {
  const [what, was, is] =
    now.eventSequence < before.eventSequence
      ? ["event", before.eventSequence, now.eventSequence]
      : ["content version", before.contentVersion, now.contentVersion];
  return (
    `The database went back to an earlier state: website ${now.websiteId} was at ${what} ${was}, and is at ${is} now. ` +
    `${WHAT_TO_DO} What this process remembers is in ${path}.`
  );
}

/** Empty if the file is missing or damaged; then nothing is compared. */
export function readHighWaterMark(dataDir: string): HighWaterMark {
  try {
    // Only this file writes it.
    return new Map(JSON.parse(readFileSync(join(dataDir, HIGH_WATER_MARK_FILE), "utf8")) as [string, Position][]);
  } catch {
    return new Map();
  }
}
