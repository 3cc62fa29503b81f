/**
 * SQLite within the process, using node:sqlite. One connection writes, one reads; a long read opens its own.
 *
 * The driver is synchronous, but a transaction's work may await in between, so each connection runs one transaction at a
 * time. A commit waits for the disk (`synchronous=FULL` in WAL mode) unless the caller says otherwise: what was acknowledged
 * survives a power failure.
 */
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../../../domain/articles/article.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { createPrivateFile, makePrivateFolder } from "../../system/files.ts";
import { declareRow, type Row } from "../../row.ts";
import type { Changes, PoolFigures, Reader, Store, Value, Writer } from "../../store.ts";
import { parseRowNumbers } from "../row-numbers.ts";
import { explain, explained, explainedAsync, HoldsNul, isDamaged, resultCode, RESULT } from "./errors.ts";

/** "Rstm": distinguishes our files from other SQLite databases. */
const APPLICATION_ID = 0x5273746d;
/** How long a writer waits for another process's transaction. */
const LOCK_WAIT_MS = 15_000;
/** How long `lockFile` waits for the lock. */
const LOCK_FILE_WAIT_MS = 1_000;
const heldLocks = new Set<DatabaseSync>();
const FRESH_MS = 0.2;
/** One page of the smallest size. */
const SMALLEST_BYTES = 512;
const NO_CHANGES: Changes = new Map();

export interface SqliteStore extends Store {
  readonly path: string;
  /** Copies the database as it is now into a new or empty file, while others read and write. */
  backupTo(path: string): Promise<void>;
  /** @returns the problems of the file, `[]` if it has none. Reads all of it. */
  integrityProblems(): Promise<string[]>;
}

/**
 * Opens or creates the database.
 *
 * @throws AppError `unavailable`, with a message for the operator, when it cannot be used.
 */
export function openSqlite(path: string): SqliteStore {
  return explained(path, () => {
    makePrivateFolder(dirname(path));
    assertNoOrphanLog(path);
    createOnce(path);
    const writer = open(path);
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
    // SQLite's own wait would block the whole process, so writers wait in #beginWriting. Readers never wait for writers,
    // only briefly while another process opens or closes the database.
    writer.database.exec("PRAGMA busy_timeout = 0");
    return new Sqlite(path, writer, open(path));
  });
}

