import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { diskFull, isDiskFullAt } from "../../system/disk-reserve.ts";
import { HOLDS_NUL, IS_TAKEN } from "../error-messages.ts";

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
export const RESULT = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;
const DAMAGED: ReadonlySet<number> = new Set([RESULT.CORRUPT, RESULT.NOTADB, RESULT.IOERR]);
/** Extended result codes: a primary key or another unique key exists already. */
const TAKEN = new Set([1_555, 2_067]);

/** SQLite could store a NUL character, PostgreSQL cannot: both have to accept the same texts. */
export class NulCharacterError extends Error {}

/** @throws the error of `work` as `explain` returns it. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(path, error);
  }
}

/** Turns an error of SQLite or the file system into a message for the operator; returns other errors unchanged. */
export function explain(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const unavailable = (sentence: string) => new AppError("unavailable", sentence, { cause: error });
  if (error instanceof NulCharacterError) return new AppError("invalid", HOLDS_NUL, { cause: error });
  const systemCode = "code" in error ? error.code : undefined;
  if (systemCode === "EROFS") return readOnlyDisk(path, error);
  if (systemCode === "EACCES" || systemCode === "EPERM") {
    return unavailable(`${path} cannot be written: give this user the right to write to its folder.`);
  }
  if (systemCode === "ENOTDIR" || systemCode === "EEXIST") {
    return unavailable(`The folder of ${path} is not a folder: choose another one with ROSTRUM_DATA_DIR.`);
  }
  if (systemCode === "ENOENT") {
    return unavailable(`The folder of ${path} cannot be made: choose another one with ROSTRUM_DATA_DIR.`);
  }
  if (systemCode === "ENOSPC") return diskFull(path, error);
  if ("errcode" in error && TAKEN.has(Number(error.errcode)))
    return new AppError("conflict", IS_TAKEN, { cause: error });
  const code = resultCode(error);
  // SQLite says so of no file but the database itself: an index of its log that finds no room is an I/O error.
  if ((code === RESULT.IOERR || code === RESULT.CANTOPEN) && hasNoRoom(path)) return diskFull(path, error);
  if ((code === RESULT.READONLY || code === RESULT.CANTOPEN) && isOnReadOnlyDisk(path))
    return readOnlyDisk(path, error);
  switch (code) {
    case RESULT.BUSY:
    case RESULT.LOCKED:
      return unavailable(`${path} is locked by another program: wait until it is done, or stop it, and try again.`);
    case RESULT.READONLY:
      return unavailable(`${path} is read-only: give this user the right to write to it and to its folder.`);
    case RESULT.IOERR:
      return unavailable(`${path} could not be read or written (${error.message}): check the disk.`);
    case RESULT.CORRUPT:
      return unavailable(`${path} is damaged (${error.message}): restore a backup with "rostrum restore FILE".`);
    case RESULT.FULL:
      return diskFull(path, error);
    case RESULT.CANTOPEN:
      return unavailable(`${path} cannot be opened: check that its folder exists and that this user may write to it.`);
    case RESULT.NOTADB:
      return unavailable(`${path} is not a database: restore a backup with "rostrum restore FILE", or move it away.`);
    default:
      return error;
  }
}

function readOnlyDisk(path: string, cause: Error): AppError {
  return new AppError("unavailable", `${path} is on a read-only disk: mount the disk with write access.`, { cause });
}

function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return getErrorCode(error) === "EROFS";
  }
}

function hasNoRoom(path: string): boolean {
  try {
    return isDiskFullAt(path);
  } catch {
    return false;
  }
}

/** The SQLite primary result code of a driver's error, or 0. */
export function resultCode(error: unknown): number {
  if (typeof error === "object" && error !== null && "errcode" in error && typeof error.errcode === "number") {
    return error.errcode & 0xff;
  }
  return 0;
}

export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(resultCode(error));
}
