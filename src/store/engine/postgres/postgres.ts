/**
 * PostgreSQL, 15 or newer, for any number of processes.
 *
 * A read is one REPEATABLE READ transaction: one snapshot. A write is READ COMMITTED: each of its statements sees what
 * others have committed by then, so a decision that depends on a row locks the row first (store.ts). A commit waits for
 * the disk, and for the standbys if the server is configured so.
 */
import type { PoolClient, QueryResult } from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../../../domain/system/time.ts";
import { declareRow, type Row } from "../../row.ts";
import type {
  Changes,
  DedicatedConnection,
  LocalDispatcher,
  MigrationConnection,
  PoolStats,
  Snapshot,
  Database,
  Value,
  Writer,
} from "../../store.ts";
import { HostPools, type PostgresSettings } from "./host-pools.ts";
import { explain, isAborted, isConnectionLost, isFromServer, isRetryable } from "./errors.ts";
import { SERVER_TIME, type ServerClock } from "./clock.ts";
import { CHANNEL, NodeSync } from "./node-sync.ts";
import { DedicatedPostgresConnection } from "./dedicated-connection.ts";
import { query, Statements } from "./statements.ts";
import { PostgresMigrationConnection } from "./migration-connection.ts";
import { parseRowNumbers } from "../row-numbers.ts";

const READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
const NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, '')";
/** Tries of a transaction that conflicts with others; one whose pooled connection was dead is retried once. */
const MAX_TRIES = 6;
const TRY_AGAIN_AFTER_MS = 10;
const NO_CHANGES: Changes = new Map();

export interface PostgresStore extends Database {
  readonly engine: "postgres";
}

/** Connects on first use, to the first host that accepts writes. `newId` returns ids that sort by time. */
export function openPostgres(settings: PostgresSettings, newId: (at: Millis) => string): PostgresStore {
  return new Postgres(settings, newId);
}

class Postgres implements PostgresStore {
  readonly engine = "postgres";
  readonly #settings: PostgresSettings;
  readonly #newId: (at: Millis) => string;
  readonly #pools: HostPools;
  readonly #statements: Statements;
  #nodeSync: NodeSync | undefined;
  #dispatcher: LocalDispatcher | undefined;
  #commitCounter = 0;
  #listener: ((changes: Changes) => void) | undefined;
  /** The notification that is being sent, and whether another must follow it. */
  #notifying: Promise<void> | undefined;
  #mustNotify = false;

  constructor(settings: PostgresSettings, newId: (at: Millis) => string) {
    this.#settings = settings;
    this.#newId = newId;
    this.#pools = new HostPools(settings);
    this.#statements = new Statements(!settings.isPooled);
  }

  getSync(): null {
    return null;
  }

  read<T>(work: (db: Snapshot) => Promise<T>): Promise<T> {
    return this.#again(async () => {
      const client = await this.#pools.take();
      const transaction = new Transaction(client, this.#statements);
      try {
        transaction.begin(READING + this.#pools.beginning, this.#pools.clock);
        const result = await work(transaction);
        transaction.leave("COMMIT");
        this.#pools.release(client, false);
        return result;
      } catch (error) {
        this.#abandon(transaction, error);
        throw error;
      }
    });
  }

  async write<T>(work: (db: Writer) => Promise<T>, { notify = true } = {}): Promise<T> {
    const { result, changes } = await this.#again(() => this.#writeOnce(work));
    if (changes.size === 0 && !notify) return result;
    this.recordCommit(changes);
    this.#notify();
    return result;
  }

  changeToken(websiteId: string, now = performance.now()): number {
    return this.#nodeSync?.changeToken(websiteId, now) ?? Number.NaN;
  }

  commitCounter(): number {
    return this.#commitCounter;
  }

  onCommit(listener: (changes: Changes) => void): void {
    this.#listener = listener;
  }

  recordCommit(changes: Changes): void {
    this.#commitCounter++;
    this.#nodeSync?.recordOwn(changes);
    this.#listener?.(changes);
  }

  async followCommits(onError: (error: unknown, message: string) => void): Promise<AsyncDisposable> {
    const nodeSync = new NodeSync({
      pools: this.#pools,
      isPooled: this.#settings.isPooled,
      id: this.#newId(this.now()),
      dispatcher: () => this.#dispatcher,
      onCommit: () => {
        this.#commitCounter++;
        this.#listener?.(NO_CHANGES);
      },
      onError,
    });
    this.#nodeSync = nodeSync;
    await nodeSync.start();
    return nodeSync;
  }

  setDispatcher(dispatcher: LocalDispatcher): void {
    this.#dispatcher = dispatcher;
  }

