// Plain JavaScript for Node 20 or newer.
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const OTHERS_WRITE = 0o022;
/** In such a folder only the owner of a file can rename or remove it. */
const STICKY = 0o1000;

/**
 * Where a user who cannot write to the package's folder keeps what Rostrum could not put there; programs are run from it, so it is
 * undefined unless nobody else can change what it holds. Creates the folder.
 */
export function userCacheFolder() {
  try {
    const root = cacheRoot();
    if (!isAbsolute(root)) return undefined;
    const folder = join(root, "rostrum");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isOnlyOurs(realpathSync(folder)) ? folder : undefined;
  } catch {
    // The user has no home, or it cannot be written.
    return undefined;
  }
}

/** @throws if the user has no home. */
function cacheRoot() {
  if (process.platform === "win32") return process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  return process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
}

/** Whether only this user and root can change the folder, or replace it or one that it is in. On Windows, a user's own folders are. */
function isOnlyOurs(folder) {
  if (process.getuid === undefined) return true;
  for (let path = folder; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path);
    const isSafe = (mode & OTHERS_WRITE) === 0 || ((mode & STICKY) !== 0 && path !== folder);
    if (!isSafe || (uid !== 0 && uid !== process.getuid())) return false;
    if (path === dirname(path)) return true;
  }
}
