/**
 * An outage (no connection, a lock, a full or damaged disk, other tables) affects everything and passes: wait and
 * retry. Any other failure lies in the data: a retry fails again, and the rest must continue without it.
 */
import { AppError, isUnavailable } from "../../domain/system/errors.ts";

/** PostgreSQL, appendix A: what lies in the connection, the server, its resources or the names of statements. */
const POSTGRES = /^(?:08|0A|25|26|40|42|53|55|57|58|F0|XX)/;
/** SQLite's primary result codes: ERROR (the SQL does not fit the tables), NOMEM, INTERRUPT, PROTOCOL, SCHEMA, … */
const SQLITE: ReadonlySet<number> = new Set([1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 17, 21, 22, 26]);

export function isOutage(error: unknown): boolean {
  if (error instanceof AppError) return isUnavailable(error);
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number") return SQLITE.has(error.errcode & 0xff);
  return "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)
    ? POSTGRES.test(error.code)
    : false;
}

/** Codes of a full disk: of the file system, of PostgreSQL, and below of SQLite. */
const DISK_FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);
const SQLITE_FULL = 13;

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === SQLITE_FULL) return true;
  return ("code" in error && DISK_FULL.has(error.code)) || isDiskFull(error.cause);
}
