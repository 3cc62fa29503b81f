/** Copies each picture to the continuous backup as well, before its row is saved: then the row never comes back without its file. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AssetFiles } from "../operations/system/deps.ts";

/** How long an upload waits for its copy. The service copies later what was not copied in time (backup/pictures.ts). */
const MAX_WAIT_MS = 5_000;
/** After a copy fails or takes too long, uploads do not wait for copies for this long. */
const PAUSE_MS = 60_000;

/** `isForeign`: whether the place of the copies is another database's, whose service would remove these. */
export function backedUp(
  files: AssetFiles,
  copies: Pick<AssetFiles, "put">,
  isForeign: () => Promise<boolean>,
  maxWaitMs = MAX_WAIT_MS,
): AssetFiles {
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const copyIfAllowed = async (key: string, path: string): Promise<void> => {
    if (!(await isForeign())) await copies.put(key, path);
  };
  const copy = async (key: string, path: string): Promise<void> => {
    if (performance.now() < pausedUntil) return;
    const done = new AbortController();
    const late = sleep(maxWaitMs, false, { signal: done.signal }).catch(() => false);
    const copied = copyIfAllowed(key, path).then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([copied, late]))) pausedUntil = performance.now() + PAUSE_MS;
    done.abort();
  };
  return {
    isShared: files.isShared,
    put: async (key, path) => {
      await Promise.all([files.put(key, path), copy(key, path)]);
    },
    open: (key) => files.open(key),
    has: (key) => files.has(key),
    remove: (key) => files.remove(key),
    list: () => files.list(),
  };
}
