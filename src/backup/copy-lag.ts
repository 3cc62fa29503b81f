/**
 * How far the copies are behind the database. Litestream appends each commit in SQLite's log to a log of its own, in a folder beside
 * the database, and copies that. It says up to where it has copied; the folder says what there is to copy.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

/** A place in Litestream's log. A generation begins with a copy of the whole database; an index, with a checkpoint. */
export interface LogPosition {
  generation: string;
  index: number;
  offset: number;
}

/** The end of Litestream's log. */
interface LogEnd extends LogPosition {
  /** Whether it has all of SQLite's log. It has not while a transaction is written. */
  isCurrent: boolean;
}

/** Longer than Litestream takes to append a commit to its log. */
const APPENDED_WITHIN_MS = 1_000;
const MAX_OBSERVATIONS = 1_000;

/** Times are by any clock that only goes forward. */
export class CopyLag {
  /** Ends of the log that are not copied yet, and until when all commits were before them. */
  #waiting: { at: number; end: LogPosition }[] = [];
  #last: LogEnd | undefined;
  #copied: LogPosition | undefined;
  /** All commits until then have been copied. */
  #copiedAt: number;

  constructor(now: number) {
    this.#copiedAt = now;
  }

  /** Litestream has copied its log up to here. Undefined: it has just started, and does not say. */
  onCopied(position: LogPosition | undefined): void {
    this.#copied = position;
    this.#update();
  }

  observe(end: LogEnd, now: number): void {
    const hasAdvanced = this.#last !== undefined && !isUpTo(end, this.#last);
    this.#last = end;
    if (end.isCurrent) this.#waiting.push({ at: now, end });
    else if (hasAdvanced) this.#waiting.push({ at: now - APPENDED_WITHIN_MS, end });
    if (this.#waiting.length > MAX_OBSERVATIONS) this.#waiting.splice(MAX_OBSERVATIONS / 2, 1);
    this.#update();
  }

  /** Milliseconds; 0 if everything was copied when it was last observed. */
  get(now: number): number {
    return this.#last?.isCurrent === true && this.#isCopied(this.#last) ? 0 : now - this.#copiedAt;
  }

  #update(): void {
    this.#waiting = this.#waiting.filter(({ at, end }) => {
      if (!this.#isCopied(end)) return true;
      this.#copiedAt = Math.max(this.#copiedAt, at);
      return false;
    });
  }

  /** A new generation has all that the earlier ones have. */
  #isCopied(end: LogPosition): boolean {
    if (this.#copied === undefined) return false;
    return end.generation === this.#copied.generation
      ? isUpTo(end, this.#copied)
      : this.#copied.generation === this.#last?.generation;
  }
}

function isUpTo(one: LogPosition, other: LogPosition): boolean {
  if (one.generation !== other.generation) return false;
  return one.index < other.index || (one.index === other.index && one.offset <= other.offset);
}

/** As Litestream writes it: `f25d00af538b8b5d/0000001a:4152`. */
export function parsePosition(text: string): LogPosition | undefined {
  const [, generation, index, offset] = /^([0-9a-f]{16})\/([0-9a-f]{8}):(\d+)$/.exec(text) ?? [];
  if (generation === undefined || index === undefined) return undefined;
  return { generation, index: Number.parseInt(index, 16), offset: Number(offset) };
}

/** In SQLite's log: the bytes of its header and of that of a page, and where in each is the salt, new after each checkpoint. */
const HEADER_BYTES = 32;
const HEADER_SALT = 16;
const PAGE_HEADER_BYTES = 24;
const PAGE_SALT = 8;
const SALT_BYTES = 8;

/** @param folder of Litestream, beside the database. @returns null if there is no log yet. */
export function readLogEnd(folder: string, databasePath: string): LogEnd | null {
  try {
    const generation = readFileSync(join(folder, "generation"), "latin1").trim();
    const logs = join(folder, "generations", generation, "wal");
    const name = readdirSync(logs).toSorted().at(-1) ?? "";
    const offset = statSync(join(logs, name)).size;
    const [header] = readAt(join(logs, name), [{ at: 0, bytes: HEADER_BYTES }]);
    // No file that SQLite has locked: closing it would end the locks.
    const [sqliteHeader, next] = readAt(`${databasePath}-wal`, [
      { at: 0, bytes: HEADER_BYTES },
      { at: offset, bytes: PAGE_HEADER_BYTES },
    ]);
    const salt = sqliteHeader?.subarray(HEADER_SALT, HEADER_SALT + SALT_BYTES);
    const hasMore =
      next?.length === PAGE_HEADER_BYTES && salt?.equals(next.subarray(PAGE_SALT, PAGE_SALT + SALT_BYTES)) === true;
    const isCurrent = header !== undefined && sqliteHeader?.equals(header) === true && !hasMore;
    return { generation, index: Number.parseInt(name, 16), offset, isCurrent };
  } catch {
    // Litestream has not begun, or begins a new generation.
    return null;
  }
}

function readAt(path: string, parts: { at: number; bytes: number }[]): Buffer[] {
  const file = openSync(path, "r");
  try {
    return parts.map(({ at, bytes }) => {
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(file, buffer, 0, bytes, at));
    });
  } finally {
    closeSync(file);
  }
}
