/** Locks that the kernel releases when their process ends: SQLite's, on an empty file. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFolder } from "../../system/files.ts";
import { createOnce, withDatabase } from "./database-file.ts";
import { explained, resultCode, RESULT } from "./errors.ts";

const LOCK_FILE_WAIT_MS = 1_000;
const heldLocks = new Set<DatabaseSync>();

/**
 * Released by the kernel however the process ends; also if the process opens and closes the file by other means.
 * @returns null when it is held, also by this process. @throws AppError `unavailable`.
 */
export function lockFile(path: string, subject: string): Disposable | null {
  return explained(subject, () => {
    makePrivateFolder(dirname(path));
    createOnce(path);
    // A killed process may hold its locks for a few milliseconds more.
    const database = new DatabaseSync(path, { timeout: LOCK_FILE_WAIT_MS });
    try {
      // A journal on the disk would need room.
      database.exec("PRAGMA journal_mode = MEMORY");
      database.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (resultCode(error) === RESULT.BUSY) return null;
      throw error;
    }
    // The garbage collector would close a database that is not referenced.
    heldLocks.add(database);
    return {
      [Symbol.dispose]: () => {
        heldLocks.delete(database);
        if (database.isOpen) database.close();
      },
    };
  });
}

/** Whether a process holds the lock of `lockFile`. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  return explained(path, () => {
    try {
      withDatabase(path, { readOnly: true, timeout: 0 }, (database) =>
        database.exec("SELECT count(*) FROM sqlite_schema"),
      );
      return false;
    } catch (error) {
      if (resultCode(error) === RESULT.BUSY) return true;
      throw error;
    }
  });
}
