/** Databases of other versions: only `serve` and `migrate` change one of an earlier version, and nobody touches one of an unreleased version. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { appliedMigrations, migrate, type Migration, MIGRATIONS } from "../../src/store/migrations.ts";
import type { Database, Writer } from "../../src/store/store.ts";
import { hasTable } from "../../src/store/system/has-table.ts";
import { ENGINE, openStoreBy, testDatabase } from "../helpers/database.ts";
import { cliJson, type CliOptions, runCli, serveCli } from "../helpers/cli.ts";
import { runCli as runInProcess } from "../helpers/cli-in-process.ts";
import { tempFolder, type Folder } from "../helpers/folder.ts";
import { ALL_MIGRATIONS, LATER_NAMES, LATER_VERSION } from "../helpers/later-version/migrations.ts";

const WEBSITE = "0190a000-0000-7000-8000-000000000001";

interface Site extends AsyncDisposable {
  folder: Folder;
  options: CliOptions;
  open(): Database;
}

/** A database that `make` has written to. */
async function siteOf(make: (store: Database) => Promise<unknown>): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const { settings } = opened.use(await testDatabase({ isEmpty: true }));
  const data = folder.at("data");
  const open = () => openStoreBy({ ROSTRUM_DATA_DIR: data, ...settings });
  await using store = open();
  await make(store);
  const owned = opened.move();
  return {
    folder,
    options: { data, cwd: folder.path, env: settings },
    open,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function withMigrations(migrations: readonly Migration[]): Promise<Site> {
  return siteOf(async (store) => {
    await migrate(store, 1, migrations);
    await store.write((db) =>
      db.run(
        "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch) VALUES (?, 'W', 1, 1, 7, 'e')",
        WEBSITE,
      ),
    );
  });
}

/** The same site for the program of a version to come. */
function later({ options }: Site): CliOptions {
  return { ...options, env: { ...options.env, ...LATER_VERSION } };
}

async function versionOf(site: Pick<Site, "open">): Promise<string | undefined> {
  await using store = site.open();
  return (await store.read(appliedMigrations)).at(-1)?.name;
}

const COMMANDS = [
  ["website", "list"],
  ["website", "create", "--name", "X"],
  ["key", "list", "--website", WEBSITE],
  ["user", "list"],
  ["article", "list", "--website", WEBSITE],
  ["export", "--website", WEBSITE],
  ["import", "-", "--website", WEBSITE, "--format", "ndjson"],
  ["webhook", "list", "--website", WEBSITE],
  ["webhook", "listen", "--website", "W", "--key", "rs_x", "--forward", "http://127.0.0.1:9/"],
  ["migrate-store", "--to", "sqlite:copy.db"],
];

test("a database of an earlier version is refused by every command that works with it, and changed by none", async () => {
  await using site = await withMigrations(MIGRATIONS);
  const results = await Promise.all(COMMANDS.map((args) => runCli(args, later(site))));
  for (const [index, { code, stderr, stdout }] of results.entries()) {
    const command = COMMANDS[index]?.join(" ") ?? "";
    assert.deepEqual([code, stdout], [1, ""], `${command}: ${stderr}`);
    assert.match(stderr, /written by an earlier Rostrum \(it lacks "901-later-columns"\)/, command);
    assert.match(stderr, /run "rostrum migrate", or start this version with "rostrum serve"/, command);
  }
  const doctor = await runCli(["doctor"], later(site));
  assert.match(doctor.stdout, new RegExp(`tables +${LATER_NAMES.length} migrations to apply`), doctor.stderr);
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.equal(await versionOf(site), MIGRATIONS.at(-1)?.name);

  assert.deepEqual((await cliJson(["migrate"], later(site)))["applied"], LATER_NAMES);
  assert.equal((await runCli(["website", "list"], later(site))).code, 0);
});

test("a database of an earlier version stays one after `restored`, and is migrated when it is served", async () => {
  await using site = await withMigrations(MIGRATIONS);
  assert.deepEqual(await cliJson(["restored"], later(site)), { websites: 1, leases: 0, renumbered: 0 });
  assert.equal(await versionOf(site), MIGRATIONS.at(-1)?.name);
  await using _server = await serveCli(later(site));
  assert.equal(await versionOf(site), LATER_NAMES.at(-1));
});

test(
  "a database of an earlier version is copied by `backup` unchanged, and restored unchanged",
  { skip: ENGINE !== "sqlite" },
  async () => {
    await using site = await withMigrations(MIGRATIONS);
    const file = site.folder.at("backup.db");
    await cliJson(["backup", file], later(site));
    const backup = { open: () => openStoreBy({ DATABASE_URL: `sqlite:${file}` }) };
    for (const one of [site, backup]) assert.equal(await versionOf(one), MIGRATIONS.at(-1)?.name);

    await cliJson(["migrate"], later(site));
    const restored = await runCli(["restore", file], later(site));
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stderr, /The backup is of an earlier version/);
    assert.equal(await versionOf(site), MIGRATIONS.at(-1)?.name);
    await using store = site.open();
    const website = await store.read((db) => db.get("SELECT event_sequence FROM websites"));
    assert.equal(website?.event_sequence, 1_000_007);
  },
);

