/** Released migrations do not change, and `doctor` knows what their tables look like. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { migrate, MIGRATIONS } from "../../src/store/migrations.ts";
import { compareSchema, FROZEN, readSchema, schemaAfter } from "../../src/store/schema.ts";
import { ENGINE, openStoreBy, openTestStore, testDatabase } from "../helpers/database.ts";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";

test("the text of every migration is the one that was released", () => {
  for (const migration of MIGRATIONS) {
    const { name } = migration;
    const entry = FROZEN[name];
    assert.ok(entry !== undefined, `Migration ${name} is new: run "npm run freeze-migrations" once it is final.`);
    const sha256 = createHash("sha256").update(JSON.stringify(migration)).digest("hex");
    assert.equal(
      sha256,
      entry.sha256,
      `Migration ${name} was edited, but databases have it as it was: put its text back and write a new migration. ` +
        "If it has never been released, remove its entry from src/store/migrations/frozen.json and freeze it again.",
    );
  }
  assert.deepEqual(
    Object.keys(FROZEN),
    MIGRATIONS.map(({ name }) => name),
    "no migration is taken away or put between others",
  );
});

test("the tables of a new database are those that each version is known to have", async () => {
  await using folder = await tempFolder();
  await using database = await testDatabase({ isEmpty: true });
  await using store = openStoreBy({ ROSTRUM_DATA_DIR: folder.path, ...database.settings });
  for (const index of MIGRATIONS.keys()) {
    await migrate(store, 0, MIGRATIONS.slice(0, index + 1));
    const names = MIGRATIONS.slice(0, index + 1).map(({ name }) => name);
    assert.deepEqual(await store.read(readSchema), schemaAfter(names, ENGINE), `after ${names.at(-1)}`);
  }
});

test("differences from the version's tables are named, except what others added or a later version made", async () => {
  await using one = await openTestStore();
  const { store } = one;
  const compare = () => store.read(compareSchema);
  const change = (...statements: string[]) =>
    store.write(async (db) => {
      for (const statement of statements) await db.run(statement);
    });
  assert.deepEqual(await compare(), { problems: [], others: [] });

  await change("CREATE TABLE theirs (id TEXT)", "CREATE INDEX their_index ON articles (title)");
  assert.deepEqual(await compare(), { problems: [], others: ["index their_index"] });

  await change("DROP INDEX articles_by_version", "ALTER TABLE websites DROP COLUMN url_pattern");
  await change("DROP INDEX articles_due", "CREATE INDEX articles_due ON articles (published_at)");
  await change("ALTER TABLE accounts ADD COLUMN nickname TEXT");
  const { problems } = await compare();
  assert.equal(problems.length, 4, problems.join("\n"));
  const all = problems.join("\n");
  assert.match(all, /index articles_by_version is missing \(CREATE INDEX articles_by_version ON articles/);
  assert.match(all, /column websites\.url_pattern is missing/);
  assert.match(all, /index articles_due is "CREATE INDEX .*published_at\)" instead of "CREATE INDEX .*publish_at/);
  assert.match(all, /column accounts\.nickname should not be there/);

  await change("INSERT INTO migrations (name, applied_at, additive) VALUES ('999-later', 0, 1)");
  assert.equal((await compare()).problems.length, 3, "the column may be the later version's");
});

test("doctor fails if the tables are not those of their version, and names the differences", async () => {
  await using folder = await tempFolder();
  await using database = await testDatabase();
  const settings = { ROSTRUM_DATA_DIR: folder.path, ...database.settings };
  await using store = openStoreBy(settings);
  await migrate(store, 0);
  const doctor = () => runCli(["doctor"], { cwd: "/", data: folder.path, env: settings });
  assert.match((await doctor()).stdout, /ok +schema +as this version makes it\n/);
  await store.write((db) => db.run("DROP INDEX articles_by_version"));
  const { code, stdout } = await doctor();
  assert.equal(code, 1, stdout);
  assert.match(stdout, /FAIL +schema +index articles_by_version is missing \(CREATE INDEX .*\)\. /);
});
