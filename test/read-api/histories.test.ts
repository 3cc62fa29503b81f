/**
 * Random histories of a website. After each change, answers from memory, cached pages and 304 must be what a naive
 * implementation says, which reads all rows, filters and sorts them anew and cuts out the page.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle, TODAY, withClock } from "../helpers/articles.ts";
import { deriveContent } from "../helpers/content.ts";
import { ENGINE } from "../helpers/database.ts";
import { cases, fc, IS_THOROUGH } from "../helpers/properties.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { type App, openApp } from "../../src/app/app.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";

/** Together five thousand histories in a thorough run. Each part has a time limit of its own. */
const PARTS = 5;
const HISTORIES = 1_000;
/** `npm test` tries one in this many cases of a full run. */
const EVERYDAY_SHARE = 10;
const LIMIT = 2;
/** A node on PostgreSQL sees another process's change a moment later. */
const WITHIN_MS = ENGINE === "sqlite" ? 0 : 10_000;

const STATES = ["published", "approved", "pending"] as const;
const SORTS = {
  "": null,
  "-published_at": ["publishedAt", -1],
  created_at: ["createdAt", 1],
  "-created_at": ["createdAt", -1],
  title: ["title", 1],
  "-title": ["title", -1],
} as const;

const query = fc.record({
  status: fc.constantFrom(...STATES),
  sort: fc.constantFrom(...(Object.keys(SORTS) as (keyof typeof SORTS)[])),
  tag: fc.constantFrom(null, "t0", "t1"),
  offset: fc.nat(5),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  kind: fc.constantFrom("create", "create", "edit", "date", "publish", "unpublish", "delete", "restore"),
  pick: fc.nat(1_000),
  // Few different times and titles: equal ones must be told apart by id.
  at: fc.nat(2),
  status: fc.constantFrom(...STATES),
  isElsewhere: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Row {
  id: string;
  status: (typeof STATES)[number];
  title: string;
  tags: string[];
  createdAt: number;
  publishedAt: number | null;
}

let service: TestService;
let other: App;

before(async () => {
  service = await startTestService({ ROSTRUM_CACHE_MB: "1" });
  other = { ...(await openApp(service.app.config)), deriveContent };
});
after(async () => {
  await other[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function change(websiteId: string, ids: string[], { kind, pick, at, status, isElsewhere }: Step): Promise<void> {
  const deps = withClock(isElsewhere ? other : service.app, TODAY);
  const time = TODAY + at;
  const title = `Title ${pick % 3}`;
  const tags = [`t${pick % 2}`];
  const id = ids[pick % Math.max(1, ids.length)];
  if (kind === "create" || id === undefined) {
    const input = makeArticle({ title, tags, status, createdAt: time, publishedAt: time });
    ids.push((await articles.createArticle(deps, websiteId, input, CHIEF)).article.id);
    return;
  }
  const changes: Record<string, () => Promise<unknown>> = {
    edit: () => articles.updateArticle(deps, id, { title, tags }, CHIEF),
    date: () => articles.updateArticle(deps, id, { createdAt: time, publishedAt: time }, CHIEF),
    publish: () => articles.publishArticle(deps, id, CHIEF),
    unpublish: () => articles.unpublishArticle(deps, id, CHIEF),
    delete: () => articles.deleteArticle(deps, id, CHIEF),
    restore: () => articles.restoreArticle(deps, id, CHIEF),
  };
  try {
    await changes[kind]?.();
  } catch (error) {
    // The article's state does not allow it.
    if (!(error instanceof AppError)) throw error;
  }
}

async function readRows(websiteId: string): Promise<Row[]> {
  const rows = await service.app.store.read((db) =>
    db.all(
      "SELECT id, status, title, tags, created_at, published_at FROM articles WHERE website_id = ? AND deleted_at IS NULL",
      websiteId,
    ),
  );
  return rows.map(({ id, status, title, tags, created_at, published_at }) => ({
    id,
    status,
    title,
    tags: JSON.parse(tags) as string[],
    createdAt: created_at,
    publishedAt: published_at,
  }));
}

/** The whole list, in order. */
function select(rows: readonly Row[], { status, sort, tag }: Query): Row[] {
  const [field, direction] = SORTS[sort] ?? [status === "published" ? "publishedAt" : "createdAt", -1];
  const compare = (a: Row, b: Row) => {
    const [left, right] = [a[field], b[field]];
    if (left !== right) {
      // Articles without a time of publication come last, whatever the direction.
      if (left === null || right === null) return left === null ? 1 : -1;
      return (left < right ? -1 : 1) * direction;
    }
    return a.id < b.id ? -1 : 1;
  };
  return rows.filter((row) => row.status === status && (tag === null || row.tags.includes(tag))).sort(compare);
}

function address({ status, sort, tag }: Query, offset: number): string {
  const filters = `${sort === "" ? "" : `&sort=${sort}`}${tag === null ? "" : `&tag=${tag}`}`;
  return `${LIST}?status=${status}&limit=${LIMIT}&offset=${offset}&fields=id,title,tags${filters}`;
}

/** The answers that a client has seen, by address. */
type Seen = Map<string, { etag: string; text: string }>;

class Reader {
  readonly #key: string;
  readonly #seen: Seen = new Map();

  constructor(key: string) {
    this.#key = key;
  }

  /** Asks with the last ETag, if there is one, and twice without; all must agree. @returns the answer's body. */
  async read(path: string): Promise<unknown> {
    const known = this.#seen.get(path);
    const get = (headers: Record<string, string> = {}) => service.get(path, { "X-API-Key": this.#key, ...headers });
    const conditional = known && (await get({ "If-None-Match": known.etag }));
    const [first, second] = [await get(), await get()];
    assert.equal(first.status, 200, first.text);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.etag, first.headers.etag);
    if (known !== undefined) {
      assert.equal(conditional?.status, first.headers.etag === known.etag ? 304 : 200);
      if (conditional.status === 304) assert.equal(first.text, known.text);
      else assert.equal(conditional.text, first.text);
    }
    this.#seen.set(path, { etag: String(first.headers.etag), text: first.text });
    return first.json();
  }
}

async function compare(websiteId: string, reader: Reader, queries: readonly Query[]): Promise<void> {
  const rows = await readRows(websiteId);
  for (const one of queries) {
    const expected = select(rows, one);
    assert.deepEqual(await reader.read(address(one, one.offset)), page(expected, one.offset));
  }
  // All pages in turn repeat and miss nothing.
  const [walked] = queries;
  if (walked === undefined) return;
  const expected = select(rows, walked);
  for (let offset = 0; offset <= expected.length; offset += LIMIT) {
    assert.deepEqual(await reader.read(address(walked, offset)), page(expected, offset));
  }
  for (const { id, title, tags } of rows.filter(({ status }) => status === "published")) {
    const { data } = (await reader.read(`${LIST}/${id}`)) as { data: { article: Record<string, unknown> } };
    assert.deepEqual([data.article["id"], data.article["title"], data.article["tags"]], [id, title, tags]);
  }
}

function page(expected: readonly Row[], offset: number) {
  return {
    success: true,
    data: {
      articles: expected.slice(offset, offset + LIMIT).map(({ id, title, tags }) => ({ id, title, tags })),
      pagination: { total: expected.length, limit: LIMIT, offset },
    },
  };
}

async function compareSoon(websiteId: string, reader: Reader, queries: readonly Query[]): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return await compare(websiteId, reader, queries);
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
  }
}

for (let part = 1; part <= PARTS; part++) {
  test(`responses are never stale, doubled or missing, whatever the history (${part} of ${PARTS})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 6 }),
        fc.array(query, { minLength: 1, maxLength: 2 }),
        async (steps, queries) => {
          const website = await service.newWebsite();
          const reader = new Reader((await service.newKey({}, website.id)).secret);
          const ids: string[] = [];
          for (const one of steps) {
            await change(website.id, ids, one);
            await compareSoon(website.id, reader, queries);
          }
        },
      ),
      {
        numRuns: IS_THOROUGH ? HISTORIES : cases(HISTORIES / 10, EVERYDAY_SHARE),
        seed: (fc.readConfigureGlobal().seed ?? 0) + part,
      },
    );
    assert.deepEqual(service.log.failures, []);
  });
}
