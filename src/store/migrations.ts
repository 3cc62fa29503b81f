import { AppError } from "../domain/errors.ts";
import { articles } from "./migrations/001-articles.ts";
import { webhooks } from "./migrations/002-webhooks.ts";
import type { Reader, Store } from "./store.ts";

const MIGRATIONS = [articles, webhooks] as const;

/**
 * Brings the tables to this program's version, in one transaction; several processes may call it at once.
 *
 * @returns the names of the migrations that were applied now.
 * @throws AppError `unavailable` when the database is newer than this program.
 */
export async function migrate(store: Store, now: number): Promise<string[]> {
  if ((await store.read(pendingMigrations)).length === 0) return [];
  return store.write(async (db) => {
    await db.run("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)");
    const pending = await pendingMigrations(db);
    for (const migration of pending) {
      for (const statement of migration.sql.split(/;\s*$/m)) {
        if (statement.trim() !== "") await db.run(statement);
      }
      await db.run("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", migration.name, now);
    }
    return pending.map((migration) => migration.name);
  });
}

/** @throws AppError `unavailable` when the database has a migration that this program does not know. */
export async function pendingMigrations(db: Reader): Promise<(typeof MIGRATIONS)[number][]> {
  const applied = new Set<string>(await appliedMigrations(db));
  const known = new Set<string>(MIGRATIONS.map((migration) => migration.name));
  for (const name of applied) {
    if (!known.has(name)) {
      throw new AppError(
        "unavailable",
        `The database was written by a newer Rostrum (it has "${name}"): run that version or a later one.`,
      );
    }
  }
  return MIGRATIONS.filter((migration) => !applied.has(migration.name));
}

async function appliedMigrations(db: Reader): Promise<string[]> {
  const table = await db.get("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'");
  if (table === undefined) return [];
  const rows = await db.all<{ name: string }>("SELECT name FROM migrations ORDER BY name");
  return rows.map((row) => row.name);
}
