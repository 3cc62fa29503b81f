/** Pages of lists, and the tags whose slugs are in their addresses, with the real service. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClient, listPage, type Rostrum } from "../../client/src/index.ts";
import { createTestClient, makeArticle as makeClientArticle } from "../../client/src/testing.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

const TAGS = ["a/b", "C", "C++", "C#", "a b", "Café", "cafe", "🍵", "..", "100%"];

const slugsOfTags = async ({ tags }: Rostrum) =>
  Object.fromEntries((await tags()).map(({ name, slug }) => [name, slug]));

let service: TestService;
let rostrum: Rostrum;

before(async () => {
  service = await startTestService();
  rostrum = createClient({ url: service.url, key: service.key });
  for (let index = 0; index < 45; index++) {
    const tags = ["all", ...TAGS.slice(index, index + 1)];
    const input = makeArticle({ title: `Article ${index}`, status: "published", tags });
    await createArticle(service.app, service.website.id, input, CHIEF);
  }
});
after(() => service[Symbol.asyncDispose]());

test("pages lead from the newest article to the oldest and back", async () => {
  const numbers = [];
  const slugs: string[] = [];
  for (let page: number | null = 1; page !== null;) {
    const list: Awaited<ReturnType<typeof listPage>> = await listPage(rostrum, { page: String(page) });
    assert.ok(list !== null);
    slugs.push(...list.articles.map(({ slug }) => slug));
    numbers.push([list.newer, list.page, list.older, list.pages]);
    page = list.older;
  }
  assert.deepEqual(numbers, [
    [null, 1, 2, 3],
    [1, 2, 3, 3],
    [2, 3, null, 3],
  ]);
  assert.equal(new Set(slugs).size, 45);
});

test("a page or a tag that does not exist is null, whatever an address says", async () => {
  for (const page of ["0", "4", "-1", "1.5", "01", "x", "", "1e3", "9".repeat(400)]) {
    assert.equal(await listPage(rostrum, { page }), null, page);
  }
  for (const tag of ["none", "", "..", "\0", "C++", "a".repeat(5000)])
    assert.equal(await listPage(rostrum, { tag }), null, tag);
  assert.equal(await listPage(rostrum, { tag: "c", page: "2" }), null);
  assert.deepEqual(await listPage(createTestClient([])), {
    articles: [],
    tag: null,
    page: 1,
    pages: 1,
    newer: null,
    older: null,
  });
});

test("each tag has a page of its own, which is found by its slug", async () => {
  const tags = await rostrum.tags();
  assert.equal(tags.length, TAGS.length + 1);
  for (const { slug, name, count } of tags) {
    const list = await listPage(rostrum, { tag: slug, perPage: 100 });
    assert.deepEqual([list?.tag, list?.articles.length], [name, count]);
    assert.ok(list?.articles.every((article) => article.tags.includes(name)));
  }
});

test("the client for tests gives tags the service's slugs", async () => {
  const articles = TAGS.map((tag) => makeClientArticle({ tags: ["all", tag] }));
  assert.deepEqual(await slugsOfTags(createTestClient(articles)), await slugsOfTags(rostrum));
});

test("tags and categories are read beyond the first thousand", async () => {
  const website = await service.newWebsite();
  const { secret } = await service.newKey({}, website.id);
  for (let index = 0; index < 21; index++) {
    const tags = Array.from({ length: 50 }, (_none, tag) => `tag ${index} ${tag}`);
    await createArticle(service.app, website.id, makeArticle({ title: `${index}`, status: "published", tags }), CHIEF);
  }
  const tags = await createClient({ url: service.url, key: secret }).tags();
  assert.equal(new Set(tags.map(({ slug }) => slug)).size, 1050);
});
