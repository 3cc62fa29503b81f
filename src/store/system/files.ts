/** Private files that survive a power failure: content is flushed before the name, and the folder after it. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { getErrorCode } from "../../domain/system/errors.ts";

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

const isWindows = process.platform === "win32";

interface FileOwner {
  uid: number;
  gid: number;
}

/**
 * The owner that new files in the folder get. When root runs a command and another user runs the service, the service must be
 * able to open them; SQLite does the same with its files. Null: this user.
 */
export function ownerIn(folder: string): FileOwner | null {
  if (process.geteuid?.() !== 0) return null;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? null : { uid, gid };
}

/** Creates the folder and those above it, for this user alone; an existing folder keeps its mode. */
export function makePrivateFolder(path: string): void {
  // One by one: for some paths, as /proc/data, a recursive mkdirSync of Node 26 never returns.
  const missing = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.push(folder);
    // A drive of Windows that is not there.
    if (dirname(folder) === folder) break;
  }
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, { mode: PRIVATE_FOLDER_MODE });
    } catch (error) {
      if (getErrorCode(error) !== "EEXIST") throw error;
      // Another process has made it meanwhile.
      continue;
    }
    // The umask may have removed rights, even the owner's.
    if (!isWindows) chmodSync(folder, PRIVATE_FOLDER_MODE);
    const owner = ownerIn(dirname(folder));
    if (owner !== null) lchownSync(folder, owner.uid, owner.gid);
    syncFolder(dirname(folder));
  }
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(`${path} is no folder`), { code: "ENOTDIR" });
}

/** The path without symbolic links, as far as it exists. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

/**
 * Creates an empty file for the folder's user alone (`ownerIn`), or with `isOwn` for this one. @throws when there is a file or a link
 * of that name.
 */
export function createPrivateFile(path: string, { isOwn = false } = {}): void {
  const file = openSync(path, "wx", PRIVATE_FILE_MODE);
  try {
    if (!isWindows) fchmodSync(file, PRIVATE_FILE_MODE);
    const owner = isOwn ? null : ownerIn(dirname(path));
    if (owner !== null) fchownSync(file, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

/** Writes the text to a new file as `createPrivateFile` makes it, which then replaces any file of that name. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  try {
    createPrivateFile(draft);
    writeFileSync(draft, text);
    renameDurably(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** As `writePrivateFile`, off the event loop: a disk may take many milliseconds to flush. */
export async function writePrivateFileAsync(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await rm(draft, { force: true });
  try {
    const file = await open(draft, "wx", PRIVATE_FILE_MODE);
    try {
      if (!isWindows) await file.chmod(PRIVATE_FILE_MODE);
      const owner = ownerIn(dirname(path));
      if (owner !== null) await file.chown(owner.uid, owner.gid);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await syncFolderAsync(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives a finished file its name. After a power failure the name stands for the old file or for all of the new one. */
export function renameDurably(from: string, to: string): void {
  syncFile(from);
  renameSync(from, to);
  syncFolder(dirname(to));
  if (dirname(resolve(from)) !== dirname(resolve(to))) syncFolder(dirname(from));
}

/** Waits until the file's content is on the disk. */
export function syncFile(path: string): void {
  sync(path, "r+");
}

/** Waits until the names in the folder are on the disk. */
export function syncFolder(path: string): void {
  if (isWindows) return;
  try {
    sync(path, "r");
  } catch (error) {
    // Some file systems cannot flush folders, and a folder may be writable for a user who may not list it.
    if (!CANNOT_SYNC.has(getErrorCode(error) ?? "")) throw error;
  }
}

async function syncFolderAsync(path: string): Promise<void> {
  if (isWindows) return;
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC.has(getErrorCode(error) ?? "")) throw error;
  }
}

const CANNOT_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EACCES"]);

function sync(path: string, flags: "r" | "r+"): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
