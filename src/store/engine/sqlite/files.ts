import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { renameDurably, syncFile, syncFolder } from "../../system/files.ts";
import { assertNoOrphanLog, litestreamFolder, mergeLog } from "./database-file.ts";

/** The files beside the database; all but `-shm` hold data. */
const LOGS = ["-wal", "-journal"] as const;
const BESIDE = [...LOGS, "-shm"] as const;

const KEPT = ".before-restore-";

/** Disk operations of a replacement; tests stop it before each of them. */
export interface Disk {
  /** Gives the file a second name. */
  link(path: string, name: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Waits until the names in the folder are on the disk. */
  sync(folder: string): void;
}

const DISK: Disk = {
  link: (path, name) => {
    try {
      linkSync(path, name);
    } catch (error) {
      // Some file systems have no hard links.
      if (getErrorCode(error) === "EEXIST") throw error;
      const draft = `${name}.unfinished`;
      copyFileSync(path, draft);
      renameDurably(draft, name);
    }
  },
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  sync: syncFolder,
};

/**
 * Replaces the database at `path` with `from`, which no process has open, and keeps the old one under another name, by
 * `now`. Stopped at any moment, all of the old data or all of the new is there, and the old data has a name.
 *
 * @returns the name of the old data; null when there was none. @throws AppError `unavailable` when another process has
 * it open, or only its log is left.
 */
export function replaceDatabase(from: string, path: string, now: Date, disk: Disk = DISK): string | null {
  const folder = dirname(path);
  if (!existsSync(path)) assertNoOrphanLog(path);
  if (!mergeLog(from)) throw new AppError("unavailable", `${from} is damaged.`);
  // What Litestream remembers is of the old data.
  rmSync(litestreamFolder(path), { recursive: true, force: true });
  syncFile(from);
  const kept = existsSync(path) ? linkDatabase(path, now, disk) : null;
  disk.rename(from, path);
  disk.sync(folder);
  return kept;
}

function linkDatabase(path: string, now: Date, disk: Disk): string {
  const folder = dirname(path);
  const kept = path + KEPT + now.toISOString().replaceAll(/[-:.]/g, "");
  const isDamaged = !mergeLog(path);
  for (const name of unusedNames(path)) disk.remove(name);
  const beside = isDamaged ? BESIDE.filter((suffix) => existsSync(path + suffix)) : [];
  for (const suffix of LOGS) if (beside.includes(suffix)) disk.link(path + suffix, kept + suffix);
  disk.link(path, kept);
  disk.sync(folder);
  for (const suffix of beside) disk.remove(path + suffix);
  if (beside.length > 0) disk.sync(folder);
  return kept;
}

/** Hard links to the database at `path` that an interrupted restore left. One with a log holds data of its own. */
function unusedNames(path: string): string[] {
  const { ino, dev, nlink } = statSync(path, { bigint: true });
  if (nlink === 1n) return [];
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path) + KEPT))
    .map((name) => join(dirname(path), name))
    .filter((name) => {
      const other = statSync(name, { bigint: true });
      return other.ino === ino && other.dev === dev && LOGS.every((suffix) => !existsSync(name + suffix));
    });
}
