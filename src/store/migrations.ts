import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../domain/system/errors.ts";
import { hasTable } from "./system/table-copy.ts";
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
import { deadLetters } from "./migrations/011-dead-letters.ts";
import { catchUp } from "./migrations/012-catch-up.ts";
import { acceptedMemberships } from "./migrations/013-accepted-memberships.ts";
import { eventContents } from "./migrations/014-event-contents.ts";
import { secondFactor } from "./migrations/015-second-factor.ts";
import { exportOrder } from "./migrations/016-export-order.ts";
import { keptFactors } from "./migrations/017-kept-factors.ts";
import { retention } from "./migrations/018-retention.ts";
import { traces } from "./migrations/019-traces.ts";
import { reviewStates } from "./migrations/020-review-states.ts";
import { sitePreviews } from "./migrations/021-site-previews.ts";
import { publishDelay } from "./migrations/022-publish-delay.ts";
import { unpublishedChanges } from "./migrations/023-unpublished-changes.ts";
import { notifications } from "./migrations/024-notifications.ts";
import { retryPlans } from "./migrations/025-retry-plans.ts";
import { assets } from "./migrations/026-assets.ts";
import { redirects } from "./migrations/027-redirects.ts";
import { comments } from "./migrations/028-comments.ts";
import { reviewLinks } from "./migrations/029-review-links.ts";
import { extendedPayloads } from "./migrations/030-extended-payloads.ts";
import { emailChanges } from "./migrations/031-email-changes.ts";
import { webhookNames } from "./migrations/032-webhook-names.ts";
import { servedFeeds } from "./migrations/033-served-feeds.ts";
import { authors } from "./migrations/034-authors.ts";
import { workingCopies } from "./migrations/035-working-copies.ts";
import { vocabulary } from "./migrations/036-vocabulary.ts";
import { languages } from "./migrations/037-languages.ts";
import { indexNow } from "./migrations/038-index-now.ts";
import { websiteLanguages } from "./migrations/039-website-languages.ts";
import { guestComments } from "./migrations/040-guest-comments.ts";
import { websiteUrlChanges } from "./migrations/041-website-url-changes.ts";
import { slugsPerLanguage } from "./migrations/042-slugs-per-language.ts";
import { type MigrationStep, type StepReport, StepRunner, toStatement } from "./migration-steps.ts";
import { appliedMigrations } from "./applied-migrations.ts";
import { countDispatchers, countNodes } from "./system/heartbeats.ts";
import type { MigrationConnection, Snapshot, Store, Writer } from "./store.ts";

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

/** In the order in which they are applied. None is edited after its release (migrations.test.ts). */
export const MIGRATIONS: readonly Migration[] = [
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
  deadLetters,
  catchUp,
  acceptedMemberships,
  eventContents,
  secondFactor,
  exportOrder,
  keptFactors,
  retention,
  traces,
  reviewStates,
  sitePreviews,
  publishDelay,
  unpublishedChanges,
  notifications,
  retryPlans,
  assets,
  redirects,
  comments,
  reviewLinks,
  extendedPayloads,
  emailChanges,
  webhookNames,
  servedFeeds,
  authors,
  workingCopies,
  vocabulary,
  languages,
  indexNow,
  websiteLanguages,
  guestComments,
  websiteUrlChanges,
  slugsPerLanguage,
];

/** The first migration recorded with the column `additive`, which the third migration added. */
const FIRST_NOTED = nodes.name;
/** The last migration that rewrites a large table. Up to it nothing is cancelled: it would never be applied. */
const LAST_REWRITING = setAside.name;
/** More than these are rewritten for over a second, during which no webhook is sent and nothing published. */
const MAX_REWRITTEN_DELIVERIES = 50_000;
const LOCK_POLL_MS = 100;

/**
 * Migrates the tables to this version; several processes may call it at once. SQLite and an empty PostgreSQL are migrated in
 * one transaction, PostgreSQL with data step by step, while services of earlier versions keep running (migration-steps.ts).
 * On SQLite the caller holds the lock of the data (data-lock.ts).
 *
 * @param migrations are all migrations of this version; tests pass those of earlier and later ones.
 * @param report is called after each step on a PostgreSQL with data.
 * @returns the names of the migrations that this call applied.
 * @throws AppError `unavailable` when the database is newer than this version by more than additions, or when others keep a
 * table locked; `conflict` when a migration changes what a running service on the same PostgreSQL reads.
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
    await db.run("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)");
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
    const finish = (db: Writer) => record(db, migration, now);
    await runner.run(migration.name, toSteps(migration, store.engine), finish, migration.name > LAST_REWRITING);
  }
  if (pending.length > 0) await runner.finish();
  return pending.map((migration) => migration.name);
}

/**
 * For commands that never migrate, as a service of an earlier version may be running on the data. Creates the tables in an
 * empty database.
 *
 * @param what names the database in the error message.
 * @throws AppError `conflict` when the tables are those of an earlier version, `unavailable` as `migrate` does.
 */
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

/** @throws AppError `unavailable` when the database has a newer migration with which this version cannot work. */
export async function pendingMigrations(
  db: Snapshot,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly Migration[]> {
  const applied = await appliedMigrations(db);
  const known = new Set(migrations.map(({ name }) => name));
  for (const { name, additive } of applied) {
    if (!known.has(name) && additive !== 1) {
      throw new AppError(
        "unavailable",
        `The database was written by a newer Rostrum (it has "${name}"): run that version or a later one.`,
      );
    }
  }
  const names = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

/** A running service of an earlier version that would fail after a migration, or stand still during it, must be stopped first. */
async function assertNoEarlierService(db: Snapshot, pending: readonly Migration[]): Promise<void> {
  const breaking = pending.find(({ isAdditive }) => !isAdditive);
  const rewriting = pending.find(({ name }) => name === LAST_REWRITING);
  const change = breaking ?? (rewriting !== undefined && (await hasManyDeliveries(db)) ? rewriting : undefined);
  if (change === undefined || !(await hasTable(db, "workers"))) return;
  const running = Math.max(await countNodes(db), await countDispatchers(db));
  if (running === 0) return;
  const problem =
    change === breaking
      ? `cannot go on after the migration "${change.name}"`
      : `would deliver and publish nothing during the migration "${change.name}", which rewrites all deliveries`;
  throw new AppError(
    "conflict",
    `A service of an earlier Rostrum runs on the database (processes: ${running}), and ${problem}: stop it on every ` +
      "machine, then start this version.",
  );
}

async function hasManyDeliveries(db: Snapshot): Promise<boolean> {
  if (!(await hasTable(db, "deliveries"))) return false;
  return (await db.get(`SELECT 1 AS found FROM deliveries LIMIT 1 OFFSET ${MAX_REWRITTEN_DELIVERIES}`)) !== undefined;
}

function toSteps(migration: Migration, engine: Snapshot["engine"]): MigrationStep[] {
  const statements = migration.sql.split(/;\s*$/m).map((statement) => statement.trim());
  return [...statements.filter((statement) => statement !== ""), ...migration[engine]];
}

async function record(db: Writer, migration: Migration, now: number): Promise<void> {
  const { name } = migration;
  if (name < FIRST_NOTED) {
    await db.run("INSERT INTO migrations (name, applied_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, now);
    return;
  }
  const additive = migration.isAdditive ? 1 : 0;
  await db.run(
    "INSERT INTO migrations (name, applied_at, additive) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
    name,
    now,
    additive,
  );
}
