import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { DiskStats } from "../http/operators/prometheus.ts";

/** The file's modification time is that of the last backup; other backup tools than ours may write it, too. */
export const LAST_BACKUP_FILE = "last-backup";

/** `folder`: a folder on the disk to measure. */
export async function measureDisk(folder: string, dataDir: string): Promise<DiskStats> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const lastBackup = await stat(join(dataDir, LAST_BACKUP_FILE)).catch(() => null);
  return {
    freeBytes: bavail * bsize,
    sizeBytes: blocks * bsize,
    lastBackupAt: lastBackup === null ? null : lastBackup.mtimeMs / 1_000,
  };
}
