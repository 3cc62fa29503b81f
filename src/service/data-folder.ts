/** Restricts the files of the data folder to this user. On Windows the folder's own permissions apply. */
import { chmodSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SECRET_KEY_FILE } from "../app/app.ts";
import { ASSET_CACHE_FOLDER, ASSETS_FOLDER, type Config } from "../process/settings/config.ts";
import { LAST_BACKUP_FILE } from "../process/disk.ts";
import { litestreamFolder } from "../store/engine/sqlite/database-file.ts";
import { HIGH_WATER_MARK_FILE } from "./high-water-mark.ts";
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from "../store/system/files.ts";

type DataConfig = Pick<Config, "dataDir" | "database">;

const OTHERS = 0o077;
const WORLD_WRITES = 0o002;
/** Holds the first owner's link until it is used. */
export const OWNER_LINK_FILE = "owner-link.txt";
const OURS_BY_NAME = new Set([
  SECRET_KEY_FILE,
  HIGH_WATER_MARK_FILE,
  LAST_BACKUP_FILE,
  OWNER_LINK_FILE,
  "demo-key.txt",
]);
/** `.cache` is there if the data folder is the user's home: it has compiled code (bin/cache-folder.js). */
const OUR_FOLDERS = new Set([ASSETS_FOLDER, ASSET_CACHE_FOLDER, ".cache"]);
const DATABASE_SUFFIX =
  /^(?:-wal|-shm|-journal|\.(?:control|lock|holder|reserve|serving|restoring|before-restore-).*)?$/;

/** Removes others' access to our files, as after a copy by hand. @returns a sentence for each where that failed. */
export function restrictDataFolder(config: DataConfig): string[] {
  if (process.platform === "win32") return [];
  for (const folder of dataFolders(config)) {
    // New folders are created for this user only.
    const names = namesIn(folder).filter((name) => !isOurFolder(name, folder, config));
    const ours = names.filter((name) => isOurs(name, folder, config));
    if (ours.length > 0 && ours.length === names.length) restrictMode(folder, PRIVATE_FOLDER_MODE);
    for (const name of ours) restrictMode(join(folder, name), PRIVATE_FILE_MODE);
  }
  return findOpenFiles(config);
}

/** @returns a sentence for each item of the data folder that other users can access. Changes nothing. */
export function findOpenFiles(config: DataConfig): string[] {
  if (process.platform === "win32") return [];
  return dataFolders(config).flatMap((folder) => {
    const mode = readMode(folder);
    const problems = (mode & WORLD_WRITES) === 0 ? [] : [describeAccess(folder, mode, "700", "change the files in it")];
    const ours = namesIn(folder).filter((name) => isOurs(name, folder, config));
    for (const path of ours.map((name) => join(folder, name))) {
      if ((readMode(path) & OTHERS) !== 0) problems.push(describeAccess(path, readMode(path), "600", "open it"));
    }
    return problems;
  });
}

function describeAccess(path: string, mode: number, wanted: string, what: string): string {
  return `${path} has mode ${mode.toString(8)}: other users of this machine can ${what}. Run as its owner: chmod ${wanted} ${path}`;
}

function dataFolders({ dataDir, database }: DataConfig): string[] {
  return [...new Set([dataDir, ...(database.kind === "sqlite" ? [dirname(database.path)] : [])])];
}

function isOurFolder(name: string, folder: string, { dataDir, database }: DataConfig): boolean {
  if (database.kind === "sqlite" && litestreamFolder(database.path) === join(folder, name)) return true;
  return folder === dataDir && OUR_FOLDERS.has(name);
}

function isOurs(name: string, folder: string, { dataDir, database }: DataConfig): boolean {
  if (folder === dataDir && OURS_BY_NAME.has(name)) return true;
  if (database.kind !== "sqlite" || folder !== dirname(database.path)) return false;
  const main = basename(database.path);
  return name.startsWith(main) && DATABASE_SUFFIX.test(name.slice(main.length));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist yet, or opening the database will report the problem.
    return [];
  }
}

function restrictMode(path: string, mode: number): void {
  if ((readMode(path) & OTHERS) === 0) return;
  try {
    chmodSync(path, mode);
  } catch {
    // The file belongs to another user, or the file system has no modes: `findOpenFiles` reports it.
  }
}

/** The permission bits; 0 if the file is gone. */
function readMode(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}