/** SQLite gives the files beside the database the mode of the database. */
function createOnce(path: string): void {
  if (existsSync(path)) return;
  try {
    createPrivateFile(path);
  } catch (error) {
    // Another process created it first.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Locks the file, which is created if it is missing and stays empty. However the process ends, the kernel then releases the
 * lock. The process must not open the file by other means: closing it would release the lock.
 *
 * @param subject names the data in error messages.
 * @returns null when another process, or this one, holds the lock. @throws AppError `unavailable`.
 */
export function lockFile(path: string, subject: string): Disposable | null {
  return explained(subject, () => {
    makePrivateFolder(dirname(path));
    createOnce(path);
    // A killed process may hold its locks for a few milliseconds more.
    const database = new DatabaseSync(path, { timeout: LOCK_FILE_WAIT_MS });
    try {
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

/**
 * Protects a write-ahead log whose database is missing or empty: SQLite would delete it, and the latest commits with it.
 *
 * @throws AppError `unavailable` when there is one.
 */
export function assertNoOrphanLog(path: string): void {
  if (!isOrphanLog(path)) return;
  throw new AppError(
    "unavailable",
    `${path} is ${existsSync(path) ? "empty" : "missing"}, but its log ${path}-wal is there, with the latest changes: put the database back under its name, or move the log away to begin anew.`,
  );
}

function isOrphanLog(path: string): boolean {
  return getFileSize(`${path}-wal`) > 0 && getFileSize(path) < SMALLEST_BYTES;
}

function getFileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Merges the write-ahead log into the database file and leaves no file beside it: a rename then moves all of the data.
 *
 * @returns false when the database is damaged: then the log is unchanged.
 * @throws AppError `unavailable` when another process has the database open, or it cannot be written.
 */
export function mergeLog(path: string): boolean {
  if (isOrphanLog(path)) return false;
  return explained(path, () => {
    try {
      // A writable connection would, on closing, merge the log of a damaged database, too.
      withDatabase(path, { readOnly: true }, (database) => database.exec("SELECT count(*) FROM sqlite_schema"));
      // Unlike a checkpoint, this requires exclusive access to the file.
      withDatabase(path, {}, (database) => database.exec("PRAGMA journal_mode = DELETE"));
      return true;
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return false;
    }
  });
}

function withDatabase(
  path: string,
  options: { readOnly?: boolean; timeout?: number },
  work: (database: DatabaseSync) => void,
): void {
  const database = new DatabaseSync(path, { timeout: 5_000, ...options });
  try {
    work(database);
  } finally {
    database.close();
  }
}

class Sqlite implements SqliteStore {
  readonly engine = "sqlite";
  readonly path: string;
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #dataVersion: StatementSync;
  #freshness = -1;
  /** `performance.now()` when `data_version` was read last; -1: it is read the next time. */
  #askedAt = -1;
  #listener: ((changes: Changes) => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #reading: Promise<unknown> = Promise.resolve();
  /** Transactions that are running or waiting. */
  readonly #transactions = { reading: 0, writing: 0 };
  #closed = false;

  constructor(path: string, writer: Connection, reader: Connection) {
    this.path = path;
    this.#writer = writer;
    this.#reader = reader;
    this.#dataVersion = reader.database.prepare("PRAGMA data_version");
    this.#dataVersion.setReturnArrays(true);
  }

  read<T>(work: (db: Reader) => Promise<T>): Promise<T> {
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

  write<T>(work: (db: Writer) => Promise<T>, { waitsForDisk = true } = {}): Promise<T> {
    this.#transactions.writing++;
    const result = this.#writing.then(async () => {
      try {
        if (!waitsForDisk) this.#writer.database.exec("PRAGMA synchronous = NORMAL");
        await this.#beginWriting();
        const result = await this.#transaction(this.#writer, null, work);
        this.#listener?.(NO_CHANGES);
        return result;
      } finally {
        if (!waitsForDisk) this.#writer.database.exec("PRAGMA synchronous = FULL");
        this.#askedAt = -1;
        this.#transactions.writing--;
      }
    });
    this.#writing = result.catch(() => undefined);
    return result;
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

  follow(): Promise<AsyncDisposable> {
    return Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() });
  }

  beatFor(): void {}

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

  openSnapshot(): Promise<Reader & AsyncDisposable> {
    const connection = explained(this.path, () => open(this.path));
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

  /** One connection reads, one writes. */
  pool(): PoolFigures {
    const { reading, writing } = this.#transactions;
    const inUse = Math.min(1, reading) + Math.min(1, writing);
    return { inUse, idle: 2 - inUse, max: 2, waiting: reading + writing - inUse };
  }

  async backupTo(path: string): Promise<void> {
    // VACUUM INTO takes one snapshot and never starts over, however busy the writers are.
    await explainedAsync(path, async () => this.#reader.run("VACUUM INTO ?", path));
  }

  async integrityProblems(): Promise<string[]> {
    const rows = await this.#reader.all(declareRow<{ quick_check: string }>("PRAGMA quick_check(5)"));
    return rows.map((row) => row.quick_check).filter((line) => line !== "ok");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#writing, this.#reading]);
    this.#reader.database.close();
    this.#writer.database.close();
  }

  async #transaction<T>(
    connection: Connection,
    begin: "BEGIN" | null,
    work: (db: Connection) => Promise<T>,
  ): Promise<T> {
    return explainedAsync(this.path, async () => {
      if (begin !== null) connection.database.exec(begin);
      connection.hasFailed = false;
      try {
        const result = await work(connection);
        // As on PostgreSQL: a transaction with a failed statement is not committed, even if its work caught the error.
        if (connection.hasFailed) throw new Error("a statement failed, and the transaction went on without it");
        connection.database.exec("COMMIT");
        return result;
      } catch (error) {
        // A failed COMMIT or a full disk may have rolled back already.
        if (connection.database.isTransaction) connection.database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /** `BEGIN IMMEDIATE`, awaiting the lock. */
  async #beginWriting(): Promise<void> {
    const deadline = Date.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        this.#writer.database.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (resultCode(error) !== RESULT.BUSY || Date.now() > deadline) throw explain(this.path, error);
        // A process that delivers webhooks releases the lock for a few milliseconds only, so it is polled often.
        await sleep(1 + Math.random());
      }
    }
  }
}

class Connection implements Writer {
  readonly engine = "sqlite";
  readonly database: DatabaseSync;
  /** Whether a statement of the transaction has failed. */
  hasFailed = false;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  // The driver's rows have the columns that the SQL names.
  all<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql>[]> {
    return this.#promised(params, () => this.#statement(sql).all(...params) as Row<Sql>[]);
  }

  get<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql> | undefined> {
    return this.#promised(params, () => this.#statement(sql).get(...params) as Row<Sql> | undefined);
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    return this.#promised(params, () => {
      const statement = this.#statement(sql);
      // `run` also returns the last row id. The word index has some above 2^53, which the driver cannot return as a number.
      statement.setReadBigInts(true);
      try {
        return Number(statement.run(...params).changes);
      } finally {
        statement.setReadBigInts(false);
      }
    });
  }

  rowNumbers(sql: string, ...params: Value[]): Promise<Uint32Array> {
    return this.#promised(params, () => {
      const aggregate = `SELECT count(*) AS n, group_concat(row_no, ' ') AS row_nos FROM (${sql})`;
      const row = this.#statement(aggregate).get(...params) as { n: number; row_nos: string | null };
      return parseRowNumbers(row.row_nos ?? "", row.n);
    });
  }

  /** Nothing to record: `PRAGMA data_version` shows each commit. */
  markWebsiteChanged(): void {}

  #promised<T>(params: readonly Value[], work: () => T): Promise<T> {
    try {
      if (params.some((value) => typeof value === "string" && value.includes("\0"))) throw new HoldsNul();
      return Promise.resolve(work());
    } catch (error) {
      this.hasFailed = true;
      return Promise.reject(error);
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      // Queries are built from constants, so there are few; the bound guards against that no longer being true.
      if (this.#statements.size >= 500) this.#statements.clear();
      statement = this.database.prepare(toDialect(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Removes row locks, as there is only one writer, and identity clauses, as the row id is the generated number. */
function toDialect(sql: string): string {
  return sql
    .replace(/ FOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)(?: SKIP LOCKED)?/g, "")
    .replace(" GENERATED BY DEFAULT AS IDENTITY", "");
}

function open(path: string): Connection {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA foreign_keys = ON");
  database.exec("PRAGMA cache_size = -4000");
  // Up to 16 MB of log: a checkpoint waits for the disk twice, and writes a page that changes often only once.
  database.exec("PRAGMA wal_autocheckpoint = 4000");
  database.exec("PRAGMA journal_size_limit = 67108864");
  return new Connection(database);
}
