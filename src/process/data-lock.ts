/**
 * Only one process at a time serves, replaces or copies a SQLite database. The kernel ends the lock with its process,
 * also between containers. `.lock` is locked and always empty; `.holder` names the owner to people.
 */
import { readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { AppError, getErrorCode } from "../domain/system/errors.ts";
import { isoTime } from "../domain/system/time.ts";
import { explained } from "../store/engine/sqlite/errors.ts";
import { isFileLocked, lockFile } from "../store/engine/sqlite/file-lock.ts";
import { realPath, writePrivateFile } from "../store/system/files.ts";

type Holding = "serve" | "demo" | "restore" | "restored" | "migrate" | "migrate-store";

interface LockOwner {
  command: string;
  /** On its own machine or in its own container. */
  pid: number;
  host: string;
  startedAt: string;
  /** The service's URL; null if it does not serve, or not yet. */
  url: string | null;
}

export interface DataLock extends Disposable {
  /** Tells other commands the service's URL. */
  publishUrl(url: string): void;
}

/** @throws AppError `conflict`, naming the owner; `unavailable` when the folder cannot be written. */
export function lockData(databasePath: string, command: Holding): DataLock {
  // One database under two names has one lock.
  const path = realPath(databasePath);
  const lock = lockFile(`${path}.lock`, path);
  if (lock === null) throw new AppError("conflict", refusal(path, command));
  const holderPath = `${path}.holder`;
  const save = (url: string | null) => {
    const startedAt = isoTime(Date.now());
    const owner: LockOwner = { command, pid: process.pid, host: hostname(), startedAt, url };
    const write = () => writePrivateFile(holderPath, `${JSON.stringify(owner)}\n`);
    explained(path, () => {
      try {
        write();
      } catch (error) {
        if (getErrorCode(error) !== "ENOSPC") throw error;
        // On a full disk the earlier file makes room for the new one.
        rmSync(holderPath, { force: true });
        write();
      }
    });
  };
  try {
    save(null);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
  return {
    publishUrl: save,
    [Symbol.dispose]: () => {
      rmSync(holderPath, { force: true });
      lock[Symbol.dispose]();
    },
  };
}

/** The service that runs on the database, with its URL once published; null: none, or it has not identified itself. */
export function findService(databasePath: string): Pick<LockOwner, "pid" | "url"> | null {
  const path = realPath(databasePath);
  if (!isFileLocked(`${path}.lock`)) return null;
  const owner = readOwner(path);
  return owner !== null && isService(owner) ? owner : null;
}

function refusal(path: string, command: Holding): string {
  const owner = readOwner(path);
  if (owner === null) return `Another process works on ${path}: stop it, or wait until it is done.`;
  const { pid, host, startedAt, url } = owner;
  const who = `process ${pid} on ${host}, since ${startedAt}${url === null ? "" : `, ${url}`}`;
  if (!isService(owner)) return `"rostrum ${owner.command}" works on ${path} (${who}): wait until it is done.`;
  const why = command === "serve" ? " Only one process can serve data in SQLite." : "";
  return `The service is running on ${path} (${who}): stop the service first.${why}`;
}

function isService({ command }: LockOwner): boolean {
  return command === "serve" || command === "demo";
}

/** Null if the owner has just started, or if the file was lost. */
function readOwner(path: string): LockOwner | null {
  try {
    // Only this file writes it.
    return JSON.parse(readFileSync(`${path}.holder`, "utf8")) as LockOwner;
  } catch {
    return null;
  }
}
