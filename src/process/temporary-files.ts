/** Removes temporary files and folders that killed processes have left. */
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseTemporaryName } from "../domain/system/temporary-names.ts";
import { DAY_MS } from "../domain/system/time.ts";
import { isRunning } from "./identity.ts";

/** Files of a process that cannot be looked up are removed after this time; no request or import takes as long. */
const MAX_AGE_MS = 7 * DAY_MS;

interface Now {
  /** Milliseconds since 1970. */
  now: number;
  /** When this process began; it may have the id of an earlier one. */
  began: number;
}

/** @returns how many were removed; what cannot be removed stays. */
export async function removeAbandonedFiles(
  folder: string,
  { now, began }: Now = { now: Date.now(), began: performance.timeOrigin },
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    const maker = parseTemporaryName(name);
    if (maker === undefined) continue;
    const path = join(folder, name);
    try {
      const { mtimeMs, uid } = await lstat(path);
      if (uid !== process.getuid?.() && process.getuid !== undefined) continue;
      const isAbandoned =
        maker === null
          ? mtimeMs < now - MAX_AGE_MS
          : maker.pid === process.pid
            ? mtimeMs < began
            : !isRunning(`${maker.pid}-`);
      if (!isAbandoned) continue;
      await rm(path, { recursive: true, force: true });
      removed++;
    } catch {
      // Removed meanwhile, or by another user.
    }
  }
  return removed;
}
