/**
 * Space beside a SQLite database, since opening one takes some: on a full disk it could not even be read. A start
 * without room releases it, and changes are refused until it is refilled: they would use it up, and the next start
 * would fail. Threads and commands share the file as state; empty, it is released.
 */
import { existsSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../domain/system/errors.ts";
import { createPrivateFile } from "./files.ts";

const RESERVE_BYTES = 4 * 1024 * 1024;
/** SQLite cannot commit with less than this. */
const MIN_FREE_BYTES = 1024 * 1024;

function reservePath(databasePath: string): string {
  return `${databasePath}.reserve`;
}

function freeBytes(databasePath: string): number {
  const { bavail, bsize } = statfsSync(dirname(databasePath));
  return bavail * bsize;
}

function isReleased(databasePath: string): boolean {
  return statSync(reservePath(databasePath), { throwIfNoEntry: false })?.size === 0;
}

/** Whether changes are refused, or would fail. */
export function isDiskFullAt(databasePath: string): boolean {
  return isReleased(databasePath) || freeBytes(databasePath) < MIN_FREE_BYTES;
}

/** Releases the reserve if the disk is full. */
export function makeRoom(databasePath: string): void {
  if (existsSync(reservePath(databasePath)) && freeBytes(databasePath) < MIN_FREE_BYTES) {
    truncateSync(reservePath(databasePath));
  }
}

/** Sets the space aside, unless the disk has less than twice as much. */
export function setAside(databasePath: string): void {
  const path = reservePath(databasePath);
  if (freeBytes(databasePath) < 2 * RESERVE_BYTES) return;
  if (!existsSync(path)) createPrivateFile(path);
  if (statSync(path).size === 0) writeFileSync(path, Buffer.alloc(RESERVE_BYTES, "reserved"));
}

/** Fills a released reserve again once there is room. @throws AppError `unavailable` while there is none. */
export function assertRoom(databasePath: string): void {
  if (!isReleased(databasePath)) return;
  setAside(databasePath);
  if (isReleased(databasePath)) throw diskFull(databasePath);
}

/** The error of a change on a full disk. `cause`: what the database says, if it was asked. */
export function diskFull(databasePath: string, cause?: Error): AppError {
  return new AppError(
    "unavailable",
    `The disk of ${databasePath} is full: free some space and try again. Nothing was lost.`,
    { cause: Object.assign(new Error(cause?.message ?? "no space left on the disk", { cause }), { code: "ENOSPC" }) },
  );
}
