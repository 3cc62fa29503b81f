/** Data of an earlier version: only `serve` and `migrate` change it, and a backup of it is one of that version. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { recordRestoration } from "../../src/operations/website/post-restore.ts";
import { migrate, type Migration, MIGRATIONS } from "../../src/store/migrations.ts";
import { appliedMigrations } from "../../src/store/applied-migrations.ts";
import type { Store } from "../../src/store/store.ts";
import { ENGINE, openStoreBy, testDatabase } from "../helpers/database.ts";
import { cliJson, type CliOptions, runCli, serveCli } from "../helpers/cli.ts";
import { tempFolder, type Folder } from "../helpers/folder.ts";

const WEBSITE = "0190a000-0000-7000-8000-000000000001";
/** The last migrations that the earlier version lacks; the one before them made a table that this version reads. */
const LACKING = 5;
const EARLIER = MIGRATIONS.slice(0, -LACKING);

interface Site extends AsyncDisposable {
  folder: Folder;
  options: CliOptions;
  open(): Store;
}

/** A website in tables that an earlier version has made. */
async function siteOf(migrations: readonly Migration[]): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempFolder());
  const { settings } = opened.use(await testDatabase({ isEmpty: true }));
  const data = folder.at("data");
  const open = () => openStoreBy({ ROSTRUM_DATA_DIR: data, ...settings });
  await using store = open();
  await migrate(store, 1, migrations);
  await store.write((db) =>
    db.run(
      "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch) VALUES (?, 'W', 1, 1, 7, 'e')",
      WEBSITE,
    ),
  );
  const owned = opened.move();
  return {
    folder,
    options: { data, cwd: folder.path, env: settings },
    open,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function versionOf(site: Pick<Site, "open">): Promise<string | undefined> {
  await using store = site.open();
  return (await store.read(appliedMigrations)).at(-1)?.name;
}

const REFUSED = [
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

describe("a database of an earlier version", () => {
  test("is refused by every command that works with it, and changed by none", async () => {
    await using site = await siteOf(EARLIER);
    const results = await Promise.all(REFUSED.map((args) => runCli(args, site.options)));
    for (const [index, { code, stderr, stdout }] of results.entries()) {
      const command = REFUSED[index]?.join(" ") ?? "";
      assert.deepEqual([code, stdout], [1, ""], `${command}: ${stderr}`);
      assert.match(stderr, /written by an earlier Rostrum \(it lacks "\d{3}-[\w-]+"\)/, command);
      assert.match(stderr, /run "rostrum migrate", or start this version with "rostrum serve"/, command);
    }
    const doctor = await runCli(["doctor"], site.options);
    assert.match(doctor.stdout, new RegExp(`tables +${LACKING} migrations to apply`), doctor.stderr);
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.equal(await versionOf(site), EARLIER.at(-1)?.name);

    const { applied } = await cliJson(["migrate"], site.options);
    assert.deepEqual(
      applied,
      MIGRATIONS.slice(-LACKING).map(({ name }) => name),
    );
    assert.equal((await runCli(["website", "list"], site.options)).code, 0);
  });

  test("is still one after `restored`, and is served by this version", async () => {
    await using site = await siteOf(EARLIER);
    assert.deepEqual(await cliJson(["restored"], site.options), { websites: 1, leases: 0, renumbered: 0 });
    assert.equal(await versionOf(site), EARLIER.at(-1)?.name);
    await using _server = await serveCli(site.options);
    assert.equal(await versionOf(site), MIGRATIONS.at(-1)?.name);
  });

  test("can be served after a restoration, whichever version it is", async () => {
    await using folder = await tempFolder();
    await using database = await testDatabase({ isEmpty: true });
    await using store = openStoreBy({ ROSTRUM_DATA_DIR: folder.path, ...database.settings });
    // PostgreSQL is there since the third.
    for (let count = ENGINE === "postgres" ? 3 : 1; count <= MIGRATIONS.length; count++) {
      await migrate(store, 1, MIGRATIONS.slice(0, count));
      await recordRestoration({ store, randomBytes }, new Map());
    }
  });

  test("is copied by `backup` unchanged, and restored unchanged", { skip: ENGINE !== "sqlite" }, async () => {
    await using site = await siteOf(EARLIER);
    const file = site.folder.at("backup.db");
    await cliJson(["backup", file], site.options);
    const backup = { open: () => openStoreBy({ DATABASE_URL: `sqlite:${file}` }) };
    for (const one of [site, backup]) assert.equal(await versionOf(one), EARLIER.at(-1)?.name);

    await cliJson(["migrate"], site.options);
    const restored = await runCli(["restore", file], site.options);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stderr, /The backup is of an earlier version/);
    assert.equal(await versionOf(site), EARLIER.at(-1)?.name);
    {
      await using store = site.open();
      const website = await store.read((db) => db.get("SELECT event_sequence FROM websites"));
      assert.equal(website?.event_sequence, 1_000_007);
    }
    await using _server = await serveCli(site.options);
    assert.equal(await versionOf(site), MIGRATIONS.at(-1)?.name);
  });
});

test("data of a newer version is backed up, too", { skip: ENGINE !== "sqlite" }, async () => {
  await using site = await siteOf([...MIGRATIONS, { ...LATER, isAdditive: false }]);
  await cliJson(["backup", site.folder.at("backup.db")], site.options);
  const { code, stderr } = await runCli(["restore", site.folder.at("backup.db")], site.options);
  assert.equal(code, 1);
  assert.match(stderr, /cannot be restored: The database was written by a newer Rostrum/);
});

test(
  "a backup of data that does not exist is refused, and creates no file",
  { skip: ENGINE !== "sqlite" },
  async () => {
    await using folder = await tempFolder();
    const { code, stderr } = await runCli(["backup", folder.at("backup.db")], { data: folder.at("data"), cwd: "/" });
    assert.equal(code, 1);
    assert.match(stderr, /^There is no database /);
    assert.ok(!existsSync(folder.at("data")));
  },
);

const LATER: Migration = {
  name: "999-later",
  isAdditive: true,
  sql: "CREATE TABLE later (id TEXT PRIMARY KEY);\n",
  sqlite: [],
  postgres: [],
};

test(
  "a migration that is not additive waits until no service of an earlier version runs on PostgreSQL",
  { skip: ENGINE !== "postgres" },
  async () => {
    await using site = await siteOf(MIGRATIONS);
    await using store = site.open();
    {
      await using server = await serveCli(site.options);
      const later = [...MIGRATIONS, { ...LATER, isAdditive: false }];
      await assert.rejects(migrate(store, 2, later), { code: "conflict", message: /stop it on every machine/ });
      assert.deepEqual(await migrate(store, 2, [...MIGRATIONS, LATER]), ["999-later"], "what only adds does not");
      server.child.kill("SIGTERM");
      await server.ended;
    }
    const another = { ...LATER, name: "999-other", sql: "DROP TABLE later;\n", isAdditive: false };
    assert.deepEqual(await migrate(store, 3, [...MIGRATIONS, LATER, another]), ["999-other"]);
  },
);
