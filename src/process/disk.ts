import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DiskStats } from "../http/operators/prometheus.ts";

/** The file's modification time is that of the last backup; other backup tools than ours may write it, too. */
export const LAST_BACKUP_FILE = "last-backup";

/** `databasePath`: of SQLite, whose disk is measured; null: that of the data folder. */
export async function measureDisk(databasePath: string | null, dataDir: string): Promise<DiskStats> {
  const { bavail, blocks, bsize } = await statfs(databasePath === null ? dataDir : dirname(databasePath));
  const wal = databasePath === null ? null : await stat(`${databasePath}-wal`).catch(() => null);
  const lastBackup = await stat(join(dataDir, LAST_BACKUP_FILE)).catch(() => null);
  return {
    freeBytes: bavail * bsize,
    sizeBytes: blocks * bsize,
    walBytes: wal?.size ?? 0,
    lastBackupAt: lastBackup === null ? null : lastBackup.mtimeMs / 1_000,
  };
}
