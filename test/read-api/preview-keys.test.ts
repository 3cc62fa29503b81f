/** docs/specification.md, 4.11: a key of scope preview reads every article as if all of it were published. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClient } from "../../client/src/index.ts";
import { memoryStore } from "../../client/src/stores/memory-store.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy, discardDraftCopy, saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record, records, type Reply } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";

const DAY = 86_400_000;

let service: TestService;

before(async () => {
  service = await startTestService({ ROSTRUM_SHARED_CACHE: "1" });
});
after(() => service[Symbol.asyncDispose]());

/** A website with a preview key. */
async function newSite() {
  const { id: websiteId } = await service.newWebsite({});
  const { secret } = await service.newKey({ scope: "preview" }, websiteId);
  const get = (path: string, key = secret) => service.get(path, { "X-API-Key": key });
  const list = async (query = "") => {
    const reply = await get(LIST + query);
    assert.equal(reply.status, 200, reply.text);
    assertUncacheable(reply);
    return record(record(reply.json())["data"]);
  };
  return {
    websiteId,
    secret,
    get,
    list,
    titles: async (query = "") => records((await list(query))["articles"]).map(({ title }) => title),
    create: async (input: ArticleInput) =>
      (await articles.createArticle(service.app, websiteId, makeArticle(input), CHIEF)).article.id,
    article: async (path: string): Promise<Json> => {
      const reply = await get(`${LIST}/${path}`);
      assert.equal(reply.status, 200, reply.text);
      assertUncacheable(reply);
      return record(record(reply.json())["data"]);
    },
  };
}

function assertUncacheable({ headers }: Reply): void {
  assert.deepEqual([headers["cache-control"], headers.etag], ["no-store", undefined]);
}

test("a list has the articles of every status, what is not published yet first, and each says its status", async () => {
  const { create, list, titles } = await newSite();
  const now = service.app.clock();
  for (const [index, status] of (["published", "pending", "approved", "published"] as const).entries()) {
    const publishedAt = status === "published" ? { publishedAt: now - index * DAY } : {};
    const createdAt = now - (10 - index) * DAY;
    await create({ status, title: `${index} ${status}`, tags: ["x"], createdAt, ...publishedAt });
  }
  const trashed = await create({ status: "pending", title: "trashed" });
  await articles.deleteArticle(service.app, trashed, CHIEF);
  const whole = ["2 approved", "1 pending", "0 published", "3 published"];
  assert.deepEqual(await titles(), whole);
  assert.deepEqual(await titles("?tag=x"), whole);
  assert.deepEqual([...(await titles("?limit=2")), ...(await titles("?limit=2&offset=2"))], whole);
  assert.deepEqual(await titles("?sort=published_at"), ["3 published", "0 published", "1 pending", "2 approved"]);
  assert.deepEqual(await titles("?sort=title"), ["0 published", "1 pending", "2 approved", "3 published"]);
  assert.deepEqual(await titles("?status=pending"), ["1 pending"]);
  assert.deepEqual(await titles("?status=published"), ["0 published", "3 published"]);
  const { articles: listed, pagination } = await list("?include=content");
  assert.equal(record(pagination)["total"], 4);
  for (const one of records(listed)) {
    assert.ok(String(one["title"]).endsWith(String(one["status"])));
    assert.equal(typeof one["content"], "string");
  }
});

test("one article is answered in every state, by its id and its slug, and no other key reads more than before", async () => {
  const { websiteId, create, article, get } = await newSite();
  const published = await service.newKey({ scope: "published" }, websiteId);
  const all = await service.newKey({ scope: "all" }, websiteId);
  for (const status of ["pending", "approved", "published"] as const) {
    const id = await create({ status, slug: `is-${status}` });
    for (const path of [id, `by-slug/is-${status}`]) {
      assert.equal(record((await article(path))["article"])["status"], status);
      const isShown = status === "published" || (status === "approved" && path === id);
      assert.equal((await get(`${LIST}/${path}`, all.secret)).status, isShown ? 200 : 403);
      assert.equal((await get(`${LIST}/${path}`, published.secret)).status, status === "published" ? 200 : 403);
    }
    if (status === "published") await articles.deleteArticle(service.app, id, CHIEF);
  }
  assert.equal((await get(`${LIST}/${await create({ status: "pending" })}`, (await newSite()).secret)).status, 404);
  assert.deepEqual(
    [(await get(`${LIST}/by-slug/is-published`)).status, (await get(`${LIST}/by-slug/none`)).status],
    [410, 404],
  );
  assert.equal((await get(`${LIST}?limit=x`)).status, 400);
});

