import assert from "node:assert/strict";
import { test } from "node:test";
import { tempFolder } from "../../../../test/helpers/folder.ts";
import { declareRow } from "../../row.ts";
import type { Reader } from "../../store.ts";
import { openSqlite } from "./sqlite.ts";

async function level(db: Reader): Promise<number | undefined> {
  return (await db.get(declareRow<{ synchronous: number }>("PRAGMA synchronous")))?.synchronous;
}

test("a write waits for the disk unless its caller says otherwise, also when such a one has failed", async () => {
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

test("a write after one with a row id above 2^53, as the word index has them, goes well", async () => {
  await using folder = await tempFolder();
  await using store = openSqlite(folder.at("rostrum.db"));
  const changed = await store.write(async (db) => {
    await db.run("CREATE TABLE large (id INTEGER PRIMARY KEY, name TEXT)");
    await db.run("INSERT INTO large VALUES (1152921504606846976, 'a')");
    return db.run("UPDATE large SET name = 'b'");
  });
  assert.equal(changed, 1);
});
