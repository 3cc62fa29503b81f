/**
 * Applies a migration to a PostgreSQL database while services of earlier versions read and write it. Each step is a
 * transaction of its own, which also records it (`migration_steps`), so that an interrupted migration resumes where it
 * was.
 *
 * A statement that needs an exclusive lock on a table waits for it only briefly, as others queue behind it, and is
 * cancelled when it takes long. Indexes on existing tables are built concurrently.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../domain/system/errors.ts";
import { declareRow } from "./row.ts";
import type { MigrationConnection, Snapshot, StepLimits, Store, Value, Writer } from "./store.ts";

/** A statement that runs over all rows of a large table, a batch at a time. */
export interface BatchStep {
  /** The table whose rows are processed in the order of a unique key. */
  table: string;
  key: readonly string[];
  /** `{range}` stands for the condition on the key that selects one batch. A batch may be repeated after a failure. */
  sql: string;
}

/** A single statement, or one that runs in batches. */
export type MigrationStep = string | BatchStep;

export interface StepReport {
  migration: string;
  step: string;
  /** From the first try to the end of the step. */
  milliseconds: number;
  /** More than one if others held a lock that the step needs. */
  tries: number;
  /** 0 for a step without batches. */
  batches: number;
  /** The longest try or batch, for which others may have waited. */
  longestMilliseconds: number;
}

/** How long a statement waits for a lock; later statements on the table queue behind it. */
const LOCK_TIMEOUT_MS = 100;
/** A change of a table's definition takes milliseconds; one that reads or rewrites the table is cancelled. */
const DEFINITION_TIMEOUT_MS = 1_000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 2_000;
const GIVE_UP_AFTER_MS = 600_000;
const BATCH_SIZE = 2_000;
const INDEX_POLL_MS = 500;
const MAX_INDEX_TRIES = 3;
const WITHOUT_NOTIFICATION = { notify: false };

const CREATE_INDEX = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+(\w+)\s+ON\s+(\w+)/i;
const CREATE_TABLE = /^CREATE\s+TABLE\s+(\w+)/i;
const VALIDATION = /^ALTER\s+TABLE\s+\w+\s+VALIDATE\s+CONSTRAINT\b/i;
const CHANGES_ROWS = /^(?:INSERT|UPDATE|DELETE|WITH|SELECT)\b/i;

interface StepId {
  migration: string;
  step: number;
}

export class StepRunner {
  readonly #store: Store;
  readonly #connection: MigrationConnection;
  readonly #report: (report: StepReport) => void;

  constructor(store: Store, connection: MigrationConnection, report: (report: StepReport) => void) {
    this.#store = store;
    this.#connection = connection;
    this.#report = report;
  }

