/**
 * The store and its promises.
 *
 * - A `read` sees one snapshot from its first query to its last.
 * - A `write` is one transaction: it is durable when its promise resolves, and has left nothing behind when it
 *   rejects. Writers wait for each other; none is open during network calls.
 * - SQL is written once, in what SQLite and PostgreSQL have in common, with `?` for parameters. Every query names its
 *   website, and each noun has one file of queries. `LIMIT` takes `CAST(? AS BIGINT)`: SQLite plans a bare `LIMIT ?`
 *   anew at each run, which costs 20 µs. Row locks (`FOR UPDATE` …) are for PostgreSQL, where writers of different
 *   websites do not wait for each other; SQLite leaves the words out, as its writers are always alone.
 * - Locks are taken in one order, so that no two writers wait for each other: websites, endpoints, the queue.
 */
import type { Article, Millis } from "../domain/articles/article.ts";

export type Value = string | number | null;

/** The transaction of each website whose readers a commit concerns. Empty on SQLite, where any commit may concern any website. */
export type Changes = ReadonlyMap<string, string>;

export interface Reader {
  /** For the few queries that must be written for one engine. */
  readonly engine: "sqlite" | "postgres";
  all<Row>(sql: string, ...params: Value[]): Promise<Row[]>;
  /** The first row, or undefined. */
  get<Row>(sql: string, ...params: Value[]): Promise<Row | undefined>;
  /**
   * The one integer column of a query with many rows. Faster than `all` by far: it is how orders are loaded.
   * `sql` selects a column named `row_no`.
   */
  rowNumbers(sql: string, ...params: Value[]): Promise<Uint32Array>;
}

export interface Writer extends Reader {
  /** @returns how many rows were changed. */
  run(sql: string, ...params: Value[]): Promise<number>;
  /** The website's readers, or whether its keys are accepted, will not be as before once this commits. */
  markWebsiteChanged(websiteId: string): void;
}

/**
 * Statements that follow each other on a connection of their own, each a transaction of its own. None is run again, and one
 * that fails takes the connection with it.
 */
export interface DedicatedConnection extends AsyncDisposable {
  /** Whether it leads to the server itself: then between two answers that came one after the other the server did not break. */
  readonly isDirect: boolean;
  /** `withinMs`: after so long without an answer it has failed. @throws whatever went wrong. */
  ask<Row>(withinMs: number, sql: string, ...params: Value[]): Promise<Row[]>;
}

export interface StepLimits {
  /** A lock is waited for so long: whoever comes after waits behind it. */
  lockMs: number;
  /** A statement may take so long; null: as long as any other. */
  statementMs: number | null;
}

/** Migrations of tables that others use meanwhile. */
export interface MigrationConnection extends AsyncDisposable {
  /**
   * Locks out everybody else who migrates until this is disposed of. It never waits: a statement that does has a snapshot, and
   * whoever holds the lock could not build an index to its end.
   *
   * @returns whether the lock is held now. Not to be called again once it is.
   */
  tryLock(): Promise<boolean>;
  /** As `Store.write`. @returns false when a limit was reached: nothing was left behind. */
  writeWithin(limits: StepLimits, work: (db: Writer) => Promise<void>): Promise<boolean>;
  /** One statement outside of any transaction, without limits of time. It goes on when this process ends. */
  runAlone(sql: string): Promise<void>;
}

export interface Store {
  readonly engine: Reader["engine"];
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>;
  /**
   * `work` may be run again after a failure that left nothing behind: all it does outside the store is to return.
   * `isQuiet`: nobody waits for what it writes; other processes are not told, unless it noted a change.
   */
  write<T>(work: (db: Writer) => Promise<T>, options?: { isQuiet?: boolean }): Promise<T>;
  /**
   * A number that differs from an earlier answer whenever a commit that changes the website for its readers, or its
   * keys, may have become visible since; cheap enough to ask on every request. NaN, which equals nothing: it cannot be
   * told. SQLite: one of this process is seen at once, one of another within a fifth of a millisecond. PostgreSQL: once
   * it is followed, at once or as soon as another process can have told anybody (engine/postgres/node-sync.ts).
   * `now`: `performance.now()`, for whoever has just asked that.
   */
  changeToken(websiteId: string, now?: number): number;
  /** The same for any commit at all but, on PostgreSQL, quiet ones, as far as this process hears of them: a hint. */
  activity(): number;
  /**
   * From now on `listener` is called after each commit of this store, with what it changed, before `write` resolves; and when
   * another's is heard of, with nothing: a hint.
   */
  onActivity(listener: (changes: Changes) => void): void;
  /** Another store of this process has committed, as its `onActivity` was told. From here on readers see it. */
  noteCommit(changes: Changes): void;
  /** A service follows what other processes commit, until it disposes of this. Of a database of its own there is nothing to follow. */
  follow(onError: (error: unknown, message: string) => void): Promise<AsyncDisposable>;
  /**
   * The time by which everything in the store is written and judged, milliseconds since 1970. PostgreSQL: the server's, so that it
   * is the same for all processes whatever their own clocks say; this process's own until it has first been connected. SQLite: this
   * machine's. `at`: `performance.now()`, for whoever has just asked that.
   */
  now(at?: number): Millis;
  /** How far this process's own clock is ahead of `now()`, milliseconds; null: not known yet. */
  clockSkewMs(): number | null;
  /** Whether duties that are done once, whoever does them, are this process's. */
  isLeader(): boolean;
  /** A reader of its own for a long walk, so that short reads do not wait for it. Closed by the caller. */
  openSnapshot(): Promise<Reader & AsyncDisposable>;
  /** Connects when it is first used. Null: the database is within the process. */
  openDedicatedConnection(): DedicatedConnection | null;
  /** Null: nobody can use the database while it is migrated, and one transaction does all of it. */
  openMigration(): MigrationConnection | null;
  /** Its connections, without those that one user keeps for itself. */
  pool(): PoolFigures;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface PoolFigures {
  /** Connections that a transaction has. */
  inUse: number;
  idle: number;
  /** Connections that there may be. */
  max: number;
  /** Transactions that wait for one. */
  waiting: number;
}

/** An article's address within the store, beside the article itself. */
export interface StoredArticle extends Article {
  rowNo: number;
  /** Identity of the item within the source it was imported from. */
  sourceRef: string | null;
  /** Hash of the imported item; equal: the source has not changed. */
  sourceHash: string | null;
}
