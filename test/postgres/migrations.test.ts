/** Programs of several versions on one database: who may bring it up to date, who goes on, and who refuses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Client } from "pg";
import { appliedMigrations, migrate, type Migration, pendingMigrations } from "../../src/store/migrations.ts";
import type { StepReport } from "../../src/store/migration-steps.ts";
import { compareSchema } from "../../src/store/schema.ts";
import type { Database } from "../../src/store/store.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson, runCli, serveCli, spawnCli } from "../helpers/cli.ts";
import { openStoreBy, type TestDatabase, testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { ALL_MIGRATIONS, LATER_NAMES, LATER_VERSION } from "../helpers/later-version/migrations.ts";
import { until } from "../helpers/until.ts";
import { probeMigrations } from "./migration-probe.ts";

function connect({ settings }: TestDatabase): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: settings["DATABASE_URL"] ?? "" });
  // Its session may be ended from elsewhere.
  client.on("error", () => undefined);
  return client.connect().then(() => Object.assign(client, { [Symbol.asyncDispose]: () => client.end() }));
}

/** A migration of a version to come. */
function add(store: Database, name: string, additive: 0 | 1): Promise<number> {
  return store.write(async (db) => {
    await db.run(`CREATE TABLE future_${additive} (id TEXT PRIMARY KEY)`);
    if (additive === 1) await db.run("ALTER TABLE articles ADD COLUMN future TEXT");
    return db.run("INSERT INTO migrations (name, applied_at, additive) VALUES (?, 0, ?)", name, additive);
  });
}

test("eight stores that open an empty database at once apply each migration once", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using stores = new AsyncDisposableStack();
  const all = Array.from({ length: 8 }, () => stores.use(openStoreBy(database.settings)));
  const applied = await Promise.all(all.map((store) => migrate(store, 1)));
  const [store] = all;
  assert.ok(store !== undefined);
  assert.deepEqual(await store.read(pendingMigrations), []);
  const names = (await store.read((db) => db.all("SELECT name FROM migrations"))).map(({ name }) => name);
  assert.deepEqual(applied.flat().toSorted(), names.toSorted());
  assert.deepEqual(
    await Promise.all(all.map((one) => migrate(one, 1))),
    all.map(() => []),
  );
});

test("a database that another process migrates while its tables are looked for counts as empty", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using store = openStoreBy(database.settings);
  await using other = openStoreBy(database.settings);
  const applied = await store.read(async (db) => {
    await db.get("SELECT 1 FROM pg_class");
    await migrate(other, 1);
    return appliedMigrations(db);
  });
  assert.deepEqual(applied, []);
  assert.deepEqual(await migrate(store, 1), []);
});

test("processes that start on an empty database at once all serve, and serve the same", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using folder = await tempFolder();
  const options = { data: folder.path, env: database.settings };
  await using servers = new AsyncDisposableStack();
  const all = await Promise.all([0, 1, 2].map(async () => servers.use(await serveCli(options))));
  const { id } = await cliJson(["website", "create", "--name", "W"], options);
  const { key } = await cliJson(["key", "create", "--website", String(id), "--name", "k"], options);
  for (const { url } of all) {
    const reply = await fetch(`${url}${LIST}`, { headers: { "X-API-Key": String(key) } });
    assert.equal(reply.status, 200);
    await reply.arrayBuffer();
  }
});

test("after an additive migration of a later version this version keeps serving and can still be started", async () => {
  await using service = await startTestService();
  const id = (await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF)).article
    .id;
  assert.equal((await service.list()).articles.length, 1);
  await add(service.app.store, "990-later", 1);
  assert.equal((await service.get("/readyz")).status, 200);
  assert.equal((await service.detail(id))["id"], id);
  await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  assert.equal((await service.list()).articles.length, 2);
  assert.deepEqual(service.log.failures, []);

  const { database } = service.app.config;
  assert.ok(database.kind === "postgres");
  const env = { DATABASE_URL: database.url };
  await using folder = await tempFolder();
  const { code, stderr } = await runCli(["website", "list"], { data: folder.path, env });
  assert.equal(code, 0, stderr);
  await using _ = await serveCli({ data: folder.path, env });
});

test("after a breaking migration of a later version this version refuses to start, with a sentence", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using folder = await tempFolder();
  await using store = openStoreBy(database.settings);
  await migrate(store, 0);
  await add(store, "991-other", 0);
  await assert.rejects(migrate(store, 0), { code: "unavailable" });
  for (const command of [["serve"], ["website", "list"], ["migrate"]]) {
    const { code, stderr, stdout } = await runCli(command, {
      data: folder.path,
      env: { PORT: "0", ...database.settings },
    });
    assert.equal(code, 69, `${command.join(" ")}: ${stdout}`);
    assert.match(
      stderr,
      /^The database was written by a newer Rostrum \(it has "991-other"\): run that version or a later one, or restore the backup that was made before the upgrade\.\n$/,
    );
  }
});

test("a service is no longer ready once such a migration is applied beside it, and says why", async () => {
  await using service = await startTestService();
  assert.equal((await service.get("/readyz")).status, 200);
  await add(service.app.store, "992-other", 0);
  assert.equal((await service.get("/readyz")).status, 503);
});

