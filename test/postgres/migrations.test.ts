/** Programs of several versions on one database: who may bring it up to date, who goes on, and who refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { migrate, pendingMigrations } from "../../src/store/migrations.ts";
import type { Store } from "../../src/store/store.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { cliJson, runCli, serveCli } from "../helpers/cli.ts";
import { openStoreBy, testDatabase } from "../helpers/database.ts";
import { tempFolder } from "../helpers/folder.ts";
import { LIST, startTestService } from "../helpers/service.ts";
import { createArticle } from "../../src/operations/articles/articles.ts";

/** A migration of a version to come. */
function add(store: Store, name: string, additive: 0 | 1): Promise<number> {
  return store.write(async (db) => {
    await db.run(`CREATE TABLE future_${additive} (id TEXT PRIMARY KEY)`);
    if (additive === 1) await db.run("ALTER TABLE articles ADD COLUMN future TEXT");
    return db.run("INSERT INTO migrations (name, applied_at, additive) VALUES (?, 0, ?)", name, additive);
  });
}

test("eight stores that find an empty database at once bring it up to date, each migration once", async () => {
  await using database = await testDatabase({ isEmpty: true });
  await using stores = new AsyncDisposableStack();
  const all = Array.from({ length: 8 }, () => stores.use(openStoreBy(database.settings)));
  const applied = await Promise.all(all.map((store) => migrate(store, 1)));
  const [store] = all;
  assert.ok(store !== undefined);
  assert.deepEqual(await store.read(pendingMigrations), []);
  const names = (await store.read((db) => db.all<{ name: string }>("SELECT name FROM migrations"))).map(
    ({ name }) => name,
  );
  assert.ok(names.length >= 3);
  assert.deepEqual(applied.flat().toSorted(), names.toSorted());
  assert.deepEqual(
    await Promise.all(all.map((one) => migrate(one, 1))),
    all.map(() => []),
  );
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

test("a migration of a later version that only adds: what serves goes on, and this version can still be started", async () => {
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

test("a migration of a later version that changes what was there: this version refuses in a sentence", async () => {
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
      /^The database was written by a newer Rostrum \(it has "991-other"\): run that version or a later one\.\n$/,
    );
  }
});

test("a service beside which such a migration is applied is not ready any more, and says so", async () => {
  await using service = await startTestService();
  assert.equal((await service.get("/readyz")).status, 200);
  await add(service.app.store, "992-other", 0);
  assert.equal((await service.get("/readyz")).status, 503);
});
