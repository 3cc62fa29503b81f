/**
 * SQLite within the process, using node:sqlite. One connection writes, one reads; reads in parts share a third, and a
 * long read opens its own.
 *
 * The driver is synchronous, but a transaction's work may await in between, so each connection runs one transaction at
 * a time. A commit waits for the disk (`synchronous=FULL` in WAL mode) unless the caller says otherwise: what was
 * acknowledged survives a power failure. Short writes that wait together share a transaction, and so the disk.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../../../domain/system/time.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { assertRoom } from "../../system/disk-reserve.ts";
import { makePrivateFolder } from "../../system/files.ts";
import { declareRow, type Row } from "../../row.ts";
import type { Changes, Database, PoolStats, ReadOptions, Snapshot, Value, Writer } from "../../store.ts";
import { type Connection, openBare, openConnection } from "./connection.ts";
import { assertNoOrphanLog, createOnce } from "./database-file.ts";
import { explain, explained, resultCode, RESULT } from "./errors.ts";

/** "Rstm": distinguishes our files from other SQLite databases. */
const APPLICATION_ID = 0x5273746d;
/** How long a writer waits for another process's transaction. */
const LOCK_WAIT_MS = 15_000;
const FRESH_MS = 0.2;
/** Short writes of one transaction: what waits for the first of them waits for the others, too. */
const MAX_TOGETHER = 8;
const NO_CHANGES: Changes = new Map();

export interface SqliteStore extends Database {
  readonly path: string;
  /** Copies the database as it is now into a new or empty file, while others read and write. */
  backupTo(path: string): Promise<void>;
  /** @returns the problems of the file, `[]` if it has none. Reads all of it; `full` compares indexes with tables, too. */
  integrityProblems(depth?: "quick" | "full"): Promise<string[]>;
}

/** `cacheKib`: pages that the writing connection keeps. @throws AppError `unavailable`, for the operator. */
export function openSqlite(path: string, cacheKib?: number): SqliteStore {
  return explained(path, () => {
    makePrivateFolder(dirname(path));
    assertNoOrphanLog(path);
    createOnce(path);
    const writer = openConnection(path, cacheKib);
    const identity = writer.database.prepare("PRAGMA application_id").get() as { application_id: number };
    const tables = writer.database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
    if (identity.application_id !== APPLICATION_ID) {
      if (tables.n > 0) {
        writer.database.close();
        throw new AppError(
          "unavailable",
          `${path} is a SQLite database of another program: name another file or folder for Rostrum's data.`,
        );
      }
      writer.database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    }
    // SQLite's own wait would block the whole process, so writers wait in #beginWriting. Readers never wait for
    // writers, only briefly while another process opens or closes the database.
    writer.database.exec("PRAGMA busy_timeout = 0");
    return new Sqlite(path, writer, openConnection(path));
  });
}

/** A write whose turn has not come. */
interface Waiting {
  /** @returns what resolves its promise. */
  work: (db: Writer) => Promise<() => void>;
  reject: (error: unknown) => void;
  waitsForDisk: boolean;
  isShort: boolean;
}

class Sqlite implements SqliteStore {
  readonly engine = "sqlite";
  readonly path: string;
  /** Number of the file that is open. */
  readonly #inode: number | undefined;
  readonly #writer: Connection;
  readonly #reader: Connection;
  /** Opened at first use. */
  #partsReader: Connection | undefined;
  readonly #watcher: DatabaseSync;
  readonly #dataVersion: StatementSync;
  #freshness = -1;
  /** `performance.now()` when `data_version` was read last; -1: it is read the next time. */
  #askedAt = -1;
  #listener: ((changes: Changes) => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  readonly #waiting: Waiting[] = [];
  #reading: Promise<unknown> = Promise.resolve();
  #readingParts: Promise<unknown> = Promise.resolve();
  readonly #transactions = { reading: 0, readingParts: 0, writing: 0 };
  #closed = false;

  constructor(path: string, writer: Connection, reader: Connection) {
    this.path = path;
    this.#inode = findInode(path);
    this.#writer = writer;
    this.#reader = reader;
    // A connection of its own: during a transaction `data_version` stays that of the snapshot.
    this.#watcher = openBare(path);
    this.#dataVersion = this.#watcher.prepare("PRAGMA data_version");
    this.#dataVersion.setReturnArrays(true);
  }

