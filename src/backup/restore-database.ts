/** Brings a database back from its continuous copies, by Litestream. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { AppError, getErrorCode } from "../domain/system/errors.ts";
import { PRIVATE_FOLDER_MODE } from "../store/system/files.ts";
import { brokenLog, type LogPart, type RestorePlan, toTime } from "./copies.ts";
import { lz4Length } from "./lz4-length.ts";
import type { BackupObjects } from "./objects.ts";

const DOWNLOADS_AT_ONCE = 16;
const run = promisify(execFile);

interface RestoreDatabaseOptions {
  objects: BackupObjects;
  /** For people. */
  url: string;
  plan: RestorePlan;
  /** The path of Litestream. */
  litestream: string;
  /** An empty folder on the disk of the database. */
  folder: string;
}

/**
 * Downloads exactly the files of the plan and has Litestream put the database together from them. Litestream itself would take a log
 * with a missing part for one that ends there. @returns the database's path. @throws AppError `invalid`.
 */
export async function restoreDatabase(options: RestoreDatabaseOptions): Promise<string> {
  const { url, plan, litestream, folder } = options;
  const files = join(folder, "files");
  const generation = join(files, "generations", plan.generation);
  for (const name of ["snapshots", "wal"]) {
    await mkdir(join(generation, name), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  }
  const snapshot = await bring(options, plan.snapshot.name, join(generation, "snapshots"));
  if (snapshot === undefined) throw new DamagedSnapshot(url, plan.snapshot);
  const isWhole = await bringLog(options, join(generation, "wal"));
  if (isWhole !== true) throw brokenLog(url, isWhole.before);
  const database = join(folder, "database");
  try {
    await run(litestream, ["restore", "-o", database, "-generation", plan.generation, `file://${files}`], {
      env: {},
      maxBuffer: Number.POSITIVE_INFINITY,
    });
  } catch (error) {
    throw failure(options, error);
  }
  await rm(files, { recursive: true });
  return database;
}

/** @returns the path on this machine; undefined if there is no such file. */
async function bring({ objects }: RestoreDatabaseOptions, name: string, into: string): Promise<string | undefined> {
  const path = join(into, basename(name));
  const found = await objects.fetch(name, path);
  if (found !== undefined && found !== path) await symlink(found, path);
  return found;
}

/** @returns true, or the file before the first part that is missing or cut off. */
async function bringLog(
  options: RestoreDatabaseOptions,
  into: string,
): Promise<true | { before: Pick<LogPart, "at"> }> {
  const { log, snapshot } = options.plan;
  const lengths: (number | undefined)[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < log.length; index = next++) {
      const path = await bring(options, (log[index] as LogPart).name, into);
      lengths[index] = path === undefined ? undefined : wholeLength(await readFile(path));
    }
  };
  await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, work));
  for (const [place, { index, offset }] of log.entries()) {
    const before = log[place - 1];
    const expected = before === undefined || before.index !== index ? 0 : before.offset + (lengths[place - 1] ?? 0);
    if (lengths[place] === undefined || offset !== expected) return { before: before ?? snapshot };
  }
  return true;
}

function wholeLength(file: Buffer): number | undefined {
  try {
    return lz4Length(file);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The snapshot of the plan is missing or damaged; an earlier one, with the log since, brings the same back. */
export class DamagedSnapshot extends AppError {
  constructor(url: string, { name, at }: RestorePlan["snapshot"]) {
    super("invalid", `The snapshot of ${toTime(at)} in ${url} is damaged, and there is none before it: ${name}.`);
  }
}

function failure(options: RestoreDatabaseOptions, error: unknown): AppError {
  const output = (error as { stderr?: unknown }).stderr;
  const lines = typeof output === "string" ? output.trim().split("\n") : [];
  const [, ...rest] = (lines.at(-1) ?? "").split("error=");
  const reason = rest.length === 0 ? undefined : rest.join("error=").replace(/^"/, "").replace(/"$/, "");
  if (reason?.startsWith("cannot restore snapshot") === true && !reason.includes("no space left")) {
    return new DamagedSnapshot(options.url, options.plan.snapshot);
  }
  const text = reason ?? lines.at(-1) ?? getErrorCode(error) ?? String(error);
  return new AppError("invalid", `The database cannot be restored from ${options.url}: Litestream says "${text}".`, {
    cause: error,
  });
}
