import { existsSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Row } from "../../row.ts";
import type { Value, Writer } from "../../store.ts";
import { parseRowNumbers } from "../row-numbers.ts";
import { litestreamFolder } from "./database-file.ts";
import { NulCharacterError } from "./errors.ts";

const LOCKED_WAIT_MS = 5_000;
const CACHE_KIB = 4_000;
/** Up to 8 MB of log: a checkpoint waits for the disk twice, and writes a page that changes often only once; of 16 MB, it takes 10 ms. */
const CHECKPOINT_PAGES = 2_000;
/** Litestream makes one at 16 MB, at 40 MB at the latest. If it does not run, the log stays below 400 MB. */
const LITESTREAM_CHECKPOINT_PAGES = 100_000;

export function openConnection(path: string, cacheKib = CACHE_KIB): Connection {
  const database = new DatabaseSync(path, { timeout: LOCKED_WAIT_MS });
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA foreign_keys = ON");
  database.exec(`PRAGMA cache_size = -${cacheKib}`);
  const checkpointPages = existsSync(litestreamFolder(path)) ? LITESTREAM_CHECKPOINT_PAGES : CHECKPOINT_PAGES;
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  database.exec("PRAGMA journal_size_limit = 67108864");
  return new Connection(database);
}

/** For pragmas alone: it reads no schema, which takes 3 ms and 0.3 MB. */
export function openBare(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: LOCKED_WAIT_MS });
}

export class Connection implements Writer {
  readonly engine = "sqlite";
  readonly database: DatabaseSync;
  /** The transaction in progress, and the first error of its statements. */
  transaction: { failure?: { error: unknown } } | null = null;
  readonly #statements = new Map<string, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  // The driver's rows have the columns that the SQL names.
  all<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql>[]> {
    return this.#promised(params, () => {
      const { statement, columns } = this.#statement(sql);
      return (statement.all(...params) as unknown as Value[][]).map((values) => toRow(columns, values) as Row<Sql>);
    });
  }

  get<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql> | undefined> {
    return this.#promised(params, () => this.#get(sql, params));
  }

  getSync<Sql extends string>(sql: Sql, ...params: Value[]): Row<Sql> | undefined {
    assertNoNul(params);
    return this.#get(sql, params);
  }

  run(sql: string, ...params: Value[]): Promise<number> {
    return this.#promised(params, () => {
      const { statement } = this.#statement(sql);
      // `run` also returns the last row id. The word index has some above 2^53, which the driver cannot return.
      statement.setReadBigInts(true);
      try {
        return Number(statement.run(...params).changes);
      } finally {
        statement.setReadBigInts(false);
      }
    });
  }

  /** Without RETURNING, for which SQLite copies pages, in case the statement fails halfway: four times as long. */
  insert(sql: string, _key: string, ...params: Value[]): Promise<number> {
    return this.#promised(params, () => Number(this.#statement(sql).statement.run(...params).lastInsertRowid));
  }

  /** For the statements around each read: `exec` parses them anew. */
  execute(sql: "BEGIN" | "COMMIT"): void {
    this.#statement(sql).statement.get();
  }

  rowNumbers(sql: string, ...params: Value[]): Promise<Uint32Array> {
    return this.#promised(params, () => {
      const aggregate = `SELECT count(*) AS n, group_concat(row_no, ' ') AS row_nos FROM (${sql})`;
      const [n, rowNos] = this.#statement(aggregate).statement.get(...params) as unknown as [number, string | null];
      return parseRowNumbers(rowNos ?? "", n);
    });
  }

  /** Nothing to record: `PRAGMA data_version` shows each commit. */
  markWebsiteChanged(): void {}

  #get<Sql extends string>(sql: Sql, params: readonly Value[]): Row<Sql> | undefined {
    const { statement, columns } = this.#statement(sql);
    const values = statement.get(...params) as unknown as Value[] | undefined;
    return values === undefined ? undefined : (toRow(columns, values) as Row<Sql>);
  }

  #promised<T>(params: readonly Value[], work: () => T): Promise<T> {
    try {
      // On a full disk SQLite ends the transaction; later statements would be committed alone.
      const failure = this.transaction?.failure;
      if (failure !== undefined && !this.database.isTransaction) throw failure.error;
      assertNoNul(params);
      return Promise.resolve(work());
    } catch (error) {
      if (this.transaction !== null) this.transaction.failure ??= { error };
      return Promise.reject(error);
    }
  }

  #statement(sql: string): PreparedStatement {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      // Queries are built from constants, so there are few; the bound guards against that no longer being true.
      if (this.#statements.size >= 500) this.#statements.clear();
      const statement = this.database.prepare(toDialect(sql));
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

function assertNoNul(params: readonly Value[]): void {
  if (params.some((value) => typeof value === "string" && value.includes("\0"))) throw new NulCharacterError();
}

/** A statement whose rows are arrays. */
interface PreparedStatement {
  statement: StatementSync;
  columns: readonly string[];
}

/** The driver's own objects are dictionaries: a row of 13 columns takes 1.3 µs instead of 0.9, and more memory. */
function toRow(columns: readonly string[], values: readonly Value[]): Record<string, Value> {
  const row: Record<string, Value> = {};
  for (let index = 0; index < columns.length; index++) row[columns[index] ?? ""] = values[index] ?? null;
  return row;
}

/** Removes row locks, as there is only one writer, and identity clauses, as the row id is the generated number. */
function toDialect(sql: string): string {
  return sql
    .replace(/ FOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)(?: OF \w+)?(?: SKIP LOCKED)?/g, "")
    .replace(" GENERATED BY DEFAULT AS IDENTITY", "");
}
