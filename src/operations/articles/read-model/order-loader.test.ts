/**
 * Large orders at their first use: whatever is purged or written meanwhile, each answer is what its snapshot holds.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ENGINE, openTestStore, type TestStore } from "../../../../test/helpers/database.ts";
import { cases, fc } from "../../../../test/helpers/properties.ts";
import { wrapStore } from "../../../../test/helpers/wrap-store.ts";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { deleteArticles, raisePurgedVersion } from "../../../store/articles/purging.ts";
import { declareRow } from "../../../store/row.ts";
import type { Snapshot, Database, Writer } from "../../../store/store.ts";
import { raiseContentVersion } from "../../../store/system/websites.ts";
import type { ListQuery } from "./list-query.ts";
import { ReadModel } from "./read-model.ts";

const SITE = "site";
/** `npm test` tries one in this many cases. */
const EVERYDAY_SHARE = 50;
/** An order of more rows is large. */
const SLICE_ROWS = 5;

interface Stored {
  row_no: number;
  id: string;
  status: ArticleStatus;
  title_key: string;
  created_at: number;
  published_at: number | null;
  deleted_at: number | null;
  list_form: string;
}

function addWebsite(store: Database): Promise<number> {
  return store.write((db) =>
    db.run(
      "INSERT INTO websites (id, name, created_at, content_version, event_sequence, epoch) VALUES (?, 'x', 0, 1, 0, 'e')",
      SITE,
    ),
  );
}

interface Change {
  rowNo: number;
  at: number;
  status: ArticleStatus | "trash";
}

/** Few different times: equal ones must be told apart by id. */
const change = fc.record({
  rowNo: fc.integer({ min: 1, max: 40 }),
  at: fc.nat(3),
  status: fc.constantFrom<Change["status"]>("published", "published", "published", "pending", "trash"),
});

async function save(db: Writer, { rowNo, at, status }: Change): Promise<void> {
  const version = await raiseContentVersion(db, SITE);
  // In another order than the row numbers.
  const id = `${(rowNo * 7) % 41}-${rowNo}`;
  await db.run(
    `INSERT INTO articles (row_no, id, website_id, status, title, title_key, slug, excerpt, seo_keywords, categories, tags,
       word_count, reading_time, created_at, updated_at, saved_at, state_since, published_at, deleted_at, content_hash, version, list_form)
     VALUES (?, ?, ?, ?, '', ?, ?, '', '[]', '[]', '[]', 0, 1, ?, 0, 0, 0, ?, ?, '', ?, ?)
     ON CONFLICT (row_no) DO UPDATE SET status = excluded.status, title_key = excluded.title_key,
       created_at = excluded.created_at, published_at = excluded.published_at, deleted_at = excluded.deleted_at,
       version = excluded.version, list_form = excluded.list_form`,
    rowNo,
    id,
    SITE,
    status === "trash" ? "published" : status,
    `${(rowNo * 3) % 5}`,
    id,
    at,
    status === "pending" ? null : at,
    status === "trash" ? 1 : null,
    version,
    `"${id} ${version}"`,
  );
  db.markWebsiteChanged(SITE);
}

async function purge(db: Writer): Promise<void> {
  const gone = await db.all(
    "SELECT row_no, version FROM articles WHERE website_id = ? AND deleted_at IS NOT NULL",
    SITE,
  );
  if (gone.length === 0) return;
  await deleteArticles(
    db,
    SITE,
    gone.map((row) => row.row_no),
  );
  await raisePurgedVersion(db, SITE, Math.max(...gone.map((row) => row.version)));
  db.markWebsiteChanged(SITE);
}

