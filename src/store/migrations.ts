import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../domain/system/errors.ts";
import { type MigrationStep, type StepReport, StepRunner, tableCreatedBy, toStatement } from "./migration-steps.ts";
import { first } from "./migrations/001-first.ts";
import type { MigrationConnection, Snapshot, Store, Writer } from "./store.ts";
import { countDispatchers, countNodes } from "./system/heartbeats.ts";
import { hasTable } from "./system/has-table.ts";

export interface Migration {
  name: string;
  /** Whether earlier versions keep working with it: it only adds, and changes nothing that existed. */
  isAdditive: boolean;
  /** Statements for both engines, each ended by `;` at the end of a line. */
  sql: string;
  /** Statements for one engine only. */
  sqlite: readonly MigrationStep[];
  postgres: readonly MigrationStep[];
}

export const MIGRATIONS: readonly Migration[] = [first];

const LOCK_POLL_MS = 100;

/**
 * Migrates the tables to this version; several processes may call it at once. SQLite and an empty PostgreSQL are
 * migrated in one transaction, PostgreSQL with data step by step, while services of earlier versions keep running
 * (migration-steps.ts). On SQLite the caller holds the lock of the data (data-lock.ts).
 *
 * @param migrations are all migrations of this version; tests pass those of earlier and later ones.
 * @param report is called after each step on a PostgreSQL with data.
 * @returns the names of the migrations that this call applied.
 * @throws AppError `unavailable` when the database is newer than this version by more than additions, or when others
 * keep a table locked; `conflict` when a migration changes what a running service on the same PostgreSQL reads.
 */
export async function migrate(
  store: Store,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
  report: (report: StepReport) => void = () => undefined,
): Promise<string[]> {
  if ((await store.read((db) => pendingMigrations(db, migrations))).length === 0) return [];
  await using connection = store.openMigration();
  if (connection === null) return await migrateAtOnce(store, now, migrations);
  while (!(await connection.tryLock())) await sleep(LOCK_POLL_MS);
  if ((await store.read(appliedMigrations)).length === 0) return await migrateAtOnce(store, now, migrations);
  return await migrateOnline(store, connection, now, migrations, report);
}

async function migrateAtOnce(store: Store, now: number, migrations: readonly Migration[]): Promise<string[]> {
  return store.write(async (db) => {
    await db.run(`CREATE TABLE IF NOT EXISTS migrations (
      name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL, additive INTEGER NOT NULL)`);
    const pending = await pendingMigrations(db, migrations);
    for (const migration of pending) {
      for (const step of toSteps(migration, db.engine)) await db.run(toStatement(step));
      await record(db, migration, now);
    }
    return pending.map((migration) => migration.name);
  });
}

async function migrateOnline(
  store: Store,
  connection: MigrationConnection,
  now: number,
  migrations: readonly Migration[],
  report: (report: StepReport) => void,
): Promise<string[]> {
  const pending = await store.read(async (db) => {
    const found = await pendingMigrations(db, migrations);
    await assertNoEarlierService(db, found);
    return found;
  });
  const runner = new StepRunner(store, connection, report);
  for (const migration of pending) {
    await runner.run(migration.name, toSteps(migration, store.engine), (db) => record(db, migration, now));
  }
  if (pending.length > 0) await runner.finish();
  return pending.map((migration) => migration.name);
}

/** For commands that migrate only an empty database. @throws AppError `conflict` for earlier tables, `unavailable`. */
export async function assertCurrentSchema(store: Store, now: number, what = "The database"): Promise<void> {
  const pending = await store.read((db) => pendingMigrations(db));
  const [first] = pending;
  if (first === undefined) return;
  if (pending.length === MIGRATIONS.length) {
    await migrate(store, now);
    return;
  }
  const how = pending.every(({ isAdditive }) => isAdditive)
    ? 'run "rostrum migrate", or start this version with "rostrum serve"; services of the earlier version go on beside it.'
    : 'stop the service of the earlier version on every machine, and run "rostrum migrate" or start this version with "rostrum serve".';
  throw new AppError(
    "conflict",
    `${what} was written by an earlier Rostrum (it lacks "${first.name}"), and this command does not change that. ` +
      `Run the command of that version; or take a backup, then ${how}`,
  );
}