  read<T>(work: (db: Snapshot) => Promise<T>, { isInParts = false }: ReadOptions = {}): Promise<T> {
    if (isInParts) return this.#readInParts(work);
    this.#transactions.reading++;
    const result = this.#reading.then(async () => {
      try {
        return await this.#transaction(this.#reader, "BEGIN", work);
      } finally {
        this.#transactions.reading--;
      }
    });
    this.#reading = result.catch(() => undefined);
    return result;
  }

  #readInParts<T>(work: (db: Snapshot) => Promise<T>): Promise<T> {
    this.#transactions.readingParts++;
    const result = this.#readingParts.then(async () => {
      try {
        this.#partsReader ??= explained(this.path, () => openConnection(this.path));
        return await this.#transaction(this.#partsReader, "BEGIN", work);
      } finally {
        this.#transactions.readingParts--;
      }
    });
    this.#readingParts = result.catch(() => undefined);
    return result;
  }

  getSync<Sql extends string>(sql: Sql, ...params: Value[]): { row: Row<Sql> | undefined } | null {
    // The transaction of a read in progress has a snapshot that may be older.
    if (this.#transactions.reading > 0) return null;
    return explained(this.path, () => ({ row: this.#reader.getSync(sql, ...params) }));
  }

  write<T>(work: (db: Writer) => Promise<T>, { waitsForDisk = true, isShort = false } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const toResult = async (db: Writer) => {
      const result = await work(db);
      return () => resolve(result);
    };
    // Traces tell by its context what a work belongs to.
    const own = isShort ? AsyncLocalStorage.bind(toResult) : toResult;
    this.#transactions.writing++;
    this.#waiting.push({ work: own, reject, waitsForDisk, isShort });
    this.#writing = this.#writing.then(() => this.#writeNext());
    return promise;
  }

  changeToken(_websiteId: string, now = performance.now()): number {
    return this.commitCounter(now);
  }

  commitCounter(now = performance.now()): number {
    // The pragma takes 2 µs of a request's 20. The other processes are commands: nobody can see their output after a
    // commit and then reach this process within the 0.2 ms for which the result is reused.
    if (now - this.#askedAt > FRESH_MS) {
      this.#askedAt = now;
      this.#freshness = (this.#dataVersion.get() as unknown as [number])[0];
    }
    return this.#freshness;
  }

  onCommit(listener: (changes: Changes) => void): void {
    this.#listener = listener;
  }

  recordCommit(changes: Changes): void {
    this.#askedAt = -1;
    this.#listener?.(changes);
  }

  followCommits(): Promise<AsyncDisposable> {
    return Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() });
  }

  setDispatcher(): void {}

  now(): Millis {
    return Date.now();
  }

  clockSkewMs(): number {
    return 0;
  }

  isLeader(): boolean {
    return true;
  }

  openDedicatedConnection(): null {
    return null;
  }

  openMigration(): null {
    return null;
  }

  openSnapshot(): Promise<Snapshot & AsyncDisposable> {
    const connection = explained(this.path, () => openConnection(this.path));
    connection.database.exec("BEGIN");
    return Promise.resolve(
      Object.assign(connection, {
        [Symbol.asyncDispose]: () => {
          connection.database.close();
          return Promise.resolve();
        },
      }),
    );
  }

  pool(): PoolStats {
    const { reading, readingParts, writing } = this.#transactions;
    const inUse = Math.min(1, reading) + Math.min(1, readingParts) + Math.min(1, writing);
    const open = this.#partsReader === undefined ? 2 : 3;
    return { inUse, idle: Math.max(0, open - inUse), max: 3, waiting: reading + readingParts + writing - inUse };
  }

  async backupTo(path: string): Promise<void> {
    // VACUUM INTO takes one snapshot and never starts over, however busy the writers are.
    await this.#reader.run("VACUUM INTO ?", path).catch((error: unknown) => {
      // SQLite leaves it on a full disk.
      rmSync(`${path}-journal`, { force: true });
      throw explain(path, error);
    });
  }

  async integrityProblems(depth: "quick" | "full" = "quick"): Promise<string[]> {
    const query = declareRow<{ quick_check?: string; integrity_check?: string }>(
      depth === "quick" ? "PRAGMA quick_check(5)" : "PRAGMA integrity_check(5)",
    );
    const rows = await this.#reader.all(query).catch((error: unknown) => {
      throw explain(this.path, error);
    });
    return rows.map((row) => row.quick_check ?? row.integrity_check ?? "").filter((line) => line !== "ok");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#writing, this.#reading, this.#readingParts]);
    this.#watcher.close();
    this.#partsReader?.database.close();
    this.#reader.database.close();
    this.#writer.database.close();
  }

  /** Commits the first that waits, and with it other short ones; if one fails, each alone. */
  async #writeNext(): Promise<void> {
    const group = this.#waiting.splice(0, 1);
    const [first] = group;
    if (first === undefined) return;
    const isShort = ({ isShort: its }: Waiting) => its && first.isShort;
    const waitsForDisk = first.waitsForDisk || this.#waiting.some((one) => isShort(one) && one.waitsForDisk);
    const mayJoin = (next: Waiting) =>
      isShort(next) && (waitsForDisk || !next.waitsForDisk) && group.length < MAX_TOGETHER;
    try {
      const results = await this.#commit(waitsForDisk, async (db) => {
        const done = [await first.work(db)];
        // Gives requests that have arrived a turn, so that their writes may join.
        if (isShort(first)) await new Promise(setImmediate);
        for (let [next] = this.#waiting; next !== undefined && mayJoin(next); [next] = this.#waiting) {
          group.push(next);
          this.#waiting.shift();
          done.push(await next.work(db));
        }
        return done;
      });
      this.#transactions.writing -= group.length;
      for (const resolve of results) resolve();
    } catch (error) {
      if (group.length === 1) this.#fail(first, error);
      else for (const one of group) await this.#writeAlone(one);
    }
  }

  async #writeAlone(one: Waiting): Promise<void> {
    try {
      const resolve = await this.#commit(one.waitsForDisk, one.work);
      this.#transactions.writing--;
      resolve();
    } catch (error) {
      this.#fail(one, error);
    }
  }

  #fail({ reject }: Waiting, error: unknown): void {
    this.#transactions.writing--;
    reject(error);
  }

  async #commit<T>(waitsForDisk: boolean, work: (db: Writer) => Promise<T>): Promise<T> {
    const writer = this.#writer;
    try {
      this.#assertInPlace();
      assertRoom(this.path);
      if (!waitsForDisk) writer.database.exec("PRAGMA synchronous = NORMAL");
      await this.#beginWriting(writer);
      const result = await this.#transaction(writer, null, work);
      this.#listener?.(NO_CHANGES);
      return result;
    } finally {
      if (!waitsForDisk) writer.database.exec("PRAGMA synchronous = FULL");
      this.#askedAt = -1;
    }
  }

  /** Changes to a removed file are lost when the process ends. Takes about 2 µs. @throws AppError `unavailable`. */
  #assertInPlace(): void {
    if (findInode(this.path) === this.#inode) return;
    throw new AppError(
      "unavailable",
      `${this.path} was removed or replaced while it was in use, and nothing can be saved: put it back, or stop the service, restore a ` +
        "backup, and start it.",
    );
  }

  async #transaction<T>(
    connection: Connection,
    begin: "BEGIN" | null,
    work: (db: Connection) => Promise<T>,
  ): Promise<T> {
    const transaction: NonNullable<Connection["transaction"]> = {};
    try {
      if (begin !== null) connection.execute(begin);
      connection.transaction = transaction;
      const result = await work(connection);
      // As on PostgreSQL: a transaction with a failed statement is not committed, even if its work caught the error.
      if (transaction.failure !== undefined)
        throw new Error("a statement failed, and the transaction went on without it");
      // By `exec` for a change: the kill loop notes there what is on the disk (test/kill/power.ts).
      if (begin === null) connection.database.exec("COMMIT");
      else connection.execute("COMMIT");
      return result;
    } catch (error) {
      // A failed COMMIT or a full disk may have rolled back already.
      if (connection.database.isTransaction) connection.database.exec("ROLLBACK");
      throw explain(this.path, error);
    } finally {
      connection.transaction = null;
    }
  }

  async #beginWriting({ database }: Connection): Promise<void> {
    const deadline = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        database.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (resultCode(error) !== RESULT.BUSY || performance.now() > deadline) throw explain(this.path, error);
        // A process that delivers webhooks releases the lock for a few milliseconds only, so it is polled often.
        await sleep(1 + Math.random());
      }
    }
  }
}

function findInode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
