/** docs/specification.md, 4.9: earlier slugs lead to today's in one step. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record, records, type Reply } from "../helpers/http.ts";
import { IS_THOROUGH } from "../helpers/properties.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { redirects } from "../../src/store/migrations/027-redirects.ts";
import * as articles from "../../src/operations/articles/articles.ts";

const REDIRECTS = "/api/public/redirects";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

type Website = Pick<TestService, "app" | "website" | "get">;

async function create(own: Website, slug: string): Promise<string> {
  const input = makeArticle({ status: "published", slug });
  return (await articles.createArticle(own.app, own.website.id, input, CHIEF)).article.id;
}

const data = (reply: Reply): Json => {
  assert.equal(reply.status, 200, reply.text);
  return record(record(reply.json())["data"]);
};

async function listAll(own: Website, limit: number): Promise<Json[]> {
  const all: Json[] = [];
  let path = `${REDIRECTS}?limit=${limit}`;
  for (;;) {
    const reply = await own.get(path);
    const { redirects: page, pagination } = data(reply);
    all.push(...records(page));
    const next = /<([^>]*)>; rel="next"/.exec(String(reply.headers.link))?.[1];
    assert.equal(record(pagination)["has_more"], next !== undefined);
    if (next === undefined) return all;
    assert.match(next, new RegExp(`after=${String(record(pagination)["next_after"])}$`));
    path = next;
  }
}

test("an earlier slug gets the article, and the address that it moved to", async () => {
  const id = await create(service, "first");
  const bySlug = (slug: string, query = "") => service.get(`${LIST}/by-slug/${slug}${query}`);
  assert.equal(data(await bySlug("first"))["moved_to"], undefined);
  await articles.updateArticle(service.app, id, { slug: "second" }, CHIEF);
  await articles.updateArticle(service.app, id, { slug: "third" }, CHIEF);
  const whole = await service.detail(id);
  for (const slug of ["first", "second"]) {
    for (let time = 0; time < 3; time++) {
      const { article, moved_to: movedTo } = data(await bySlug(slug));
      assert.deepEqual(article, whole);
      assert.deepEqual(movedTo, { slug: "third", platform_url: null });
    }
  }
  assert.deepEqual(data(await bySlug("first", "?fields=slug")), {
    article: { slug: "third" },
    moved_to: { slug: "third", platform_url: null },
  });
  assert.equal(data(await bySlug("third"))["moved_to"], undefined);
  assert.deepEqual(await service.detail(id, "?fields=previous_slugs"), { previous_slugs: ["first", "second"] });

  // Another article takes the slug, which then no longer leads to this one.
  const other = await create(service, "first");
  assert.equal(record(data(await bySlug("first"))["article"])["id"], other);
  assert.deepEqual(await service.detail(id, "?fields=previous_slugs"), { previous_slugs: ["second"] });
  await articles.deleteArticle(service.app, other, CHIEF);
  assert.deepEqual(record(data(await bySlug("first"))["moved_to"])["slug"], "third");

  // Who is not published is nowhere.
  await articles.unpublishArticle(service.app, id, CHIEF);
  for (const slug of ["first", "second"]) assert.equal((await bySlug(slug)).status, 404);
  assert.equal((await bySlug("third")).status, 200, "a key of scope all reads what is approved");
  assert.deepEqual(await listAll(service, 100), []);
  await articles.publishArticle(service.app, id, CHIEF);
  assert.equal(record(data(await bySlug("first"))["moved_to"])["slug"], "third");
});

test("a slug that was never published gets nothing", async () => {
  const input = makeArticle({ slug: "only-drafted" });
  const { article } = await articles.createArticle(service.app, service.website.id, input, CHIEF);
  await articles.updateArticle(service.app, article.id, { slug: "then-published" }, CHIEF);
  await articles.approveArticle(service.app, article.id, CHIEF);
  await articles.publishArticle(service.app, article.id, CHIEF);
  assert.equal((await service.get(`${LIST}/by-slug/only-drafted`)).status, 404);
  assert.equal((await service.get(`${LIST}/by-slug/then-published`)).status, 200);
});

test("the migration fills in the slugs of earlier revisions that were published", async () => {
  await using own = await startTestService();
  const input = makeArticle({ slug: "drafted" });
  const { article } = await articles.createArticle(own.app, own.website.id, input, CHIEF);
  await articles.updateArticle(own.app, article.id, { slug: "one" }, CHIEF);
  await articles.approveArticle(own.app, article.id, CHIEF);
  await articles.publishArticle(own.app, article.id, CHIEF);
  await articles.updateArticle(own.app, article.id, { slug: "two" }, CHIEF);
  await articles.updateArticle(own.app, article.id, { slug: "three", title: "Three" }, CHIEF);
  const { store } = own.app;
  for (const { sql } of redirects[store.engine]) {
    await store.write(async (db) => {
      await db.run("DELETE FROM redirects");
      // A batch may run twice.
      for (let time = 0; time < 2; time++) await db.run(sql.replace("{range}", "row_no > 0"));
      db.markWebsiteChanged(own.website.id);
    });
  }
  assert.deepEqual(
    (await listAll(own, 100)).map(({ from, slug }) => [from, slug]),
    [
      ["one", "three"],
      ["two", "three"],
    ],
  );
});

test("redirects are listed in pages, each once", async () => {
  await using own = await startTestService();
  const id = await create(own, "slug-0");
  for (let number = 1; number <= 7; number++) {
    await articles.updateArticle(own.app, id, { slug: `slug-${number}` }, CHIEF);
  }
  for (const limit of [1, 3, 7, 100]) {
    const all = await listAll(own, limit);
    assert.deepEqual(
      all.map(({ from }) => from),
      [0, 1, 2, 3, 4, 5, 6].map((number) => `slug-${number}`),
    );
    for (const one of all) {
      assert.deepEqual(one, { from: one["from"], kind: "slug", article_id: id, slug: "slug-7", platform_url: null });
    }
  }
  const { headers } = await own.get(REDIRECTS);
  assert.equal((await own.get(REDIRECTS, { "If-None-Match": headers.etag })).status, 304);
  assert.equal((await own.get(`${REDIRECTS}?limit=0`)).status, 400);
});

test("after any renames, swaps and cycles, every slug leads to a current slug in one step, and none in a loop", async () => {
  const steps = IS_THOROUGH ? 10_000 : 200;
  await using own = await startTestService();
  const { app } = own;
  const ids: string[] = [];
  for (let number = 0; number < 8; number++) ids.push(await create(own, `s${number}`));
  /** Of each article its slug, and whether it is published. */
  const now = new Map(ids.map((id, number) => [id, { slug: `s${number}`, isPublished: true, isDeleted: false }]));
  /** The articles that were published under each slug, the last one last. */
  const held = new Map<string, string[]>();
  const leave = (id: string, slug: string) =>
    held.set(slug, [...(held.get(slug) ?? []).filter((one) => one !== id), id]);

  const random = randomFrom(1);
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
  const rename = async (id: string, slug: string) => {
    const state = now.get(id);
    if (state === undefined || state.isDeleted) return;
    const { article } = await articles.updateArticle(app, id, { slug }, CHIEF);
    if (article.slug !== state.slug && state.isPublished) leave(id, state.slug);
    state.slug = article.slug;
  };
  const step = async () => {
    const id = pick(ids);
    const state = now.get(id);
    assert.ok(state);
    const kind = random();
    if (kind < 0.6) {
      await rename(id, `s${Math.floor(random() * 12)}`);
    } else if (kind < 0.85) {
      // A swap, or a cycle of several.
      const ring = ids.filter(() => random() < 0.4);
      const slugs = ring.map((one) => now.get(one)?.slug ?? "");
      for (const [index, one] of ring.entries()) await rename(one, `aside-${index}`);
      for (const [index, one] of ring.entries()) await rename(one, slugs[(index + 1) % ring.length] ?? "");
    } else if (state.isDeleted) {
      const { article } = await articles.restoreArticle(app, id, CHIEF);
      Object.assign(state, { slug: article.slug, isDeleted: false, isPublished: article.status === "published" });
    } else if (kind < 0.92) {
      await articles.deleteArticle(app, id, CHIEF);
      if (state.isPublished) leave(id, state.slug);
      Object.assign(state, { isDeleted: true, isPublished: false });
    } else if (state.isPublished) {
      await articles.unpublishArticle(app, id, CHIEF);
      leave(id, state.slug);
      state.isPublished = false;
    } else {
      await articles.publishArticle(app, id, CHIEF);
      state.isPublished = true;
    }
  };
  const check = async () => {
    const published = new Map(
      ids.flatMap((id) => (now.get(id)?.isPublished === true ? [[now.get(id)?.slug, id]] : [])),
    );
    const listed = new Map((await listAll(own, 1_000)).map((one) => [one["from"], one]));
    for (const [slug, holders] of held) {
      const expected = published.get(slug) ?? holders.findLast((id) => now.get(id)?.isPublished === true);
      const one = listed.get(slug);
      listed.delete(slug);
      if (expected === undefined) {
        assert.equal(one, undefined, slug);
        continue;
      }
      const today = now.get(expected)?.slug;
      assert.equal(one?.["slug"], today === slug ? undefined : today, `${slug} in the list`);
      // One step, and then no other.
      assert.ok(!listed.has(today) || held.has(today ?? ""), `${slug} leads to ${today}`);
      const found = data(await own.get(`${LIST}/by-slug/${slug}?fields=id,slug,status`));
      if (record(found["article"])["status"] !== "published") continue;
      assert.equal(record(found["article"])["id"], expected, slug);
      assert.equal((found["moved_to"] as Json | undefined)?.["slug"], today === slug ? undefined : today);
      assert.equal(data(await own.get(`${LIST}/by-slug/${today}`))["moved_to"], undefined, "a chain");
    }
    assert.deepEqual([...listed.keys()], [], "leads from a slug that was never published");
  };
  for (let count = 1; count <= steps; count++) {
    await step();
    if (count % 40 === 0) await check();
  }
});

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
