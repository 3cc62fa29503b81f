/**
 * The store and its guarantees.
 *
 * - A `read` sees one snapshot from its first query to its last.
 * - A `write` is one transaction: it is durable when its promise resolves, and has no effect when it rejects. Writers
 *   wait for each other; none is open during network calls.
 * - SQL is written once, in the subset that SQLite and PostgreSQL share, with `?` for parameters, and each noun has one
 *   file of queries. A query by an id from outside names its website, too, or its function is called …Anywhere
 *   (websites.test.ts). `LIMIT` takes `CAST(? AS BIGINT)`: SQLite replans a bare `LIMIT ?` on each run, which costs 20
 *   µs. Row locks (`FOR UPDATE` …) are for PostgreSQL, where writers of different websites do not wait for each other;
 *   they are removed for SQLite, which has only one writer at a time.
 * - Locks are taken in one order, so that writers never deadlock: websites, endpoints, the queue by its numbers. What
 *   comes in another order skips locked rows.
 */
import type { Article, FullArticle } from "../domain/articles/article.ts";
import type { Millis } from "../domain/system/time.ts";
import type { Row } from "./row.ts";
import type { SharedLiveness } from "./system/shared-liveness.ts";

export type Value = string | number | null;

/** Maps websites that a commit changes for readers to its transaction. Empty on SQLite: any may have changed. */
export type Changes = ReadonlyMap<string, string>;

export interface Snapshot {
  /** For the few queries that must be written for one engine. */
  readonly engine: "sqlite" | "postgres";
  all<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql>[]>;
  /** The first row, or undefined. */
  get<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql> | undefined>;
  /** The single column `row_no` of many rows, much faster than `all`. */
  rowNumbers(sql: string, ...params: Value[]): Promise<Uint32Array>;
}

export interface Writer extends Snapshot {
  /** @returns how many rows were changed. */
  run(sql: string, ...params: Value[]): Promise<number>;
  /** Inserts one row. @returns the number that the database gave it, which is in the column `key`. */
  insert(sql: string, key: string, ...params: Value[]): Promise<number>;
  /** Marks that this commit changes the website for its readers, or which of its keys are accepted. */
  markWebsiteChanged(websiteId: string): void;
}

/** Each statement is a transaction of its own; none is retried, and one that fails closes the connection. */
export interface DedicatedConnection extends AsyncDisposable {
  /** Fails after `withinMs` without an answer. @throws the error of the connection or of the statement. */
  ask<Sql extends string>(withinMs: number, sql: Sql, ...params: Value[]): Promise<Row<Sql>[]>;
}

export interface StepLimits {
  lockMs: number;
  /** How long a statement may take; null: as long as any other. */
  statementMs: number | null;
}

/** Migrates tables while others use them. */
export interface MigrationConnection extends AsyncDisposable {
  /**
   * Takes the lock until disposed of. Never waits: a waiting statement's snapshot would keep the holder from finishing
   * an index build. @returns whether it is held; then do not call it again.
   */
  tryLock(): Promise<boolean>;
  /** Like `Store.write`. @returns false when a limit was reached; it then had no effect. */
  writeWithin(limits: StepLimits, work: (db: Writer) => Promise<void>): Promise<boolean>;
  /** Runs one statement outside any transaction, without a time limit. It continues if this process ends. */
  runAlone(sql: string): Promise<void>;
}

export interface ReadOptions {
  /** Other work has its turn between its queries: on SQLite other reads do not wait for it, but for those like it. */
  isInParts?: boolean;
}

interface WriteOptions {
  notify?: boolean;
  waitsForDisk?: boolean;
  isShort?: boolean;
}

