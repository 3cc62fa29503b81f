// Plain JavaScript for Node 20 or newer.
import { homedir } from "node:os";
import { join } from "node:path";

/** Where a user who cannot write to the package's folder keeps what Rostrum could not put there. */
export function userCacheFolder() {
  return join(cacheRoot(), "rostrum");
}

function cacheRoot() {
  if (process.platform === "win32") return process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  return process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
}
