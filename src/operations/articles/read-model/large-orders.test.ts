/**
 * Large orders at their first use: whatever is saved, torn, restored, purged or written meanwhile, each answer is what its snapshot holds.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ENGINE, openTestStore, type TestStore } from "../../../../test/helpers/database.ts";
import { type Folder, tempFolder } from "../../../../test/helpers/folder.ts";
import { cases, fc, IS_THOROUGH } from "../../../../test/helpers/properties.ts";
import { wrapStore } from "../../../../test/helpers/wrap-store.ts";
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { openSqlite, type SqliteStore } from "../../../store/engine/sqlite/sqlite.ts";
import { deleteArticles, raisePurgedVersion } from "../../../store/articles/purging.ts";
import { migrate } from "../../../store/migrations.ts";
import { declareRow } from "../../../store/row.ts";
import type { Snapshot, Store, Writer } from "../../../store/store.ts";
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

function addWebsite(store: Store): Promise<number> {
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
       word_count, reading_time, created_at, updated_at, saved_at, published_at, deleted_at, content_hash, version, list_form)
     VALUES (?, ?, ?, ?, '', ?, ?, '', '[]', '[]', '[]', 0, 1, ?, 0, 0, ?, ?, '', ?, ?)
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
    await using _following = await store.follow((error) => assert.fail(String(error)));
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
        await using readModel = newModel(store, null);
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
    const read: Store["read"] = (work) => store.read((db) => work(beforeChanges(db, overtake)));
    await using readModel = newModel(wrapStore(store, { openSnapshot, read }), null);
    await check(readModel, FIRST);
    await check(readModel, FIRST);
    assert.deepEqual({ loads, wasOvertaken: overtaken > 0 }, { loads: 1, wasOvertaken: true });
  });

  test("is not loaded for requests that need no order", async () => {
    const store = wrapStore(opened.store, { openSnapshot: () => assert.fail("an order is loaded") });
    for (let rowNo = 1; rowNo <= 2 * SLICE_ROWS; rowNo++) {
      await store.write((db) => save(db, { rowNo, at: 0, status: "published" }));
    }
    await using readModel = newModel(store, null);
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

function newModel(store: Store, ordersFolder: string | null): ReadModel {
  return new ReadModel({
    store,
    cacheBytes: 100_000,
    onChange: () => undefined,
    ordersFolder,
    sliceRows: SLICE_ROWS,
  });
}

/** A database and the files beside it, which can be put back separately. */
class DatabaseWithOrders implements AsyncDisposable {
  readonly #folder: Folder;
  readonly #path: string;
  readonly orders: string;
  store: SqliteStore;
  readModel: ReadModel;
  /** How many orders were read from the database. */
  loads = 0;

