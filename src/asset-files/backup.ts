/** The files of assets beside a backup of the database, in the folder `<backup>.assets`. */
import { existsSync } from "node:fs";
import type { AssetFiles } from "../operations/system/deps.ts";
import { AssetFolder, isUnfinished } from "./folder.ts";

const COPIES_AT_ONCE = 8;
const ABANDONED_AFTER_MS = 3_600_000;

interface Copied {
  files: number;
  missing: string[];
}

function backupFolder(file: string): AssetFolder {
  return new AssetFolder(`${file}.assets`, { isShared: false });
}

/** Makes the files beside a backup match its database's keys. Files that are already there are not copied again. */
export async function backUpFiles(source: AssetFiles, file: string, keys: readonly string[]): Promise<Copied> {
  const folder = backupFolder(file);
  const copied = await copyFiles(source, folder, keys);
  const wanted = new Set(keys);
  for await (const key of folder.list()) {
    if (!wanted.has(key) && !(await isBeingWritten(folder, key))) await folder.remove(key);
  }
  return copied;
}

/** Whether another command may be writing it; a killed one leaves what it has begun. */
async function isBeingWritten(folder: AssetFolder, key: string): Promise<boolean> {
  if (!isUnfinished(key)) return false;
  const writtenAt = await folder.modifiedAt(key);
  return writtenAt !== undefined && Date.now() - writtenAt < ABANDONED_AFTER_MS;
}

/** Copies the files beside a backup that the service lacks. */
export async function restoreFiles(file: string, target: AssetFiles, keys: readonly string[]): Promise<Copied> {
  return copyFiles(existsSync(`${file}.assets`) ? backupFolder(file) : null, target, keys);
}

/** Copies the files that the target lacks. */
export async function copyFiles(
  source: AssetFiles | null,
  target: AssetFiles,
  keys: readonly string[],
): Promise<Copied> {
  const missing: string[] = [];
  let next = 0;
  const work = async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      if (await target.has(key)) continue;
      const path = await source?.open(key);
      if (path === undefined) missing.push(key);
      else await target.put(key, path);
    }
  };
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, work));
  return { files: keys.length - missing.length, missing };
}
