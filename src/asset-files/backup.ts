/** The files of assets beside a backup of the database, in the folder `<backup>.assets`. */
import { existsSync } from "node:fs";
import type { AssetFiles } from "../operations/system/deps.ts";
import { AssetFolder } from "./folder.ts";

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
  for await (const key of folder.list()) if (!wanted.has(key)) await folder.remove(key);
  return copied;
}

/** Copies the files beside a backup that the service lacks. */
export async function restoreFiles(file: string, target: AssetFiles, keys: readonly string[]): Promise<Copied> {
  return copyFiles(existsSync(`${file}.assets`) ? backupFolder(file) : null, target, keys);
}

async function copyFiles(source: AssetFiles | null, target: AssetFiles, keys: readonly string[]): Promise<Copied> {
  const missing: string[] = [];
  for (const key of keys) {
    if (await target.has(key)) continue;
    const path = await source?.open(key);
    if (path === undefined) missing.push(key);
    else await target.put(key, path);
  }
  return { files: keys.length - missing.length, missing };
}
