import { AppError } from "../domain/errors.ts";
import { articles } from "./migrations/001-articles.ts";
import { webhooks } from "./migrations/002-webhooks.ts";
import { nodes } from "./migrations/003-nodes.ts";
import { people } from "./migrations/004-people.ts";
import { lists } from "./migrations/005-lists.ts";
import { revisions } from "./migrations/006-revisions.ts";
import { keyRequests } from "./migrations/007-key-requests.ts";
import { deliveryCounts } from "./migrations/008-delivery-counts.ts";
import { mails } from "./migrations/009-mails.ts";
import { setAside } from "./migrations/010-set-aside.ts";
import type { Reader, Store, Writer } from "./store.ts";

interface Migration {
  name: string;
  /** Whether a program that does not know of it can go on: it adds, and changes nothing that was there. */
  isAdditive: boolean;
  /** Statements for both engines, each ended by `;` at the end of a line. */
  sql: string;
  /** What only one of them has. */
  sqlite: readonly string[];
  postgres: readonly string[];
}

const MIGRATIONS: readonly Migration[] = [
  articles,
  webhooks,
  nodes,
  people,
  lists,
  revisions,
  keyRequests,
  deliveryCounts,
  mails,
  setAside,
];

/** Of the migrations' table; the migration that gave it the column `additive` is the third. */
const FIRST_NOTED = nodes.name;
/** Any number that nobody else takes. */
const LOCK = 5_273_746;

/**
 * Brings the tables to this program's version, in one transaction; several processes may call it at once.
 *
 * @returns the names of the migrations that were applied now.
 * @throws AppError `unavailable` when the database is newer than this program, and not only by what was added.
 */
export async function migrate(store: Store, now: number): Promise<string[]> {
  if ((await store.read(pendingMigrations)).length === 0) return [];
  return store.write(async (db) => {
    // Until this transaction ends, whoever else comes waits here.
    if (db.engine === "postgres") await db.get("SELECT pg_advisory_xact_lock(CAST(? AS BIGINT))", LOCK);
    await db.run("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)");
    const pending = await pendingMigrations(db);
    for (const migration of pending) await apply(db, migration, now);
    return pending.map((migration) => migration.name);
  });
}

/** @throws AppError `unavailable` when the database has a migration that this program cannot go on beside. */
export async function pendingMigrations(db: Reader): Promise<readonly Migration[]> {
  const applied = await appliedMigrations(db);
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  for (const { name, additive } of applied) {
    if (!known.has(name) && additive !== 1) {
      throw new AppError(
        "unavailable",
        `The database was written by a newer Rostrum (it has "${name}"): run that version or a later one.`,
      );
    }
  }
  const names = new Set(applied.map(({ name }) => name));
  return MIGRATIONS.filter(({ name }) => !names.has(name));
}

async function apply(db: Writer, migration: Migration, now: number): Promise<void> {
  const statements = migration.sql.split(/;\s*$/m).filter((statement) => statement.trim() !== "");
  for (const statement of [...statements, ...migration[db.engine]]) await db.run(statement);
  if (migration.name < FIRST_NOTED) {
    await db.run("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", migration.name, now);
  } else {
    const additive = migration.isAdditive ? 1 : 0;
    await db.run("INSERT INTO migrations (name, applied_at, additive) VALUES (?, ?, ?)", migration.name, now, additive);
  }
}

async function appliedMigrations(db: Reader): Promise<{ name: string; additive: number }[]> {
  const columns = await db.all<{ name: string }>(
    db.engine === "sqlite"
      ? "SELECT name FROM pragma_table_info('migrations')"
      : `SELECT attname AS name FROM pg_attribute
         WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped`,
  );
  if (columns.length === 0) return [];
  const additive = columns.some(({ name }) => name === "additive") ? "additive" : "0";
  return db.all(`SELECT name, ${additive} AS additive FROM migrations ORDER BY name`);
}
