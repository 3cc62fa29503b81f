import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "../../../../test/helpers/database.ts";
import { until } from "../../../../test/helpers/until.ts";
import { wrapStore } from "../../../../test/helpers/wrap-store.ts";
import type { Snapshot, Database } from "../../../store/store.ts";
import { defaultSort } from "../../../store/articles/article-queries.ts";
import { raiseContentVersion } from "../../../store/system/websites.ts";
import { ReadModel } from "./read-model.ts";

let opened: TestStore;
let store: Database;
let following: AsyncDisposable;

before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
  following = await store.followCommits((error) => assert.fail(String(error)));
  await store.write(async (db) => {
    for (const id of ["a", "b", "c", "d"]) {
      await db.run(
        "INSERT INTO websites (id, name, url, url_pattern, created_at, content_version, event_sequence, epoch) VALUES (?, 'x', NULL, NULL, 0, 1, 0, 'e')",
        id,
      );
    }
  });
});
after(async () => {
  await following[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
});

function newCatalog(): ReadModel {
  return new ReadModel({ store, cacheBytes: 1_000_000, onChange: () => undefined });
}

test("refreshing several websites ends, and makes every view current", async () => {
  const readModel = newCatalog();
  for (const id of ["a", "b", "c"]) await readModel.read(id, () => Promise.resolve());
  await readModel.refresh();
  await store.write(async (db) => {
    for (const id of ["a", "b", "c"]) await raiseContentVersion(db, id);
  });
  // PostgreSQL may report a change twice.
  await until("every view is current", async () => {
    await readModel.refresh();
    return ["a", "b", "c"].every((id) => readModel.current(id)?.contentVersion === 2);
  });
});

test("a view is not current from the moment that a change is committed until the next read", async () => {
  const readModel = newCatalog();
  await becomesCurrent(readModel, "a");
  await store.write((db) => raiseContentVersion(db, "a"));
  assert.equal(readModel.current("a"), undefined);
  await becomesCurrent(readModel, "a");
});

/** PostgreSQL may report a change twice. */
async function becomesCurrent(readModel: ReadModel, websiteId: string): Promise<void> {
  await until("the view is current", async () => {
    await readModel.read(websiteId, () => Promise.resolve());
    return readModel.current(websiteId) !== undefined;
  });
}

test("a website that does not exist is refused", async () => {
  await assert.rejects(
    newCatalog().read("nobody", () => Promise.resolve()),
    { code: "not_found" },
  );
});

test("a new epoch makes a new view, and nothing cached for the old one is used", async () => {
  const readModel = newCatalog();
  const generation = () => readModel.read("c", ({ view }) => Promise.resolve(view.generation));
  const before = await generation();
  assert.equal(await generation(), before);
  await store.write((db) => db.run("UPDATE websites SET epoch = 'other' WHERE id = 'c'"));
  assert.notEqual(await generation(), before);
});

test("a change of which only half could be loaded is never shown, not even to reads that began before it", async () => {
  let isBroken = false;
  // The positions of the new rows are queried after the changed rows were removed from the order.
  const failing = (db: Snapshot): Snapshot => ({
    engine: db.engine,
    all: (sql, ...params) =>
      isBroken && sql.includes("row_no IN") ? Promise.reject(new Error("broken")) : db.all(sql, ...params),
    get: (sql, ...params) => db.get(sql, ...params),
    rowNumbers: (sql, ...params) => db.rowNumbers(sql, ...params),
  });
  const readModel = new ReadModel({
    // Concurrent snapshots, as on PostgreSQL.
    store: wrapStore(store, {
      read: async (work) => {
        await using walk = await store.openSnapshot();
        return await work(failing(walk));
      },
    }),
    cacheBytes: 1_000_000,
    onChange: () => undefined,
  });
  const query = { status: "published", limit: 100, offset: 0, sort: defaultSort("published"), filter: {} } as const;
  const ids = async () => (await readModel.read("e", (snapshot) => snapshot.page(query))).rows.map(String).sort();
  await store.write((db) =>
    db.run(
      "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch) VALUES ('e', 'x', 0, 1, 0, 'e')",
    ),
  );
  const save = (number: number, title: string) =>
    store.write(async (db) => {
      const version = await raiseContentVersion(db, "e");
      await db.run("DELETE FROM articles WHERE id = ?", `e${number}`);
      await db.run(
        `INSERT INTO articles (row_no, id, website_id, status, title, title_key, slug, excerpt, seo_keywords, categories,
           tags, word_count, reading_time, created_at, updated_at, saved_at, state_since, published_at, content_hash, version, list_form)
         VALUES (?, ?, 'e', 'published', '', '', ?, '', '[]', '[]', '[]', 0, 1, 0, 0, 0, 0, ?, '', ?, ?)`,
        5_000 + number,
        `e${number}`,
        `e${number}`,
        number,
        version,
        title,
      );
    });
  for (const number of [1, 2, 3]) await save(number, `${number}`);
  assert.deepEqual(await ids(), ["1", "2", "3"]);
  const hasBegun = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const seen: string[][] = [];
  const early = readModel.read("e", async (snapshot) => {
    hasBegun.resolve();
    await goesOn.promise;
    const { rows } = await snapshot.page(query);
    seen.push(rows.map(String).sort());
  });
  await hasBegun.promise;
  await save(2, "two");
  isBroken = true;
  await assert.rejects(
    readModel.read("e", (snapshot) => snapshot.page(query)),
    /broken/,
  );
  isBroken = false;
  goesOn.resolve();
  await early;
  assert.deepEqual(seen, [["1", "3", "two"]]);
  assert.deepEqual(await ids(), ["1", "3", "two"]);
});

test("concurrent reads each see one version while others write", async () => {
  const readModel = newCatalog();
  const query = { status: "published", limit: 100, offset: 0, sort: defaultSort("published"), filter: {} } as const;
  let written = 0;
  /** All rows have the same title, and each version adds one. */
  const write = (other: Database) =>
    other.write(async (db) => {
      const version = await raiseContentVersion(db, "d");
      const rowNo = 1_000 + ++written;
      await db.run(
        `INSERT INTO articles (row_no, id, website_id, status, title, title_key, slug, excerpt, seo_keywords, categories,
           tags, word_count, reading_time, created_at, updated_at, saved_at, state_since, published_at, content_hash, version, list_form)
         VALUES (?, ?, 'd', 'published', '', '', ?, '', '[]', '[]', '[]', 0, 1, 0, 0, 0, 0, ?, '', ?, '')`,
        rowNo,
        `${rowNo}`,
        `${rowNo}`,
        (written * 7) % 5,
        version,
      );
      await db.run("UPDATE articles SET list_form = ?, version = ? WHERE website_id = 'd'", `${version}`, version);
    });
  const other = opened.another();
  const writing = { isDone: false };
  const read = async () => {
    while (!writing.isDone) {
      const { page, version } = await readModel.read("d", async (snapshot) => ({
        page: await snapshot.page(query),
        version: snapshot.view.contentVersion,
      }));
      assert.equal(page.total, version - 1);
      assert.deepEqual(new Set(page.rows.map(String)), new Set(version === 1 ? [] : [`${version}`]));
    }
  };
  const readers = Promise.all([read(), read(), read(), read()]);
  for (let turn = 0; turn < 40; turn++) await write(turn % 2 === 0 ? store : other);
  writing.isDone = true;
  await readers;
});
