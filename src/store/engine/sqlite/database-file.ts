/** The database's file and its write-ahead log, while no store has them open. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { createPrivateFile, realPath } from "../../system/files.ts";
import { explained, isDamaged } from "./errors.ts";

/** One page of the smallest size. */
const SMALLEST_BYTES = 512;

/** Where Litestream keeps what it has yet to copy. While it is there, checkpoints are left to Litestream. */
export function litestreamFolder(path: string): string {
  const file = realPath(path);
  return join(dirname(file), `.${basename(file)}-litestream`);
}

/** SQLite gives the files beside the database the mode of the database. */
export function createOnce(path: string): void {
  if (existsSync(path)) return;
  try {
    createPrivateFile(path);
  } catch (error) {
    // Another process created it first.
    if (getErrorCode(error) !== "EEXIST") throw error;
  }
}

/** SQLite would delete a log of a missing or empty database, and its commits. @throws AppError `unavailable`. */
export function assertNoOrphanLog(path: string): void {
  if (!isOrphanLog(path)) return;
  throw new AppError(
    "unavailable",
    `${path} is ${existsSync(path) ? "empty" : "missing"}, but its log ${path}-wal is there, with the latest changes: put the database back under its name, or move the log away to start anew.`,
  );
}

function isOrphanLog(path: string): boolean {
  return getFileSize(`${path}-wal`) > 0 && getFileSize(path) < SMALLEST_BYTES;
}

function getFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Merges the log into the file, so that a rename moves all data. @returns false for a damaged database, whose log is
 * unchanged. @throws AppError `unavailable` when another process has it open, or it cannot be written.
 */
export function mergeLog(path: string): boolean {
  if (isOrphanLog(path)) return false;
  return explained(path, () => {
    try {
      // A writable connection would, on closing, merge the log of a damaged database, too.
      withDatabase(path, { readOnly: true }, (database) => database.exec("SELECT count(*) FROM sqlite_schema"));
      // Unlike a checkpoint, this requires exclusive access to the file.
      withDatabase(path, {}, (database) => database.exec("PRAGMA journal_mode = DELETE"));
      return true;
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return false;
    }
  });
}

export function withDatabase(
  path: string,
  options: { readOnly?: boolean; timeout?: number },
  work: (database: DatabaseSync) => void,
): void {
  const database = new DatabaseSync(path, { timeout: 5_000, ...options });
  try {
    work(database);
  } finally {
    database.close();
  }
}