  now(at = performance.now()): Millis {
    return this.#pools.clock.now(Date.now(), at);
  }

  clockSkewMs(): number | null {
    return this.#pools.clock.skewMs(Date.now(), performance.now());
  }

  isLeader(): boolean {
    return this.#nodeSync?.isLeader ?? false;
  }

  async openSnapshot(): Promise<Snapshot & AsyncDisposable> {
    try {
      const client = await this.#pools.take();
      const transaction = new Transaction(client, this.#statements);
      transaction.begin(`${READING}${this.#pools.beginning}; SET LOCAL idle_in_transaction_session_timeout = 0`);
      return Object.assign(transaction, {
        [Symbol.asyncDispose]: () => {
          transaction.leave("ROLLBACK");
          this.#pools.release(client, transaction.isBroken);
          return Promise.resolve();
        },
      });
    } catch (error) {
      throw explain(error);
    }
  }

  openDedicatedConnection(): DedicatedConnection {
    const connection = new DedicatedPostgresConnection(this.#pools);
    return {
      ask: (withinMs, sql, ...params) => connection.ask(() => this.#statements.of(sql, params), withinMs),
      [Symbol.asyncDispose]: () => connection.end(),
    };
  }

  openMigration(): MigrationConnection {
    return new PostgresMigrationConnection(this.#pools, this.#settings.isPooled, (work) =>
      this.write(work, { notify: false }),
    );
  }

  pool(): PoolStats {
    return this.#pools.stats;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#notifying !== undefined) await this.#notifying;
    await this.#pools[Symbol.asyncDispose]();
  }

  async #writeOnce<T>(work: (db: Writer) => Promise<T>): Promise<{ result: T; changes: Changes }> {
    const client = await this.#pools.take();
    const transaction = new Transaction(client, this.#statements);
    try {
      transaction.begin(WRITING + this.#pools.beginning, this.#pools.clock);
      const result = await work(transaction);
      const changes = await transaction.commit();
      this.#pools.release(client, false);
      return { result, changes };
    } catch (thrown) {
      // Statements that were sent after the one that failed report only that the transaction is aborted.
      const error = isAborted(thrown) ? (transaction.failure ?? thrown) : thrown;
      // The commit may have succeeded: what was read before is no longer certain.
      if (transaction.isInDoubt) this.#nodeSync?.onUnknownCommit(transaction.noted);
      this.#abandon(transaction, error);
      throw transaction.isInDoubt ? new UnknownCommitOutcome(error) : error;
    }
  }

  /** Retries after a conflict with another transaction, and on a connection that had died meanwhile. */
  async #again<T>(run: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await run();
      } catch (error) {
        if (error instanceof UnknownCommitOutcome) throw explain(error.cause);
        const isLost = isConnectionLost(error);
        if (tries >= (isLost ? 2 : MAX_TRIES) || !(isLost || isRetryable(error))) throw explain(error);
        await sleep(TRY_AGAIN_AFTER_MS * tries * (0.5 + Math.random()));
      }
    }
  }

  #abandon(transaction: Transaction, error: unknown): void {
    const isBroken = transaction.isBroken || isConnectionLost(error);
    if (!isBroken) transaction.leave("ROLLBACK");
    // A query that was never answered means that the network may be broken for other connections, too.
    if (error instanceof Error && /timeout/i.test(error.message) && isBroken) this.#pools.retire();
    this.#pools.release(transaction.client, isBroken);
  }

  /** Notifies the other processes, one notification at a time, as each covers all earlier commits. */
  #notify(): void {
    this.#mustNotify = true;
    this.#notifying ??= this.#sendNotifications().finally(() => {
      this.#notifying = undefined;
    });
  }

  async #sendNotifications(): Promise<void> {
    while (this.#mustNotify) {
      this.#mustNotify = false;
      try {
        const client = await this.#pools.take();
        try {
          // NOTIFY within the transaction of the change would serialize all commits of the database. It waits for no
          // disk: what it announces is there already.
          await query(client, this.#statements.of(NOTIFY, [CHANNEL]));
          this.#pools.release(client, false);
        } catch (error) {
          this.#pools.release(client, true);
          throw error;
        }
      } catch {
        // The other processes find out by polling.
        return;
      }
      const { notifyIntervalMs } = this.#settings;
      if (notifyIntervalMs !== undefined) await sleep(notifyIntervalMs);
    }
  }
}