  constructor(folder: Folder) {
    this.#folder = folder;
    this.#path = folder.at("rostrum.db");
    this.orders = folder.at("orders");
    this.store = openSqlite(this.#path);
    this.readModel = this.#model();
  }

  /** As a new process does. */
  async restart(): Promise<void> {
    await this.readModel[Symbol.asyncDispose]();
    this.readModel = this.#model();
  }

  async backUp(): Promise<void> {
    rmSync(this.#folder.at("backup"), { force: true });
    await this.store.backupTo(this.#folder.at("backup"));
  }

  /** Puts the database back and leaves the files, or the reverse. */
  async restore(): Promise<void> {
    if (!existsSync(this.#folder.at("backup"))) return;
    await this[Symbol.asyncDispose]();
    for (const end of ["", "-wal", "-shm"]) rmSync(this.#path + end, { force: true });
    copyFileSync(this.#folder.at("backup"), this.#path);
    this.store = openSqlite(this.#path);
    this.readModel = this.#model();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.readModel[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }

  #model(): ReadModel {
    const openSnapshot = () => {
      this.loads++;
      return this.store.openSnapshot();
    };
    return newModel(wrapStore(this.store, { openSnapshot }), this.orders);
  }
}

describe("a saved order", { skip: ENGINE === "postgres" && "only SQLite has files beside it" }, () => {
  let folder: Folder;
  let database: DatabaseWithOrders;
  before(async () => {
    folder = await tempFolder();
    database = new DatabaseWithOrders(folder);
    await migrate(database.store, 0);
    await addWebsite(database.store);
    for (let rowNo = 1; rowNo <= 30; rowNo++) {
      await database.store.write((db) => save(db, { rowNo, at: rowNo % 4, status: "published" }));
    }
  });
  after(async () => {
    await database[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  async function countLoads(): Promise<number> {
    await database.restart();
    const earlier = database.loads;
    await check(database.readModel, FIRST);
    return database.loads - earlier;
  }

  test("is used at the next start instead of reading the index, and later changes are applied to it", async () => {
    assert.equal(await countLoads(), 1);
    await database.readModel.saveOrders();
    assert.equal(await countLoads(), 0);
    await database.store.write((db) => save(db, { rowNo: 3, at: 9, status: "published" }));
    await database.store.write((db) => save(db, { rowNo: 4, at: 1, status: "trash" }));
    assert.equal(await countLoads(), 0);
  });

  test("is saved again after so many changes, and not before", async () => {
    const [name = ""] = readdirSync(database.orders);
    const bytes = () => readFileSync(join(database.orders, name));
    await database.readModel.saveOrders();
    const first = bytes();
    await database.store.write((db) => save(db, { rowNo: 5, at: 2, status: "published" }));
    await check(database.readModel, FIRST);
    await database.readModel.saveOrders(2);
    assert.deepEqual(bytes(), first);
    await database.readModel.saveOrders(1);
    assert.notDeepEqual(bytes(), first);
  });

  test("is not used if any byte of it is another one, or it is too short or too long", async () => {
    await check(database.readModel, FIRST);
    await database.readModel.saveOrders();
    const path = join(database.orders, readdirSync(database.orders)[0] ?? "");
    const whole = readFileSync(path);
    assert.equal(await countLoads(), 0);
    for (let at = 0; at < whole.length; at += IS_THOROUGH ? 1 : 7) {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] ?? 0) ^ 0x11;
      writeFileSync(path, torn);
      assert.equal(await countLoads(), 1, `byte ${at}`);
    }
    for (const length of [0, 3, 20, whole.length - 4, whole.length - 1]) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      assert.equal(await countLoads(), 1, `${length} bytes`);
    }
    writeFileSync(path, Buffer.concat([whole, Buffer.alloc(4)]));
    assert.equal(await countLoads(), 1);
    writeFileSync(path, whole);
    assert.equal(await countLoads(), 0);
  });

  test("leaves no part of itself if it cannot be written", async () => {
    await database.store.write((db) => save(db, { rowNo: 7, at: 2, status: "published" }));
    await check(database.readModel, FIRST);
    rmSync(database.orders, { recursive: true });
    mkdirSync(join(database.orders, `${SITE}.published`), { recursive: true });
    await assert.rejects(database.readModel.saveOrders());
    assert.deepEqual(readdirSync(database.orders), [`${SITE}.published`]);
    rmSync(database.orders, { recursive: true });
  });

  test("is removed with its website", async () => {
    mkdirSync(database.orders, { recursive: true });
    writeFileSync(join(database.orders, "another.published"), "");
    await database.store.write((db) => save(db, { rowNo: 6, at: 2, status: "published" }));
    await check(database.readModel, FIRST);
    await database.readModel.saveOrders();
    assert.deepEqual(readdirSync(database.orders), [`${SITE}.published`]);
  });

  test("is never used for another state of the database", async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("change" as const), change }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("read" as const), query }) },
      {
        weight: 9,
        arbitrary: fc.record({
          kind: fc.constantFrom("restart", "restart", "save", "save", "backup", "restore", "purge", "epoch"),
        }),
      },
    );
    let used = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        for (const one of steps) {
          switch (one.kind) {
            case "change":
              await database.store.write((db) => save(db, one.change));
              break;
            case "read":
              await check(database.readModel, one.query);
              break;
            case "restart": {
              const earlier = database.loads;
              await database.restart();
              await check(database.readModel, FIRST);
              if (database.loads === earlier) used++;
              break;
            }
            case "save":
              await database.readModel.saveOrders();
              break;
            case "backup":
              await database.backUp();
              break;
            case "restore":
              await database.restore();
              break;
            case "purge":
              await database.store.write(purge);
              break;
            case "epoch":
              await database.store.write((db) => db.run("UPDATE websites SET epoch = epoch || '1' WHERE id = ?", SITE));
          }
        }
        await check(database.readModel, FIRST);
      }),
      { numRuns: cases(500, EVERYDAY_SHARE) },
    );
    assert.ok(used > 0);
  });

  test("of a website that was deleted is not saved, and hinders no other", async () => {
    await check(database.readModel, FIRST);
    await database.store.write(async (db) => {
      await db.run("DELETE FROM articles");
      await db.run("DELETE FROM websites");
    });
    rmSync(database.orders, { recursive: true, force: true });
    await database.readModel.saveOrders();
    assert.equal(existsSync(database.orders), false);
  });
});
