/**
 * The store and its promises.
 *
 * - A `read` sees one snapshot from its first query to its last.
 * - A `write` is one transaction: it is durable when its promise resolves, and has left nothing behind when it
 *   rejects. Writers wait for each other; none is open during network calls.
 * - SQL is written once, in what SQLite and PostgreSQL have in common, with `?` for parameters. Every query names its
 *   website, and each noun has one file of queries. `LIMIT` takes `CAST(? AS BIGINT)`: SQLite plans a bare `LIMIT ?`
 *   anew at each run, which costs 20 µs.
 */
import type { Article } from "../domain/article.ts";

export type Value = string | number | null;

export interface Reader {
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
}

export interface Store {
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (db: Writer) => Promise<T>): Promise<T>;
  /**
   * A number that differs from an earlier answer whenever a commit may have become visible since: one of this process
   * at once, one of another within a fifth of a millisecond. Cheap enough to ask on every request.
   * `now`: `performance.now()`, for whoever has just asked that.
   */
  freshness(now?: number): number;
  /** From now on `listener` is called after each commit of this process: a hint, as others commit unheard. */
  onCommit(listener: () => void): void;
  /** A reader of its own for a long walk, so that short reads do not wait for it. Closed by the caller. */
  openWalk(): Promise<Reader & AsyncDisposable>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An article's address within the store, beside the article itself. */
export interface StoredArticle extends Article {
  rowNo: number;
  /** Identity of the item within the source it was imported from. */
  sourceRef: string | null;
  /** Hash of the imported item; equal: the source has not changed. */
  sourceHash: string | null;
}
