/** Copies of the published articles: equal to the service after each look, and served while it cannot be reached. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ArticleStore, createClient, memoryStore, type Rostrum } from "../../client/src/index.ts";
import { fileStore } from "../../client/src/stores/file-store.ts";
import { sqliteStore } from "../../client/src/stores/sqlite-store.ts";
import {
  createArticle,
  deleteArticle,
  publishArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { cases, fc } from "../helpers/properties.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { startTcpProxy } from "../helpers/tcp-proxy.ts";
import { until } from "../helpers/until.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

interface Site {
  websiteId: string;
  key: string;
  client: Rostrum;
  /** Requests that were answered by a 200 and by a 304. */
  counts: Record<200 | 304, number>;
  publish(title?: string): Promise<string>;
}

async function emptyWebsite(url = service.url): Promise<Site> {
  const website = await service.newWebsite();
  const { secret: key } = await service.newKey({}, website.id);
  const counts = { 200: 0, 304: 0 };
  const counting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status === 200 || response.status === 304) counts[response.status] += 1;
    return response;
  };
  const client = createClient({ url, key, fetch: counting });
  const publish = async (title = "A title") => {
    const input = makeArticle({ status: "published", title });
    return (await createArticle(service.app, website.id, input, CHIEF)).article.id;
  };
  return { websiteId: website.id, key, client, counts, publish };
}

/** The copy has the articles of the service, in its order, with their contents and nothing else. */
async function assertEqual(store: ArticleStore, { key }: Site): Promise<void> {
  const direct = createClient({ url: service.url, key, cache: false });
  const expected = await Array.fromAsync(direct.articles.all({ include: "content" }));
  const { articles, total } = await store.list({ limit: 1000 });
  assert.equal(total, expected.length);
  assert.deepEqual(
    articles.map(({ id }) => id),
    expected.map(({ id }) => id),
  );
  for (const article of expected) {
    assert.deepEqual(await store.get(article.id), article);
    assert.deepEqual(await store.getBySlug(article.slug), article);
  }
  assert.deepEqual((await store.ids()).toSorted(), expected.map(({ id }) => id).toSorted());
}

const STORES: Record<string, (folder: string) => Promise<ArticleStore & Partial<Disposable>>> = {
  memory: async () => memoryStore(),
  file: (folder) => fileStore(join(folder, "copy")),
  sqlite: async (folder) => sqliteStore(join(folder, "copy.db")),
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`in the ${name} store`, () => {
    test("after any changes, one update makes the copy equal", async () => {
      await using folder = await tempFolder();
      const site = await emptyWebsite();
      for (let count = 0; count < 20; count++) await site.publish(`Title ${count}`);
      const store = await open(folder.path);
      await site.client.sync({ store });
      await assertEqual(store, site);
      const change = fc.record({
        kind: fc.constantFrom("publish", "rename", "delete", "unpublish", "publishAgain" as const),
        which: fc.nat(),
      });
      const ids = await store.ids();
      const taken: string[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
          for (const { kind, which } of changes) await make(kind, which);
          await site.client.sync({ store });
          await assertEqual(store, site);
        }),
        { numRuns: cases(100) },
      );
      store[Symbol.dispose]?.();

      async function make(kind: string, which: number): Promise<void> {
        const id = ids[which % ids.length] ?? "";
        if (kind === "publish" || ids.length < 5) ids.push(await site.publish(`New ${which}`));
        else if (kind === "rename") {
          await updateArticle(
            service.app,
            id,
            { title: `Renamed ${which}`, slug: `renamed-${which % 7}-${id}` },
            CHIEF,
          );
        } else if (kind === "publishAgain") {
          const back = taken.pop();
          if (back === undefined) return;
          await publishArticle(service.app, back, CHIEF);
          ids.push(back);
        } else {
          ids.splice(ids.indexOf(id), 1);
          if (kind === "unpublish") taken.push(id);
          await (kind === "delete" ? deleteArticle : unpublishArticle)(service.app, id, CHIEF);
        }
      }
    });

    test("labels and pages are those of the service", async () => {
      await using folder = await tempFolder();
      const site = await emptyWebsite();
      for (const tags of [["Tea"], ["tea", "water"], []]) {
        const input = makeArticle({ status: "published", tags, categories: ["Guides"] });
        await createArticle(service.app, site.websiteId, input, CHIEF);
      }
      const store = await open(folder.path);
      await site.client.sync({ store });
      for (const query of [
        { tag: "tea" },
        { category: "guides", limit: 1, offset: 1 },
        { tag: "none" },
        { limit: 2 },
      ]) {
        const { articles, pagination } = await site.client.articles.list(query);
        assert.deepEqual(await store.list(query), { articles, total: pagination.total });
      }
      store[Symbol.dispose]?.();
    });
  });
}

for (const name of ["file", "sqlite"] as const) {
  test(`the ${name} store survives a restart`, async () => {
    await using folder = await tempFolder();
    const site = await emptyWebsite();
    await site.publish();
    const before = await STORES[name]?.(folder.path);
    assert.ok(before !== undefined);
    await site.client.sync({ store: before });
    before[Symbol.dispose]?.();
    const again = await STORES[name]?.(folder.path);
    assert.ok(again !== undefined);
    await assertEqual(again, site);
    assert.deepEqual(await site.client.sync({ store: again }), { changed: [], removed: [] });
    again[Symbol.dispose]?.();
  });
}

