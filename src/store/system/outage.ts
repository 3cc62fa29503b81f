/**
 * Whose fault a failure of the store is. An outage (no connection, a lock, a full or damaged disk, tables that do not fit
 * this program) meets everything alike and passes: wait, and try the same again. Everything else lies in what was written
 * or read: the same again fails again, and what is not to blame must go on without it.
 */
import { AppError, isUnavailable } from "../../domain/system/errors.ts";

/**
 * PostgreSQL, appendix A: connection, feature, names of statements (a pooler has given us another server), resources, the
 * operator, the system, configuration, SQL and inner errors.
 */
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

/** SQLite, the file system, PostgreSQL: no room on the disk. */
const DISK_FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);
const SQLITE_FULL = 13;

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number" && (error.errcode & 0xff) === SQLITE_FULL) return true;
  return ("code" in error && DISK_FULL.has(error.code)) || isDiskFull(error.cause);
}