test("what an editor has saved and not published is in lists and articles, under its new slug, and nowhere else", async () => {
  const { websiteId, create, article, list } = await newSite();
  const { secret: others } = await service.newKey({ scope: "all" }, websiteId);
  const id = await create({ status: "published", title: "Live", slug: "live", content: "<p>Live.</p>" });
  await create({ status: "published", title: "Other", slug: "other" });
  await saveDraftCopy(service.app, id, { title: "Drafted", slug: "drafted", markdown: "Only *here*." }, CHIEF);
  const expected = { title: "Drafted", slug: "drafted", status: "published", content: "<p>Only <em>here</em>.</p>\n" };
  const fields = "fields=title,slug,status,content";
  assert.deepEqual((await article(`${id}?${fields}`))["article"], expected);
  assert.deepEqual(await article(`by-slug/drafted?${fields}`), { article: expected });
  const moved = await article(`by-slug/live?${fields}`);
  assert.deepEqual(moved, { article: expected, moved_to: { slug: "drafted", platform_url: null } });
  const { articles: listed } = await list(`?fields=title,slug,status&include=content`);
  assert.deepEqual(
    records(listed).find(({ slug }) => slug === "drafted"),
    expected,
  );
  assert.equal(records(listed).length, 2);
  for (const path of [LIST, `${LIST}/${id}`]) {
    assert.doesNotMatch((await service.get(path, { "X-API-Key": others })).text, /Drafted|drafted/);
  }
});

test("nothing that the key gets may be stored by a shared cache, whatever version is named", async () => {
  const { create, get } = await newSite();
  const id = await create({ status: "published", tags: ["x"] });
  const state = async () => record(record((await get("/api/public/state")).json())["data"]);
  const { version } = await state();
  for (const path of [LIST, `${LIST}/${id}`, `${LIST}/${id}/related`, "/api/public/tags", "/api/public/redirects"]) {
    const { headers, status } = await get(`${path}?v=${String(version)}`);
    assert.equal(status, 200);
    assert.match(String(headers["cache-control"]), /^(no-store|private, no-cache)$/);
  }
});

test("the state changes with each change of a draft, and a copy that the client keeps follows it", async () => {
  const { secret, create } = await newSite();
  const client = createClient({ url: service.url, key: secret });
  const store = memoryStore();
  const copy = async () => {
    await client.sync({ store });
    const ids = [...(await store.ids())];
    const found = await Promise.all(ids.map(async (id) => (await store.get(id))?.title ?? ""));
    return found.toSorted((one, other) => one.localeCompare(other));
  };
  const id = await create({ status: "published", title: "Live" });
  const pending = await create({ status: "pending", title: "Pending" });
  assert.deepEqual(await copy(), ["Live", "Pending"]);
  await saveDraftCopy(service.app, id, { title: "Drafted" }, CHIEF);
  assert.deepEqual(await copy(), ["Drafted", "Pending"]);
  await saveDraftCopy(service.app, id, { title: "Drafted again" }, CHIEF);
  assert.deepEqual(await copy(), ["Drafted again", "Pending"]);
  await discardDraftCopy(service.app, id, CHIEF);
  assert.deepEqual(await copy(), ["Live", "Pending"]);
  await saveDraftCopy(service.app, id, { title: "At last" }, CHIEF);
  await applyDraftCopy(service.app, id, CHIEF);
  await articles.updateArticle(service.app, pending, { title: "Changed" }, CHIEF);
  assert.deepEqual(await copy(), ["At last", "Changed"]);
  await articles.deleteArticle(service.app, pending, CHIEF);
  assert.deepEqual(await copy(), ["At last"]);
});

test("a site that asks for many articles with drafts at once gets all of them, and leaves editors their turn", async () => {
  const { create, secret } = await newSite();
  const id = await create({ status: "published", title: "Live" });
  const markdown = "A *word*.\n\n".repeat(500);
  await saveDraftCopy(service.app, id, { title: "Drafted", markdown }, CHIEF);
  const headers = { "X-API-Key": secret };
  const get = async () => (await fetch(`${service.url}${LIST}/${id}?fields=title`, { headers })).status;
  const asked = Promise.all(Array.from({ length: 100 }, get));
  for (let count = 0; count < 3; count++) await create({ status: "pending", title: `New ${count}`, markdown });
  assert.deepEqual(new Set(await asked), new Set([200]));
});