async function beginMeasured(client: PoolClient, sql: string, clock: ServerClock): Promise<void> {
  const askedAt = performance.now();
  // Several statements return an array of results, which the types do not show.
  const results = (await query(client, `${sql}; SELECT ${SERVER_TIME} AS server_ms`)) as unknown as QueryResult<{
    server_ms: number;
  }>[];
  const row = results.at(-1)?.rows[0];
  if (row !== undefined) clock.measured(row.server_ms, askedAt, performance.now());
}

/** It is unknown whether the COMMIT took effect. */
class UnknownCommitOutcome extends Error {
  constructor(cause: unknown) {
    super("the connection broke during a commit", { cause });
  }
}

class Transaction implements Writer {
  readonly engine = "postgres";
  readonly client: PoolClient;
  readonly noted = new Set<string>();
  isBroken = false;
  isInDoubt = false;
  /** The error of the first statement that failed; undefined if none has. */
  failure: unknown;
  readonly #statements: Statements;
  /** Rejects if the transaction could not begin. */
  #beginning: Promise<unknown> = Promise.resolve();

  constructor(client: PoolClient, statements: Statements) {
    this.client = client;
    this.#statements = statements;
  }

  /** Sends `sql` along with the first query. `clock` is measured with it if its last measurement is old. */
  begin(sql: string, clock?: ServerClock): void {
    const isMeasured = clock?.isOld(performance.now()) === true;
    this.#beginning = isMeasured ? beginMeasured(this.client, sql, clock) : query(this.client, sql);
    this.#beginning.catch(() => {
      this.isBroken = true;
    });
  }

  /** Ends the transaction without waiting, as nothing depends on it. */
  leave(sql: "COMMIT" | "ROLLBACK"): void {
    query(this.client, sql).catch(() => undefined);
  }

  /** @returns the transaction by website that it changes. */
  async commit(): Promise<Map<string, string>> {
    await this.#beginning;
    this.isInDoubt = true;
    const noting = this.#noteChanges();
    const committing = query(this.client, "COMMIT");
    // Sent together: if a change could not be noted, the server answers COMMIT with ROLLBACK.
    const [noted, committed] = await Promise.allSettled([noting, committing]);
    if (noted.status === "rejected") {
      // The server commits nothing after it has refused, whatever became of the connection.
      this.isInDoubt = !isFromServer(noted.reason);
      throw noted.reason;
    }
    if (committed.status === "rejected") throw committed.reason;
    this.isInDoubt = false;
    if (committed.value.command !== "COMMIT") {
      throw new Error("a statement failed, and the transaction went on without it");
    }
    return noted.value;
  }

  // The driver's rows have the columns that the SQL names.
  async all<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql>[]> {
    return (await this.#query(sql, params)).rows as Row<Sql>[];
  }

  async get<Sql extends string>(sql: Sql, ...params: Value[]): Promise<Row<Sql> | undefined> {
    return (await this.#query(sql, params)).rows[0] as Row<Sql> | undefined;
  }

  async run(sql: string, ...params: Value[]): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0;
  }

  async insert(sql: string, key: string, ...params: Value[]): Promise<number> {
    const { rows } = await this.#query(`${sql} RETURNING ${key} AS number`, params);
    return (rows[0] as { number: number }).number;
  }

  async rowNumbers(sql: string, ...params: Value[]): Promise<Uint32Array> {
    const aggregate = `SELECT count(*) AS n, string_agg(CAST(row_no AS TEXT), ' ') AS row_nos FROM (${sql}) AS rows`;
    const row = await this.get(declareRow<{ n: number; row_nos: string | null }>(aggregate), ...params);
    return parseRowNumbers(row?.row_nos ?? "", row?.n ?? 0);
  }

  markWebsiteChanged(websiteId: string): void {
    this.noted.add(websiteId);
  }

  /** Records them in the transaction, for later heartbeats (node-sync.ts). @returns the transaction by website. */
  async #noteChanges(): Promise<Map<string, string>> {
    const noted = await Promise.all(
      [...this.noted].toSorted().map((websiteId) =>
        this.get(
          `INSERT INTO website_changes (website_id, xid) VALUES (?, pg_current_xact_id())
             ON CONFLICT (website_id) DO UPDATE SET xid = excluded.xid RETURNING website_id, CAST(xid AS TEXT) AS xid`,
          websiteId,
        ),
      ),
    );
    return new Map(noted.flatMap((row) => (row === undefined ? [] : [[row.website_id, row.xid]])));
  }

  async #query(sql: string, params: Value[]) {
    try {
      return await query(this.client, this.#statements.of(sql, params));
    } catch (error) {
      // The driver's stack begins at the socket, and does not say who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      this.failure ??= error;
      throw error;
    }
  }
}