/** Reads and changes the data. */
export interface Store {
  readonly engine: Snapshot["engine"];
  read<T>(work: (db: Snapshot) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** The first row, as new as the call. Null if that needs waiting: on PostgreSQL, and on SQLite during a read. */
  getSync<Sql extends string>(sql: Sql, ...params: Value[]): { row: Row<Sql> | undefined } | null;
  /**
   * `work` may be retried after a failure that had no effect, so it must have no effects outside the store other than
   * its result. Without `notify`, other processes are not notified, unless it marks a website as changed. Without
   * `waitsForDisk`, SQLite does not wait for the disk: a power failure may undo the transaction, unless a later one
   * waited. With `isShort`, for what takes a few milliseconds and comes often, SQLite may commit it together with others.
   */
  write<T>(work: (db: Writer) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** A reader of its own for a long read, so that short reads do not wait for it. Closed by the caller. */
  openSnapshot(): Promise<Snapshot & AsyncDisposable>;
  /** Connects on first use. Null: the database is within the process. */
  openDedicatedConnection(): DedicatedConnection | null;
  /** Null: one transaction does the whole migration, and nobody can use the database meanwhile. */
  openMigration(): MigrationConnection | null;
  /** Counts of the connection pool, without dedicated connections. */
  pool(): PoolStats;
}

/** What this process learns of commits, its own and those of other processes. */
export interface ChangeFeed {
  /**
   * A number that differs from earlier ones whenever a commit that changes the website for its readers, or its keys,
   * may have become visible since; cheap enough to call on every request. NaN, which equals nothing, if that is
   * unknown. SQLite: commits of this process show at once, those of others within 0.2 ms. PostgreSQL, once
   * `followCommits` was called: commits of this process show at once, those of others before anyone can have been
   * notified of them (engine/postgres/node-sync.ts). `now`: `performance.now()`, if the caller has just read it.
   */
  changeToken(websiteId: string, now?: number): number;
  /** Changes with any commit that this process learns of, but quiet ones on PostgreSQL: a hint. */
  commitCounter(): number;
  /** Calls `listener` after each commit with its changes, before `write` resolves; after others', without: a hint. */
  onCommit(listener: (changes: Changes) => void): void;
  /** Records a commit of another store of this process, as reported by its `onCommit`. From here on readers see it. */
  recordCommit(changes: Changes): void;
  /** Follows the commits of other processes until the result is disposed of. Does nothing on SQLite. */
  followCommits(onError: (error: unknown, message: string) => void): Promise<AsyncDisposable>;
  /** On PostgreSQL, heartbeats of this process also renew the dispatcher's row while its thread lives. */
  setDispatcher(dispatcher: LocalDispatcher): void;
  /** Whether this process performs the duties that only one process should perform. */
  isLeader(): boolean;
}

/** The clock of everything that is stored. */
export interface Clock {
  /**
   * The time of all that is stored and compared, in ms since 1970. PostgreSQL: the server's, whatever the processes'
   * clocks; this process's until it has connected. SQLite: this machine's. `at`: `performance.now()`, if just read.
   */
  now(at?: number): Millis;
  /** How far this process's own clock is ahead of `now()`, milliseconds; null: not known yet. */
  clockSkewMs(): number | null;
}

export interface Database extends Store, ChangeFeed, Clock, AsyncDisposable {}

export interface LocalDispatcher {
  /** Identifies it as a lease holder. */
  id: string;
  liveness: SharedLiveness;
}

export interface PoolStats {
  inUse: number;
  idle: number;
  max: number;
  waiting: number;
}

export interface StoredArticle extends Article {
  rowNo: number;
}

export interface StoredFull extends FullArticle {
  article: StoredArticle;
}

/** The same database with the methods in `replaced` instead of its own. Disposing of it disposes of the database. */
export function replaceMethods(store: Database, replaced: Partial<Database>): Database {
  return {
    engine: store.engine,
    read: (work, options) => store.read(work, options),
    getSync: (sql, ...params) => store.getSync(sql, ...params),
    write: (work, options) => store.write(work, options),
    changeToken: (websiteId, now) => store.changeToken(websiteId, now),
    commitCounter: () => store.commitCounter(),
    recordCommit: (changes) => store.recordCommit(changes),
    onCommit: (listener) => store.onCommit(listener),
    followCommits: (onError) => store.followCommits(onError),
    setDispatcher: (dispatcher) => store.setDispatcher(dispatcher),
    now: (at) => store.now(at),
    clockSkewMs: () => store.clockSkewMs(),
    isLeader: () => store.isLeader(),
    openSnapshot: () => store.openSnapshot(),
    openDedicatedConnection: () => store.openDedicatedConnection(),
    openMigration: () => store.openMigration(),
    pool: () => store.pool(),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    ...replaced,
  };
}