test("data of a newer version is backed up, too, and not restored", { skip: ENGINE !== "sqlite" }, async () => {
  await using site = await withMigrations(ALL_MIGRATIONS.map((one) => ({ ...one, isAdditive: false })));
  await cliJson(["backup", site.folder.at("backup.db")], site.options);
  const { code, stderr } = await runCli(["restore", site.folder.at("backup.db")], site.options);
  assert.equal(code, 1);
  assert.match(stderr, /cannot be restored: The database was written by a newer Rostrum/);
});

test("doctor of an earlier version says in one sentence that the data is of a newer one, and what to do", async () => {
  const breaking: Migration = {
    name: "999-breaking",
    isAdditive: false,
    sql: "ALTER TABLE websites RENAME COLUMN event_sequence TO later_sequence;\n",
    sqlite: [],
    postgres: ["DROP TABLE workers"],
  };
  await using site = await withMigrations(MIGRATIONS);
  assert.equal((await runCli(["doctor"], site.options)).code, 0);
  await using store = site.open();
  await migrate(store, 1, [...MIGRATIONS, breaking]);
  const { code, stdout } = await runCli(["doctor"], site.options);
  assert.equal(code, 69, stdout);
  assert.deepEqual(
    stdout.split("\n").filter((line) => line.startsWith("FAIL")),
    [
      'FAIL  database  The database was written by a newer Rostrum (it has "999-breaking"): run that version or a later one, or ' +
        "restore the backup that was made before the upgrade.",
    ],
  );
});

const UNRELEASED: readonly [made: string, has: RegExp, make: (db: Writer) => Promise<unknown>][] = [
  [
    "by an unreleased version",
    /it has the migration "001-articles", and not "001-first"/,
    async (db) => {
      await db.run("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT, additive INTEGER)");
      await db.run("INSERT INTO migrations VALUES ('001-articles', 0, 0), ('002-webhooks', 0, 0)");
    },
  ],
  [
    "by one that recorded less",
    /it has a table "migrations" of another form/,
    (db) => db.run("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at BIGINT)"),
  ],
  [
    "with tables of the same names",
    /it has a table "articles" and no "migrations"/,
    (db) => db.run("CREATE TABLE articles (id TEXT)"),
  ],
];

for (const [made, has, make] of UNRELEASED) {
  test(`a database made ${made} is refused by every command, with what to do, and changed by none`, async () => {
    await using site = await siteOf((store) => store.write((db) => make(db)));
    const commands = [...COMMANDS, ["serve"], ["migrate"], ["restored"], ["doctor"]];
    if (ENGINE === "sqlite") commands.push(["backup", site.folder.at("backup.db")]);
    for (const args of commands) {
      const command = args.join(" ");
      const { code, stderr, stdout } = await (args[0] === "serve" ? runCli : runInProcess)(args, site.options);
      assert.equal(code, 78, `${command}: ${stdout}${stderr}`);
      const said = command === "doctor" ? stdout : stderr;
      assert.match(said, /database was made by an unreleased version of Rostrum or by another program/, command);
      assert.match(said, has, command);
      assert.match(said, /export its articles with the program that made it.* "rostrum import"\./, command);
    }
    assert.ok(!existsSync(site.folder.at("backup.db")));
    await using store = site.open();
    assert.equal(await store.read((db) => hasTable(db, "websites")), false);
  });
}

test(
  "a backup of data that does not exist is refused, and creates no file",
  { skip: ENGINE !== "sqlite" },
  async () => {
    await using folder = await tempFolder();
    const { code, stderr } = await runCli(["backup", folder.at("backup.db")], { data: folder.at("data"), cwd: "/" });
    assert.equal(code, 69);
    assert.match(stderr, /^There is no Rostrum data in /);
    assert.ok(!existsSync(folder.at("data")));
  },
);

test(
  "a migration that is not additive waits until no service of an earlier version runs on PostgreSQL",
  { skip: ENGINE !== "postgres" },
  async () => {
    await using site = await withMigrations(MIGRATIONS);
    await using store = site.open();
    const breaking = {
      name: "903-breaking",
      sql: "DROP TABLE later_deletions;\n",
      isAdditive: false,
      sqlite: [],
      postgres: [],
    };
    const all = [...ALL_MIGRATIONS, breaking];
    {
      await using server = await serveCli(site.options);
      await assert.rejects(migrate(store, 2, all), { code: "conflict", message: /stop it on every machine/ });
      assert.deepEqual(await migrate(store, 2, ALL_MIGRATIONS), LATER_NAMES, "what only adds does not");
      server.child.kill("SIGTERM");
      await server.ended;
    }
    assert.deepEqual(await migrate(store, 3, all), ["903-breaking"]);
  },
);