  /** @param finish records the migration as applied. @throws AppError `unavailable` when a lock cannot be had. */
  async run(migration: string, steps: readonly MigrationStep[], finish: (db: Writer) => Promise<void>): Promise<void> {
    await this.#store.write(createTable, WITHOUT_NOTIFICATION);
    const done = await this.#store.read((db) => listDone(db, migration));
    const own = new Set(steps.flatMap((step) => tableCreatedBy(step) ?? []));
    for (const [index, step] of steps.entries()) {
      const place = { migration, step: index };
      if (done.has(index)) continue;
      const began = performance.now();
      const counts = await this.#runStep(place, step, own);
      const milliseconds = Math.round(performance.now() - began);
      this.#report({ migration, step: describe(step), milliseconds, ...counts });
    }
    await this.#store.write(async (db) => {
      await finish(db);
      await db.run("DELETE FROM migration_steps WHERE migration = ?", migration);
    }, WITHOUT_NOTIFICATION);
  }

  /** Call this once all migrations are applied. */
  async finish(): Promise<void> {
    await this.#store.write((db) => db.run("DROP TABLE IF EXISTS migration_steps"), WITHOUT_NOTIFICATION);
  }

  async #runStep(place: StepId, step: MigrationStep, own: ReadonlySet<string>) {
    if (typeof step !== "string") return this.#runBatches(place, step);
    const [, index, table] = CREATE_INDEX.exec(step) ?? [];
    if (index !== undefined && table !== undefined && !own.has(table)) return this.#buildIndex(place, step, index);
    if (VALIDATION.test(step)) {
      await this.#connection.runAlone(step);
      await this.#store.write((db) => record(db, place, DONE), WITHOUT_NOTIFICATION);
      return { tries: 1, batches: 0, longestMilliseconds: 0 };
    }
    const statementMs = CHANGES_ROWS.test(step) ? null : DEFINITION_TIMEOUT_MS;
    return this.#runUntilDone(place, step, { lockMs: LOCK_TIMEOUT_MS, statementMs }, async (db) => {
      // If this process lost the migration lock meanwhile, another may have done the step.
      if (await record(db, place, DONE)) await db.run(step);
    });
  }

  async #runUntilDone(place: StepId, step: MigrationStep, limits: StepLimits, work: (db: Writer) => Promise<void>) {
    const began = performance.now();
    let longestMilliseconds = 0;
    let pauseMs = FIRST_RETRY_MS;
    for (let tries = 1; ; tries++) {
      const tried = performance.now();
      const isDone = await this.#connection.writeWithin(limits, work);
      longestMilliseconds = Math.max(longestMilliseconds, Math.round(performance.now() - tried));
      if (isDone) return { tries, batches: 0, longestMilliseconds };
      if (performance.now() - began > GIVE_UP_AFTER_MS) {
        throw new AppError("unavailable", await this.#store.read((db) => explainWaiting(db, place, step)));
      }
      await sleep(pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS);
    }
  }

  async #runBatches(place: StepId, step: BatchStep) {
    let longestMilliseconds = 0;
    let tries = 0;
    for (let batches = 0; ; batches++) {
      let isEnd = false;
      const began = performance.now();
      const done = await this.#runUntilDone(place, step, { lockMs: LOCK_TIMEOUT_MS, statementMs: null }, async (db) => {
        isEnd = await runBatch(db, place, step);
      });
      tries = Math.max(tries, done.tries);
      longestMilliseconds = Math.max(longestMilliseconds, done.longestMilliseconds);
      if (isEnd) return { tries, batches, longestMilliseconds };
      // Leaves the disk and the processors to the services for at least half of the time.
      await sleep(Math.min(performance.now() - began, MAX_RETRY_MS));
    }
  }

  async #buildIndex(place: StepId, step: string, index: string) {
    for (let tries = 1; ;) {
      const { state } = (await this.#store.read((db) =>
        db.get(declareRow<{ state: IndexState }>(INDEX_STATE), index),
      )) ?? {
        state: "absent",
      };
      if (state === "valid") {
        await this.#store.write((db) => record(db, place, DONE), WITHOUT_NOTIFICATION);
        return { tries, batches: 0, longestMilliseconds: 0 };
      }
      if (state === "building") {
        // Started by a process that has ended since: the server continues the build.
        await sleep(INDEX_POLL_MS);
      } else if (state === "invalid") {
        await this.#connection.runAlone(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      } else {
        try {
          await this.#connection.runAlone(step.replace(/\bINDEX\b/i, "INDEX CONCURRENTLY"));
        } catch (error) {
          // A deadlock, or the connection was lost: the index's state shows what is there of it.
          if (tries >= MAX_INDEX_TRIES) throw error;
          tries++;
          await sleep(FIRST_RETRY_MS);
        }
      }
    }
  }
}

/** The step as one statement, for a database that nobody uses. */
export function toStatement(step: MigrationStep): string {
  return typeof step === "string" ? step : step.sql.replace("{range}", "TRUE");
}

export function tableCreatedBy(step: MigrationStep): string | undefined {
  return typeof step === "string" ? CREATE_TABLE.exec(step)?.[1] : undefined;
}

type IndexState = "valid" | "building" | "invalid" | "absent";

