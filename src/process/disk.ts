/** How full a disk is, and when the data was last backed up. */
import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { DiskFigures } from "../http/prometheus.ts";

/** In the data folder: its time is when the last backup was finished. `rostrum backup` writes it; other ways of backing up may, too. */
export const LAST_BACKUP_FILE = "last-backup";

/** `folder`: on the disk that is measured. */
export async function measureDisk(folder: string, dataDir: string): Promise<DiskFigures> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const lastBackup = await stat(join(dataDir, LAST_BACKUP_FILE)).catch(() => null);
  return {
    freeBytes: bavail * bsize,
    sizeBytes: blocks * bsize,
    lastBackupAt: lastBackup === null ? null : lastBackup.mtimeMs / 1_000,
  };
}