test("no migration rewrites a table with rows, or reads one while others wait for it", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using store = openStoreBy(database.settings);
  await migrate(store, 0, ALL_MIGRATIONS.slice(0, 1));
  await using probe = await probeMigrations(database.settings["DATABASE_URL"] ?? "");
  await probe.faults();
  for (let count = 2; count <= ALL_MIGRATIONS.length; count++) {
    const migrations = ALL_MIGRATIONS.slice(0, count);
    await migrate(store, 0, migrations);
    assert.deepEqual(await probe.faults(), [], `migration ${count}`);
  }
  assert.deepEqual((await store.read(compareSchema)).problems, []);

  // What the probe is to find, it finds.
  const bad: Migration = {
    name: "993-bad",
    isAdditive: true,
    sql: "",
    sqlite: [],
    postgres: [
      "ALTER TABLE events ADD COLUMN size INTEGER GENERATED ALWAYS AS (length(payload)) STORED",
      "ALTER TABLE articles ADD CONSTRAINT titled CHECK (title <> '')",
      "ALTER TABLE deliveries ADD CONSTRAINT numbered CHECK (no > 0) NOT VALID",
      "ALTER TABLE deliveries VALIDATE CONSTRAINT numbered",
      "CREATE INDEX by_size ON events (size)",
    ],
  };
  await migrate(store, 0, [...ALL_MIGRATIONS, bad]);
  const faults = await probe.faults();
  assert.equal(faults.filter((fault) => fault === "events was rewritten").length, 1, faults.join("\n"));
  assert.ok(
    faults.some((fault) => /^articles is read under a lock by: .* CHECK/.test(fault)),
    faults.join("\n"),
  );
  assert.ok(!faults.some((fault) => /VALIDATE|NOT VALID|INDEX/.test(fault)), faults.join("\n"));
});

test("while a migration waits for its lock, others can write; then it continues", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using store = openStoreBy(database.settings);
  await migrate(store, 0);
  await using reader = await connect(database);
  await using writer = await connect(database);
  await using watcher = await connect(database);
  await reader.query("BEGIN; SELECT count(*) FROM events");
  const reports: StepReport[] = [];
  const migrated = migrate(store, 0, ALL_MIGRATIONS, (report) => reports.push(report));
  for (let round = 0; round < 3; round++) {
    await until("the migration waits for its lock", async () => {
      const { rows } = await watcher.query(
        "SELECT 1 FROM pg_locks WHERE relation = 'events'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted",
      );
      return rows.length > 0;
    });
    // Waits behind the migration's lock until the migration gives up.
    await writer.query("DELETE FROM events");
  }
  await reader.query("COMMIT");
  assert.deepEqual(await migrated, LATER_NAMES);
  const waited = reports.filter(({ tries }) => tries > 1).map(({ step }) => step);
  assert.ok(
    waited.some((step) => step.startsWith("ALTER TABLE events ")),
    JSON.stringify(reports),
  );
});

test("a service that is stopped while it migrates ends at once, and the next one migrates", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using folder = await tempFolder();
  await using store = openStoreBy(database.settings);
  await migrate(store, 0);
  await using reader = await connect(database);
  await using watcher = await connect(database);
  await reader.query("BEGIN; SELECT count(*) FROM events");
  const options = { data: folder.path, env: { PORT: "0", ...database.settings, ...LATER_VERSION } };
  const child = spawnCli(["serve"], options);
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "close");
  await until("the migration waits for its lock", async () => {
    const { rows } = await watcher.query("SELECT 1 FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted");
    return rows.length > 0;
  });
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  assert.match(log, /"reason":"SIGTERM","msg":"stopping before the start has ended"/);
  await reader.query("COMMIT");
  await using _ = await serveCli(options);
  assert.deepEqual(await store.read((db) => pendingMigrations(db, ALL_MIGRATIONS)), []);
});

test("a killed migration resumes where it was, even when several processes start it at once", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using folder = await tempFolder();
  await using stores = new AsyncDisposableStack();
  const all = [0, 1, 2].map(() => stores.use(openStoreBy(database.settings)));
  const [store] = all;
  assert.ok(store !== undefined);
  await migrate(store, 0);
  await using client = await connect(database);
  // Enough for several batches; all but every tenth event are deletions.
  await client.query(`
    SET session_replication_role = replica;
    INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload)
      SELECT 'w' || n % 3, n, 'e' || n, CASE WHEN n % 10 = 0 THEN 'article.updated' ELSE 'article.deleted' END, 'a' || n % 700, 0, ''
      FROM generate_series(1, 9000) n`);
  const expected = await client.query(
    `SELECT website_id, article_id, MAX(sequence) AS last_sequence FROM events WHERE kind = 'article.deleted'
     GROUP BY website_id, article_id ORDER BY website_id, article_id`,
  );
  // An index that is built concurrently waits for transactions with an older snapshot.
  await using old = await connect(database);
  await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  const isBuilding = async () =>
    (await client.query("SELECT pid FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting%'")).rows.length > 0;
  const child = spawnCli(["migrate"], { data: folder.path, env: { ...database.settings, ...LATER_VERSION } });
  await until("an index is being built", isBuilding);
  child.kill("SIGKILL");
  const migrated = Promise.all(all.map((one) => migrate(one, 0, ALL_MIGRATIONS)));
  // The server continues building the index, until its connection is terminated.
  assert.ok(await isBuilding());
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index");
  await until("the index is being built anew", isBuilding);
  await old.query("COMMIT");
  const applied = (await migrated).flat();
  assert.deepEqual(applied, [...new Set(applied)], "each once");
  assert.ok(applied.includes(LATER_NAMES.at(-1) ?? ""), applied.join());
  assert.deepEqual(await store.read(compareSchema), { problems: [], others: [] });
  const { rows } = await client.query("SELECT * FROM later_deletions ORDER BY website_id, article_id");
  assert.deepEqual(rows, expected.rows);
  assert.deepEqual((await client.query("SELECT to_regclass('migration_steps') AS steps")).rows, [{ steps: null }]);
});