/** Ordered by name; none in an empty database. @throws AppError `misconfigured` for tables of anything else. */
export async function appliedMigrations(db: Snapshot): Promise<{ name: string; additive: number }[]> {
  const columns = await db.all(
    db.engine === "sqlite"
      ? "SELECT name FROM pragma_table_info('migrations')"
      : `SELECT attname AS name FROM pg_attribute
         WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped`,
  );
  if (columns.length === 0) {
    for (const step of toSteps(first, db.engine)) {
      const table = tableCreatedBy(step);
      if (table !== undefined && (await hasTable(db, table)))
        throw foreignTables(`a table "${table}" and no "migrations"`);
    }
    return [];
  }
  if (!columns.some(({ name }) => name === "additive")) throw foreignTables('a table "migrations" of another form');
  const applied = await db.all("SELECT name, additive FROM migrations ORDER BY name");
  const [earliest] = applied;
  if (earliest !== undefined && !applied.some(({ name }) => name === first.name)) {
    throw foreignTables(`the migration "${earliest.name}", and not "${first.name}"`);
  }
  return applied;
}

function foreignTables(what: string): AppError {
  return new AppError(
    "misconfigured",
    `The database was made by an unreleased version of Rostrum or by another program (it has ${what}): export its articles ` +
      'with the program that made it, name a new database in DATABASE_URL, and read them in with "rostrum import".',
  );
}

/** @throws AppError `unavailable` for a newer migration that this version cannot work with, `misconfigured`. */
export async function pendingMigrations(
  db: Snapshot,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly Migration[]> {
  const applied = await appliedMigrations(db);
  const known = new Set(migrations.map(({ name }) => name));
  const newer = applied.find(({ name, additive }) => !known.has(name) && additive !== 1);
  if (newer !== undefined) {
    throw new AppError(
      "unavailable",
      `The database was written by a newer Rostrum (it has "${newer.name}"): run that version or a later one, or restore the ` +
        "backup that was made before the upgrade.",
    );
  }
  const names = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

/** A running service of an earlier version that would fail after a migration must be stopped first. */
async function assertNoEarlierService(db: Snapshot, pending: readonly Migration[]): Promise<void> {
  const breaking = pending.find(({ isAdditive }) => !isAdditive);
  if (breaking === undefined) return;
  const running = Math.max(await countNodes(db), await countDispatchers(db));
  if (running === 0) return;
  throw new AppError(
    "conflict",
    `A service of an earlier Rostrum runs on the database (processes: ${running}), and cannot go on after the migration ` +
      `"${breaking.name}": stop it on every machine, then start this version.`,
  );
}

/** On SQLite, beside a running service. @throws AppError `conflict` if it could not go on after a pending migration. */
export async function assertAdditive(store: Store): Promise<void> {
  const breaking = (await store.read((db) => pendingMigrations(db))).find(({ isAdditive }) => !isAdditive);
  if (breaking === undefined) return;
  throw new AppError(
    "conflict",
    `It could not go on after the migration "${breaking.name}" of the new version: stop it, then start that version with "rostrum serve".`,
  );
}

function toSteps(migration: Migration, engine: Snapshot["engine"]): MigrationStep[] {
  const statements = migration.sql.split(/;\s*$/m).map((statement) => statement.trim());
  return [...statements.filter((statement) => statement !== ""), ...migration[engine]];
}

async function record(db: Writer, { name, isAdditive }: Migration, now: number): Promise<void> {
  await db.run(
    "INSERT INTO migrations (name, applied_at, additive) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
    name,
    now,
    isAdditive ? 1 : 0,
  );
}
