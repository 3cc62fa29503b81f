import { AsyncLocalStorage } from "node:async_hooks";
import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { test } from "node:test";
import { tempFolder } from "../../../../test/helpers/folder.ts";
import { declareRow } from "../../row.ts";
import type { Snapshot, Writer } from "../../store.ts";
import { waitForAll } from "../../system/sql-batch.ts";
import { openSqlite } from "./sqlite.ts";

async function level(db: Snapshot): Promise<number | undefined> {
  return (await db.get(declareRow<{ synchronous: number }>("PRAGMA synchronous")))?.synchronous;
}

test("a write waits for the disk unless its caller says otherwise, also after such a write has failed", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  const [NORMAL, FULL] = [1, 2];
  assert.equal(await store.write(level), FULL);
  assert.equal(await store.write(level, { waitsForDisk: false }), NORMAL);
  assert.equal(await store.write(level), FULL);
  await assert.rejects(
    store.write((db) => db.run("no SQL"), { waitsForDisk: false }),
    /syntax/,
  );
  assert.equal(await store.write(level), FULL);
});

test("nothing is saved to a file that was removed or replaced meanwhile; once it is back, all goes on", async () => {
  await using folder = await tempFolder();
  const path = folder.at("data/rostrum.db");
  await using store = openSqlite(path);
  await store.write((db) => db.run("CREATE TABLE counts (n INTEGER)"));
  const add = () => store.write((db) => db.run("INSERT INTO counts VALUES (1)"));
  await add();
  renameSync(folder.at("data"), folder.at("aside"));
  const gone = { code: "unavailable", message: /rostrum\.db was removed or replaced while it was in use/ };
  await assert.rejects(add(), gone);
  {
    await using _other = openSqlite(path);
    await assert.rejects(add(), gone);
  }
  const count = declareRow<{ n: number }>("SELECT count(*) AS n FROM counts");
  assert.equal((await store.read((db) => db.get(count)))?.n, 1, "readers notice nothing");
  rmSync(folder.at("data"), { recursive: true });
  renameSync(folder.at("aside"), folder.at("data"));
  await add();
  assert.equal((await store.read((db) => db.get(count)))?.n, 2);
});

test("short writes that wait together are one transaction; if one fails, the others are committed", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  await store.write((db) => db.run("CREATE TABLE counts (n INTEGER UNIQUE)"));
  let commits = 0;
  store.onCommit(() => commits++);
  const contexts = new AsyncLocalStorage<number>();
  const insert = (n: number, isShort = true) =>
    contexts.run(n, () =>
      store.write(
        async (db) => {
          await db.run("INSERT INTO counts VALUES (?)", n);
          return contexts.getStore();
        },
        { isShort, waitsForDisk: n % 2 === 1 },
      ),
    );
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map((n) => insert(n))), [1, 2, 3, 4]);
  assert.equal(commits, 1);
  assert.equal(await store.write(level), 2);
  commits = 0;
  const settled = await Promise.allSettled([insert(5), insert(1), insert(6), insert(7, false)]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  assert.equal(commits, 3);
  const rows = await store.read((db) => db.all(declareRow<{ n: number }>("SELECT n FROM counts ORDER BY n")));
  assert.deepEqual(
    rows.map(({ n }) => n),
    [1, 2, 3, 4, 5, 6, 7],
  );
  assert.equal(store.pool().inUse, 0);
});

test("a write succeeds after one with a row id above 2^53, as the word index has them", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  const changed = await store.write(async (db) => {
    await db.run("CREATE TABLE large (id INTEGER PRIMARY KEY, name TEXT)");
    await db.run("INSERT INTO large VALUES (1152921504606846976, 'a')");
    return db.run("UPDATE large SET name = 'b'");
  });
  assert.equal(changed, 1);
});

test("a query without waiting sees every commit at once, and none while a read is in progress, which may be older", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  await using other = openSqlite(folder.at("rostrum.db"));
  await store.write((db) => db.run("CREATE TABLE counts (n INTEGER)"));
  const count = () => store.getSync(declareRow<{ n: number }>("SELECT count(*) AS n FROM counts"))?.row?.n;
  await other.write((db) => db.run("INSERT INTO counts VALUES (1)"));
  assert.equal(count(), 1);
  await store.read(async (db) => {
    await db.get(declareRow<{ n: number }>("SELECT count(*) AS n FROM counts"));
    await other.write((writer) => writer.run("INSERT INTO counts VALUES (2)"));
    assert.equal(count(), undefined);
  });
  assert.equal(count(), 2);
  assert.throws(() => store.getSync(declareRow<{ n: number }>("SELECT n FROM nowhere")), /nowhere/);
});

test("a commit is counted while a read is in progress, and one in parts keeps no other waiting", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  await store.write((db) => db.run("CREATE TABLE counts (n INTEGER)"));
  const rows = declareRow<{ n: number }>("SELECT count(*) AS n FROM counts");
  const insert = () => store.write((db) => db.run("INSERT INTO counts VALUES (1)"));
  const countDuring = async (isInParts: boolean) => {
    const counter = store.commitCounter();
    return store.read(
      async (db) => {
        const before = await db.get(rows);
        await insert();
        assert.notEqual(store.commitCounter(), counter);
        const short = isInParts ? await store.read((other) => other.get(rows)) : undefined;
        assert.deepEqual(await db.get(rows), before, "of its snapshot");
        return short?.n;
      },
      { isInParts },
    );
  };
  assert.equal(await countDuring(false), undefined);
  assert.equal(await countDuring(true), 2);
  assert.equal(store.pool().inUse, 0);
});

async function insertFour(db: Writer): Promise<void> {
  const insert = (length: number) => db.run("INSERT INTO events VALUES (?)", "x".repeat(length));
  await insert(1);
  await waitForAll([insert(100_000), insert(2), insert(3)]);
}

test("on a full disk nothing of a transaction is saved, also not what its work does after the statement that failed", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  const limit = (pages: number) => store.write((db) => db.get(`PRAGMA max_page_count = ${pages}`));
  const count = async () => (await store.read((db) => db.all(declareRow<object>("SELECT * FROM events")))).length;
  await store.write((db) => db.run("CREATE TABLE events (text TEXT)"));
  await limit(10);
  await assert.rejects(store.write(insertFour), /full/);
  assert.equal(await count(), 0);
  await limit(1_000);
  await store.write(insertFour);
  assert.equal(await count(), 4);
});
