import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openSqlite, type SqliteStore } from "../store/engines/sqlite.ts";
import { migrate } from "../store/migrations.ts";
import { Catalog } from "./catalog.ts";

let folder: string;
let store: SqliteStore;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rostrum-test-"));
  store = openSqlite(join(folder, "catalog.db"));
  await migrate(store, 0);
  await store.write(async (db) => {
    for (const id of ["a", "b", "c"]) {
      await db.run("INSERT INTO websites VALUES (?, 'x', NULL, NULL, 0, 1, 0, 'e')", id);
    }
  });
});
after(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function newCatalog(): Catalog {
  return new Catalog({ store, cacheBytes: 1_000_000, onChange: () => undefined });
}

test("refreshing several websites ends, and leaves every view current", async () => {
  const catalog = newCatalog();
  for (const id of ["a", "b", "c"]) await catalog.read(id, () => Promise.resolve());
  await catalog.refresh();
  await store.write((db) => db.run("UPDATE websites SET content_version = content_version + 1"));
  await catalog.refresh();
  for (const id of ["a", "b", "c"]) assert.equal(catalog.current(id)?.contentVersion, 2);
});

test("a view is not current from the moment that anything is committed until it is read again", async () => {
  const catalog = newCatalog();
  await catalog.read("a", () => Promise.resolve());
  assert.ok(catalog.current("a"));
  await store.write((db) => db.run("UPDATE websites SET name = 'y' WHERE id = 'b'"));
  assert.equal(catalog.current("a"), undefined);
  await catalog.read("a", () => Promise.resolve());
  assert.ok(catalog.current("a"));
});

test("a website that does not exist is refused", async () => {
  await assert.rejects(
    newCatalog().read("nobody", () => Promise.resolve()),
    { code: "not_found" },
  );
});

test("a new epoch is a new view: nothing that was kept of the old one is valid", async () => {
  const catalog = newCatalog();
  const generation = () => catalog.read("c", ({ view }) => Promise.resolve(view.generation));
  const before = await generation();
  assert.equal(await generation(), before);
  await store.write((db) => db.run("UPDATE websites SET epoch = 'other' WHERE id = 'c'"));
  assert.notEqual(await generation(), before);
});
