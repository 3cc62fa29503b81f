import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestStore, type TestStore } from "../../../../test/helpers/database.ts";
import { defaultSort, matchingRows } from "../../../store/articles/article-queries.ts";
import type { Store, Writer } from "../../../store/store.ts";
import { Order } from "./sorted-index.ts";

const SITE = "site";

let opened: TestStore;
let store: Store;

before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
  await store.write(async (db) => {
    await db.run(
      "INSERT INTO websites (id, name, url, url_pattern, created_at, content_version, event_sequence, epoch) VALUES (?, 'x', NULL, NULL, 0, 1, 0, 'e')",
      SITE,
    );
  });
});
after(() => opened[Symbol.asyncDispose]());

/** Rows with only the columns that an order reads. */
async function put(db: Writer, rowNo: number, at: number, status = "published"): Promise<void> {
  // Ids in a different order than the row numbers.
  const id = `${((rowNo * 2_654_435_761) >>> 0).toString(16).padStart(8, "0")}-${rowNo}`;
  await db.run(
    `INSERT INTO articles (row_no, id, website_id, status, title, title_key, slug, excerpt, seo_keywords, categories,
       tags, word_count, reading_time, created_at, updated_at, saved_at, state_since, published_at, content_hash, version, list_form)
     VALUES (?, ?, ?, ?, '', '', ?, '', '[]', '[]', '[]', 0, 1, ?, 0, 0, 0, ?, '', 1, '{}')
     ON CONFLICT (row_no) DO UPDATE SET status = excluded.status, created_at = excluded.created_at,
       published_at = excluded.published_at`,
    rowNo,
    id,
    SITE,
    status,
    id,
    at,
    at,
  );
}

async function refill(count: number, at: (rowNo: number) => number): Promise<Order> {
  await store.write(async (db) => {
    await db.run("DELETE FROM articles");
    for (let rowNo = 1; rowNo <= count; rowNo++) await put(db, rowNo, at(rowNo));
  });
  return load();
}

function load(): Promise<Order> {
  return store.read(
    async (db) => new Order("published", await matchingRows(db, SITE, "published", defaultSort("published"), {})),
  );
}

function all(order: Order): number[] {
  return Array.from(order.slice(0, order.total));
}

async function assertAsLoaded(order: Order): Promise<void> {
  const fresh = await load();
  assert.equal(order.total, fresh.total);
  assert.deepEqual(all(order), all(fresh));
}

describe("moving entries one by one gives the same order as loading it", () => {
  for (const [name, at] of [
    ["all times are equal", () => 5],
    ["no two times are equal", (rowNo: number) => rowNo],
    ["three times are shared by all", (rowNo: number) => rowNo % 3],
  ] as const) {
    for (const changes of [1, 3, 4, 5, 40, 300]) {
      test(`with ${changes} changes where ${name}`, async () => {
        const order = await refill(400, at);
        const changed: Parameters<Order["apply"]>[1][number][] = [];
        await store.write(async (db) => {
          for (let turn = 0; turn < changes; turn++) {
            const rowNo = 1 + ((turn * 7) % 450);
            const status = turn % 3 === 2 ? "pending" : "published";
            changed.push({ rowNo, status });
            await put(db, rowNo, at(rowNo + turn), status);
          }
        });
        await store.read((db) => order.apply(db, changed));
        await assertAsLoaded(order);
      });
    }
  }

  test("with thousands of changes at once, and in an order that was empty", async () => {
    const order = await refill(0, () => 0);
    assert.equal(order.total, 0);
    const rows = Array.from({ length: 6_000 }, (_none, index) => index + 1);
    await store.write(async (db) => {
      for (const rowNo of rows) await put(db, rowNo, rowNo % 11);
    });
    const changes = rows.map((rowNo) => ({ rowNo, status: "published" as const }));
    await store.read((db) => order.apply(db, changes));
    await assertAsLoaded(order);
    await store.read((db) => order.apply(db, changes));
    await assertAsLoaded(order);
  });

  test("removing every entry leaves an empty order", async () => {
    const order = await refill(50, (rowNo) => rowNo);
    await store.write((db) => db.run("DELETE FROM articles"));
    const changes = Array.from({ length: 60 }, (_none, index) => ({ rowNo: index + 1, status: null }));
    await store.read((db) => order.apply(db, changes));
    assert.deepEqual(all(order), []);
  });
});

test("a slice past the end is empty, and one across the end has what is left", async () => {
  const order = await refill(10, (rowNo) => rowNo);
  assert.deepEqual(Array.from(order.slice(8, 5)), [2, 1]);
  for (const offset of [10, 11, Number.MAX_SAFE_INTEGER]) assert.equal(order.slice(offset, 100).length, 0);
});

test("a few changes of a long order are moved, many of a short one are loaded", async () => {
  const order = await refill(100, (rowNo) => rowNo);
  assert.equal(order.isCheaperToLoad(1), false);
  assert.equal(order.isCheaperToLoad(5_000), true);
});
