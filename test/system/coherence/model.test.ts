/**
 * After each of many random changes the API must say what plain SQL says: lists, totals and details, for every state, also
 * for pages and filters that an earlier request has left in memory.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle, TODAY, withClock, WRITER } from "../../helpers/articles.ts";
import { ENGINE } from "../../helpers/database.ts";
import { deriveContent } from "../../helpers/content.ts";
import { LIST, startTestService, type TestService } from "../../helpers/service.ts";
import { type App, openApp } from "../../../src/app/app.ts";
import { AppError } from "../../../src/domain/system/errors.ts";
import * as articles from "../../../src/operations/articles/write/articles.ts";
import type { Deps } from "../../../src/operations/system/deps.ts";
import { cases, fc } from "../../helpers/properties.ts";

const STATES = ["published", "approved", "pending"] as const;

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

interface Step {
  kind: string;
  pick: number;
  time: number;
  status: (typeof STATES)[number];
  elsewhere: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    "create",
    "create",
    "edit",
    "move",
    "approve",
    "publish",
    "unpublish",
    "send back",
    "delete",
    "restore",
  ),
  pick: fc.nat(1_000),
  // Few different times: equal ones must be told apart by id.
  time: fc.nat(3),
  status: fc.constantFrom(...STATES),
  elsewhere: fc.boolean(),
});

async function take(deps: Deps, websiteId: string, ids: string[], { kind, pick, time, status }: Step): Promise<void> {
  const at = TODAY + time;
  const id = ids[pick % Math.max(1, ids.length)];
  if (kind === "create" || id === undefined) {
    const input = makeArticle({ status, createdAt: at, publishedAt: at, tags: [`t${pick % 2}`] });
    ids.push((await articles.createArticle(deps, websiteId, input, CHIEF)).article.id);
    return;
  }
  const actor = pick % 2 === 0 ? CHIEF : WRITER;
  const changes: Record<string, () => Promise<unknown>> = {
    edit: () => articles.updateArticle(deps, id, { title: `Edited ${pick}`, tags: [`t${time % 2}`] }, actor),
    move: () => articles.updateArticle(deps, id, { createdAt: at, publishedAt: at }, CHIEF),
    approve: () => articles.approveArticle(deps, id, actor),
    publish: () => articles.publishArticle(deps, id, actor),
    unpublish: () => articles.unpublishArticle(deps, id, actor),
    "send back": () => articles.requestChanges(deps, id, "Because.", actor),
    delete: () => articles.deleteArticle(deps, id, actor),
    restore: () => articles.restoreArticle(deps, id, actor),
  };
  try {
    await changes[kind]?.();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** A node on PostgreSQL sees another process's change a moment later, and must then answer the same. */
const WITHIN_MS = ENGINE === "sqlite" ? 0 : 10_000;

async function compare(websiteId: string, key: string): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return await compareNow(websiteId, key);
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
  }
}

async function compareNow(websiteId: string, key: string): Promise<void> {
  const rows = await service.app.store.read((db) =>
    db.all(
      "SELECT id, status, title, tags, created_at, published_at FROM articles WHERE website_id = ? AND deleted_at IS NULL",
      websiteId,
    ),
  );
  const get = async (path: string) => service.get(path, { "X-API-Key": key });
  for (const status of STATES) {
    const at = status === "published" ? "published_at" : "created_at";
    const expected = rows
      .filter((row) => row.status === status)
      .sort((a, b) => Number(b[at]) - Number(a[at]) || (a.id < b.id ? -1 : 1));
    for (const [query, matching] of [
      ["", expected],
      ["&tag=t1", expected.filter(({ tags }) => tags.includes('"t1"'))],
    ] as const) {
      const reply = await get(`${LIST}?status=${status}&limit=5&offset=2&fields=id,title${query}`);
      assert.deepEqual(reply.json(), {
        success: true,
        data: {
          articles: matching.slice(2, 7).map(({ id, title }) => ({ id, title })),
          pagination: { total: matching.length, limit: 5, offset: 2 },
        },
      });
    }
    const one = expected[0];
    if (one !== undefined) {
      const reply = await get(`${LIST}/${one.id}`);
      assert.equal(reply.status, status === "pending" ? 403 : 200);
      if (status !== "pending") assert.ok(reply.text.includes(`"title":${JSON.stringify(one.title)}`));
    }
  }
}

test("after any sequence of changes the API agrees with the database", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
      const website = await service.newWebsite();
      const { secret } = await service.newKey({}, website.id);
      const ids: string[] = [];
      for (const one of steps) {
        await take(withClock(one.elsewhere ? other : service.app, TODAY), website.id, ids, one);
        await compare(website.id, secret);
      }
    }),
    { numRuns: cases(40) },
  );
  assert.deepEqual(service.log.failures, []);
});

test("constant readers see no error and no partial change while writers write", async () => {
  const website = await service.newWebsite();
  const { secret } = await service.newKey({}, website.id);
  const writing = { isDone: false };
  const read = async () => {
    let reads = 0;
    while (!writing.isDone) {
      const { status, text } = await service.get(`${LIST}?limit=100`, { "X-API-Key": secret });
      assert.equal(status, 200);
      const { data } = JSON.parse(text) as { data: { articles: unknown[]; pagination: { total: number } } };
      assert.equal(data.articles.length, Math.min(100, data.pagination.total));
      reads++;
    }
    return reads;
  };
  const readers = [read(), read(), read()];
  try {
    for (let count = 0; count < 60; count++) {
      const deps = count % 2 === 0 ? other : service.app;
      const input = makeArticle({ status: "published", publishedAt: TODAY + (count % 3) });
      const { article } = await articles.createArticle(deps, website.id, input, CHIEF);
      if (count % 4 === 0) await articles.deleteArticle(deps, article.id, CHIEF);
    }
  } finally {
    writing.isDone = true;
  }
  for (const reads of await Promise.all(readers)) assert.ok(reads > 0);
  await compare(website.id, secret);
});
