/**
 * What Litestream (0.3) has written below `database/`. Each run of copies without a break is a generation, with snapshots and the parts
 * of SQLite's log since the first: `generations/<id>/snapshots/<index>.snapshot.lz4` and `…/wal/<index>_<offset>.wal.lz4`, the numbers
 * in hexadecimal. A snapshot with an index is the database before the parts with that index. Each checkpoint begins a new index.
 */
import { AppError } from "../domain/system/errors.ts";
import type { BackupObjects } from "./objects.ts";

const GENERATIONS = "database/generations/";

interface CopiedFile {
  name: string;
  index: number;
  bytes: number;
  /** When it was written, by the clock of the disk or the bucket; a bucket's has whole seconds. */
  at: number;
}

/** A part of the log. */
export interface LogPart extends CopiedFile {
  /** Where it begins in the log. */
  offset: number;
}

export interface Generation {
  id: string;
  /** At least one, by index. */
  snapshots: CopiedFile[];
}

/** The generations that have a snapshot, by time. */
export async function listGenerations(objects: BackupObjects): Promise<Generation[]> {
  const generations: Generation[] = [];
  for (const id of await objects.listFolders(GENERATIONS)) {
    const snapshots: CopiedFile[] = [];
    for await (const { key, bytes, modifiedAt } of objects.list(`${GENERATIONS}${id}/snapshots/`)) {
      const [, index] = /\/([0-9a-f]{8})\.snapshot\.lz4$/.exec(key) ?? [];
      if (index !== undefined) snapshots.push({ name: key, index: Number.parseInt(index, 16), bytes, at: modifiedAt });
    }
    if (snapshots.length > 0) generations.push({ id, snapshots: snapshots.toSorted((a, b) => a.index - b.index) });
  }
  return generations.toSorted((a, b) => beginning(a) - beginning(b));
}

/** The parts of the generation's log from this index on, in order. */
export async function listLog(objects: BackupObjects, generation: Generation, fromIndex: number): Promise<LogPart[]> {
  const parts: LogPart[] = [];
  const from = fromIndex.toString(16).padStart(8, "0");
  for await (const { key, bytes, modifiedAt } of objects.list(`${GENERATIONS}${generation.id}/wal/`, from)) {
    const [, index, offset] = /\/([0-9a-f]{8})_([0-9a-f]{8})\.wal\.lz4$/.exec(key) ?? [];
    if (index === undefined || offset === undefined || index < from) continue;
    const numbers = { index: Number.parseInt(index, 16), offset: Number.parseInt(offset, 16) };
    parts.push({ name: key, ...numbers, bytes, at: modifiedAt });
  }
  return parts.toSorted((a, b) => a.index - b.index || a.offset - b.offset);
}

/** Since when a database can be restored from the generation. */
export function beginning({ snapshots }: Generation): number {
  return snapshots[0]?.at ?? Number.POSITIVE_INFINITY;
}

export interface RestorePlan {
  generation: string;
  snapshot: CopiedFile;
  log: LogPart[];
  /** When the last change that it brings back was copied. */
  reaches: number;
}

/**
 * What brings the database back as it was copied last, or at a time. @throws AppError `not_found` when there are no copies, or none of
 * that time; `invalid` when files in between are missing.
 */
export async function planRestore(
  objects: BackupObjects,
  url: string,
  at: number | null,
  isUsable: (snapshot: CopiedFile) => boolean = () => true,
): Promise<RestorePlan> {
  const generations = await listGenerations(objects);
  const [first] = generations;
  if (first === undefined) {
    throw new AppError(
      "not_found",
      `There are no copies of a database in ${url}: check the address, and that the service ran with it as ROSTRUM_BACKUP_URL.`,
    );
  }
  const until = at ?? Number.POSITIVE_INFINITY;
  const generation = generations.findLast((one) => beginning(one) <= until);
  const snapshot = generation?.snapshots.findLast((one) => one.at <= until && isUsable(one));
  if (generation === undefined || snapshot === undefined) {
    throw new AppError(
      "not_found",
      `The copies in ${url} begin at ${toTime(beginning(first))}: name that time or a later one.`,
    );
  }
  const parts = await listLog(objects, generation, snapshot.index);
  const end = parts.findIndex((part) => part.at > until);
  const log = end === -1 ? parts : parts.slice(0, end);
  const missing = findMissingIndex(snapshot.index, log);
  if (missing !== undefined) {
    throw brokenLog(url, log.findLast((part) => part.index < missing) ?? snapshot);
  }
  return { generation: generation.id, snapshot, log, reaches: log.at(-1)?.at ?? snapshot.at };
}

/** The first index between the snapshot and the end of the log without any part of it. */
export function findMissingIndex(from: number, log: readonly LogPart[]): number | undefined {
  let expected = from;
  for (const { index } of log) {
    if (index > expected) return expected;
    expected = index + 1;
  }
  return undefined;
}

/** `before`: the last file before the missing one. */
export function brokenLog(url: string, before: Pick<CopiedFile, "at">): AppError {
  return new AppError(
    "invalid",
    `The copies in ${url} have a hole: a file after ${toTime(before.at - 1_000)} is missing or damaged. The database can be restored as it was ` +
      `then, with --at ${toTime(before.at - 1_000)}, or as it was after the next snapshot ("rostrum backup list" shows them).`,
  );
}

/** To the second, rounded up: copies that a bucket dates to this second are included. */
export function toTime(at: number): string {
  return new Date(Math.ceil(at / 1_000) * 1_000).toISOString().replace(".000Z", "Z");
}