const INDEX_STATE = `SELECT CASE WHEN indisvalid THEN 'valid'
    WHEN EXISTS (SELECT 1 FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid) THEN 'building'
    ELSE 'invalid' END AS state
  FROM pg_index i WHERE indexrelid = to_regclass(?)`;

/** Marks a finished step. The position in an unfinished batch is the key of its last processed row, as JSON. */
const DONE = "";

async function createTable(db: Writer): Promise<void> {
  await db.run(`CREATE TABLE IF NOT EXISTS migration_steps (
    migration TEXT NOT NULL, step INTEGER NOT NULL, position TEXT NOT NULL, PRIMARY KEY (migration, step))`);
}

async function listDone(db: Snapshot, migration: string): Promise<ReadonlySet<number>> {
  const rows = await db.all("SELECT step FROM migration_steps WHERE migration = ? AND position = ?", migration, DONE);
  return new Set(rows.map(({ step }) => step));
}

async function readPosition(db: Snapshot, { migration, step }: StepId): Promise<string | undefined> {
  const row = await db.get("SELECT position FROM migration_steps WHERE migration = ? AND step = ?", migration, step);
  return row?.position;
}

/** @returns false when it was already recorded. */
async function record(db: Writer, { migration, step }: StepId, position: string): Promise<boolean> {
  const changed = await db.run(
    `INSERT INTO migration_steps (migration, step, position) VALUES (?, ?, ?)
     ON CONFLICT (migration, step) DO UPDATE SET position = excluded.position
     WHERE migration_steps.position <> excluded.position`,
    migration,
    step,
    position,
  );
  return changed > 0;
}

/** @returns whether it was the last batch: later rows are written by versions that know the change, or by triggers. */
async function runBatch(db: Writer, place: StepId, { table, key, sql }: BatchStep): Promise<boolean> {
  const position = await readPosition(db, place);
  if (position === DONE) return true;
  const after = position === undefined ? [] : (JSON.parse(position) as Value[]);
  const columns = key.join(", ");
  const marks = key.map(() => "?").join(", ");
  const isAfter = after.length === 0 ? "TRUE" : `(${columns}) > (${marks})`;
  const lastOf = (order: string, offset: number) =>
    db.get(
      declareRow<Record<string, Value>>(
        `SELECT ${columns} FROM ${table} WHERE ${isAfter} ORDER BY ${order} LIMIT 1 OFFSET ${offset}`,
      ),
      ...after,
    );
  const backwards = key.map((column) => `${column} DESC`).join(", ");
  const full = await lastOf(columns, BATCH_SIZE - 1);
  const last = full ?? (await lastOf(backwards, 0));
  if (last !== undefined) {
    const until = key.map((column) => last[column] ?? null);
    await db.run(sql.replace("{range}", `${isAfter} AND (${columns}) <= (${marks})`), ...after, ...until);
    if (full !== undefined) {
      await record(db, place, JSON.stringify(until));
      return false;
    }
  }
  await record(db, place, DONE);
  return true;
}

async function explainWaiting(db: Snapshot, { migration }: StepId, step: MigrationStep): Promise<string> {
  const other = await db.get(
    declareRow<{
      pid: number;
      application: string;
      seconds: number;
    }>(`SELECT pid, coalesce(nullif(application_name, ''), backend_type, 'unknown') AS application,
       CAST(extract(epoch FROM now() - xact_start) AS INTEGER) AS seconds
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
     ORDER BY xact_start LIMIT 1`),
  );
  const who =
    other === undefined
      ? ""
      : ` The oldest transaction is that of process ${other.pid} (${other.application}), ${other.seconds} seconds old.`;
  return (
    `The migration "${migration}" got no lock for "${describe(step)}" within ${GIVE_UP_AFTER_MS / 60_000} minutes.${who} ` +
    "Wait until it has ended, or end it; then start again: the migration goes on where it was."
  );
}

function describe(step: MigrationStep): string {
  const text = typeof step === "string" ? step : step.sql;
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 90);
}