const query = fc.record({
  status: fc.constantFrom<ArticleStatus>("published", "published", "pending"),
  sort: fc.constantFrom<ListQuery["sort"] | null>(null, null, { field: "title", descending: false }),
  slug: fc.option(fc.integer({ min: 1, max: 40 })),
  offset: fc.nat(30),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

const FIRST: Query = { status: "published", sort: null, slug: null, offset: 0 };

/** Compares the page and the total with all rows of the same snapshot, sorted and cut. */
async function check(readModel: ReadModel, { status, sort, slug, offset }: Query): Promise<void> {
  const filter = slug === null ? {} : { slug: `${(slug * 7) % 41}-${slug}` };
  const order = sort ?? { field: status === "published" ? "published_at" : "created_at", descending: true };
  await readModel.read(SITE, async (snapshot) => {
    const page = await snapshot.page({ status, sort: order, filter, offset, limit: 7 });
    const rows = await listAll(snapshot.db);
    const listed = rows
      .filter((row) => row.status === status && row.deleted_at === null)
      .filter((row) => filter.slug === undefined || row.id === filter.slug)
      .sort((a, b) => compare(a, b, order));
    assert.equal(page.total, listed.length);
    assert.deepEqual(
      page.rows.map(String),
      listed.slice(offset, offset + 7).map((row) => row.list_form),
    );
    const state = await snapshot.db.get("SELECT content_version, epoch FROM websites WHERE id = ?", SITE);
    // From these the response's ETag is made.
    assert.deepEqual(
      { content_version: snapshot.view.contentVersion, epoch: snapshot.view.epoch },
      { content_version: state?.content_version, epoch: state?.epoch },
    );
  });
}

function listAll(db: Snapshot): Promise<Stored[]> {
  return db.all(
    declareRow<Stored>(
      `SELECT row_no, id, status, title_key, created_at, published_at, deleted_at, list_form FROM articles
       WHERE website_id = '${SITE}'`,
    ),
  );
}

function compare(a: Stored, b: Stored, { field, descending }: ListQuery["sort"]): number {
  const column = field === "title" ? "title_key" : field === "updated_at" ? "created_at" : field;
  const [x, y] = [a[column] ?? 0, b[column] ?? 0];
  if (x !== y) return x < y === descending ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

describe("a large order at its first use", () => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestStore();
  });
  after(() => opened[Symbol.asyncDispose]());

  test("is that of its snapshot, while others write", async () => {
    const { store } = opened;
    await using _following = await store.followCommits((error) => assert.fail(String(error)));
    await addWebsite(store);
    const writer = opened.another();
    const round = fc.record({
      before: fc.array(change, { maxLength: 12 }),
      meanwhile: fc.array(fc.oneof({ weight: 5, arbitrary: change }, { weight: 1, arbitrary: fc.constant(null) }), {
        maxLength: 8,
      }),
      queries: fc.array(query, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(round, async ({ before, meanwhile, queries }) => {
        for (const one of before) await store.write((db) => save(db, one));
        await using readModel = newModel(store);
        const write = async () => {
          for (const one of meanwhile) await writer.write((db) => (one === null ? purge(db) : save(db, one)));
        };
        await Promise.all([...queries.map((one) => check(readModel, one)), write()]);
        for (const one of queries) await check(readModel, one);
      }),
      { numRuns: cases(ENGINE === "postgres" ? 250 : 1_000, EVERYDAY_SHARE) },
    );
  });

  // On SQLite one read follows the other.
  test("is loaded once, though the view moves on before it is in it", { skip: ENGINE === "sqlite" }, async () => {
    const { store } = opened;
    const writer = opened.another();
    for (let rowNo = 1; rowNo <= 4 * SLICE_ROWS; rowNo++) {
      await store.write((db) => save(db, { rowNo, at: rowNo % 4, status: "published" }));
    }
    let loads = 0;
    let overtaken = 0;
    const openSnapshot = () => {
      loads++;
      return store.openSnapshot();
    };
    const overtake = async () => {
      if (loads === 0 || overtaken++ > 0) return;
      await writer.write((db) => save(db, { rowNo: 1, at: 2, status: "published" }));
      await readModel.read(SITE, () => Promise.resolve());
    };
    // Before an order is brought up to date, the article that it is about to read changes.
    const read: Database["read"] = (work) => store.read((db) => work(beforeChanges(db, overtake)));
    await using readModel = newModel(wrapStore(store, { openSnapshot, read }));
    await check(readModel, FIRST);
    await check(readModel, FIRST);
    assert.deepEqual({ loads, wasOvertaken: overtaken > 0 }, { loads: 1, wasOvertaken: true });
  });

  test("is not loaded for requests that need no order", async () => {
    const store = wrapStore(opened.store, { openSnapshot: () => assert.fail("an order is loaded") });
    for (let rowNo = 1; rowNo <= 2 * SLICE_ROWS; rowNo++) {
      await store.write((db) => save(db, { rowNo, at: 0, status: "published" }));
    }
    await using readModel = newModel(store);
    await check(readModel, { status: "published", sort: null, slug: 1, offset: 0 });
    await assert.rejects(check(readModel, { status: "published", sort: null, slug: null, offset: 0 }), /is loaded/);
  });
});

/** The same reader, which calls `work` before it lists changes. */
function beforeChanges(db: Snapshot, work: () => Promise<void>): Snapshot {
  const all: Snapshot["all"] = async (sql, ...params) => {
    if (sql.includes("version > ?")) await work();
    return db.all(sql, ...params);
  };
  return {
    engine: db.engine,
    get: (sql, ...params) => db.get(sql, ...params),
    rowNumbers: (sql, ...params) => db.rowNumbers(sql, ...params),
    all,
  };
}

function newModel(store: Database): ReadModel {
  return new ReadModel({ store, cacheBytes: 100_000, onChange: () => undefined, sliceRows: SLICE_ROWS });
}