test("without changes, an update is one request answered by a 304; one change costs few", async () => {
  const site = await emptyWebsite();
  for (let count = 0; count < 120; count++) await site.publish();
  const store = memoryStore();
  const first = await site.client.sync({ store });
  assert.equal(first.changed.length, 120);
  await site.client.sync({ store });
  const before = { ...site.counts };
  await site.client.sync({ store });
  assert.deepEqual(site.counts, { 200: before[200], 304: before[304] + 1 });
  const [id = ""] = await store.ids();
  await updateArticle(service.app, id, { title: "Changed" }, CHIEF);
  const { removed } = await site.client.sync({ store });
  assert.deepEqual(removed, []);
  assert.equal((await store.get(id))?.title, "Changed");
  assert.ok(site.counts[200] - before[200] <= 5);
});

test("an update that fails in the middle is completed by the next one", async () => {
  const site = await emptyWebsite();
  for (let count = 0; count < 130; count++) await site.publish();
  const inner = memoryStore();
  let failAt = 2;
  const store: ArticleStore = {
    ...inner,
    apply: async (changes) => {
      if (--failAt === 0) throw new Error("the disk is full");
      await inner.apply(changes);
    },
  };
  await assert.rejects(site.client.sync({ store }), /disk is full/);
  assert.equal(await store.state(), null);
  await site.client.sync({ store });
  await assertEqual(store, site);
  const [gone = ""] = await store.ids();
  await deleteArticle(service.app, gone, CHIEF);
  failAt = 1;
  await assert.rejects(site.client.sync({ store }), /disk is full/);
  await site.client.sync({ store });
  await assertEqual(store, site);
});

test("a service with another history, such as a restored one, is copied again in full", async () => {
  const site = await emptyWebsite();
  await site.publish();
  const store = memoryStore();
  await site.client.sync({ store });
  const state = await store.state();
  assert.ok(state !== null);
  const [article] = (await site.client.articles.list({ include: "content" })).articles;
  assert.ok(article !== undefined);
  const lost = { ...article, id: "00000000-0000-4000-8000-000000000000", slug: "lost" };
  await store.apply({ articles: [lost], removed: [], state: { ...state, version: `other${state.version}` } });
  assert.deepEqual((await site.client.sync({ store })).removed, [lost.id]);
  await assertEqual(store, site);
});

test("a copy is made again in full when other fields or forms of the content are requested", async () => {
  const site = await emptyWebsite();
  const id = await site.publish();
  const store = memoryStore();
  await site.client.sync({ store, include: ["language", "authors"] });
  assert.deepEqual((await site.client.sync({ store, include: ["authors", "language"] })).changed, []);
  assert.deepEqual((await site.client.sync({ store, include: ["authors"] })).changed, [id]);
  assert.deepEqual((await site.client.sync({ store, include: ["authors"], format: ["markdown"] })).changed, [id]);
  const copied = await store.get(id);
  assert.deepEqual(
    ["authors", "language", "content", "content_markdown"].map((name) => Object.hasOwn(copied ?? {}, name)),
    [true, false, false, true],
  );
});

test("the copy keeps serving during an outage and catches up afterwards", async () => {
  await using proxy = await startTcpProxy({ port: Number(new URL(service.url).port) });
  const site = await emptyWebsite(`http://127.0.0.1:${proxy.port}`);
  const id = await site.publish("Before");
  const store = memoryStore();
  await using mirror = await site.client.mirror({ store, intervalMs: 20 });
  assert.equal((await mirror.get(id))?.title, "Before");
  proxy.mode = "refuse";
  proxy.cut();
  await updateArticle(service.app, id, { title: "After" }, CHIEF);
  const later = await site.publish("Meanwhile");
  assert.equal((await mirror.get(id))?.title, "Before");
  assert.equal((await mirror.list()).total, 1);
  proxy.mode = "pass";
  await until("the copy is caught up", async () => (await mirror.get(id))?.title === "After");
  await until("the new article is there", async () => (await mirror.get(later)) !== null);
});

test("an existing copy serves at once, even without the service; without a copy the start fails", async () => {
  const site = await emptyWebsite();
  const id = await site.publish();
  const store = memoryStore();
  await site.client.sync({ store });
  const away = createClient({ url: "http://127.0.0.1:9", key: site.key, giveUpAfterMs: 0 });
  const errors: unknown[] = [];
  await using mirror = await away.mirror({ store, intervalMs: 10, onError: (error) => errors.push(error) });
  assert.equal((await mirror.get(id))?.id, id);
  await until("its failure is told", () => errors.length > 0);
  await assert.rejects(away.mirror({ store: memoryStore() }), /did not answer/);
});

test("after refresh() the copy has everything that happened before it, whatever update was under way", async () => {
  const site = await emptyWebsite();
  await using mirror = await site.client.mirror({ store: memoryStore(), intervalMs: 3_600_000 });
  for (let count = 0; count < 20; count++) {
    void mirror.refresh();
    const id = await site.publish(`Title ${count}`);
    await mirror.refresh();
    assert.equal((await mirror.get(id))?.title, `Title ${count}`);
  }
});
