/**
 * A model of a power cut: whatever no commit has synced is lost. At each COMMIT the connection is asked for its
 * `PRAGMA synchronous`; if that is FULL, the WAL counts as on the disk up to its length at that moment. After the kill, the
 * WAL is truncated to the last such length.
 *
 * This models what SQLite documents for FULL in WAL mode, and tests that our commits ask for it. It does not test whether the
 * operating system and the disk keep what fsync promises, nor torn writes during a checkpoint: checkpoints are off.
 */
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { wrapExec } from "./driver.ts";

const FULL = 2;

/** For a process that opens the database at `path` after this call. */
export function noteSynced(path: string): void {
  wrapExec((run, sql, database) => {
    run(sql);
    if (sql.startsWith("PRAGMA journal_mode")) run("PRAGMA wal_autocheckpoint = 0");
    if (sql !== "COMMIT") return;
    const { synchronous } = database.prepare("PRAGMA synchronous").get() as { synchronous: number };
    // A file survives a kill. The length is written before the commit is reported to anyone.
    if (synchronous >= FULL) writeFileSync(notePath(path), String(statSync(walPath(path)).size));
  });
}

/** @returns how many bytes were lost. */
export function cutPower(path: string): number {
  const synced = existsSync(notePath(path)) ? Number(readFileSync(notePath(path), "utf8")) : 0;
  const wal = walPath(path);
  const size = existsSync(wal) ? statSync(wal).size : 0;
  if (size > synced) truncateSync(wal, synced);
  // The index of the WAL is in memory, so it is lost.
  rmSync(`${path}-shm`, { force: true });
  return Math.max(0, size - synced);
}

const walPath = (path: string) => `${path}-wal`;
const notePath = (path: string) => `${path}.synced`;
