/** docs/specification.md, 4.8: tags, categories and related articles. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { assertRefusal, type Json, record, records } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";

let service: TestService;
const ids: Record<string, string> = {};

before(async () => {
  service = await startTestService();
  await create("green", { tags: ["Green Tea", "kettle"], categories: ["Guides"] });
  await create("black", { tags: ["black tea", "kettle"], categories: ["Guides"] });
  await create("both", { tags: ["green tea", "black tea"], categories: ["News"] });
  await create("comma", { tags: ["salt, pepper"], categories: ["News"], targetKeyword: "spice" });
  await create("salt", { tags: ["salt"], seoKeywords: ["spice"] });
  await create("approved", { status: "approved", tags: ["approved only", "green tea", "red, blue"] });
  await create("pending", { status: "pending", tags: ["pending only"] });
  await create("red", { tags: ["red"] });
});
after(() => service[Symbol.asyncDispose]());

async function create(title: string, input: Parameters<typeof makeArticle>[0]): Promise<void> {
  const all = makeArticle({ status: "published", title, ...input });
  ids[title] = (await articles.createArticle(service.app, service.website.id, all, CHIEF)).article.id;
}

async function read(path: string): Promise<Json> {
  const reply = await service.get(path);
  assert.equal(reply.status, 200, reply.text);
  return record(record(reply.json())["data"]);
}

const titles = async (query: string) =>
  (await service.list(`?fields=title&limit=100&${query}`)).articles.map(({ title }) => title);

test("tags and categories are those of published articles, with exact counts, the most frequent first", async () => {
  const expected = [
    { name: "black tea", slug: "black-tea", count: 2 },
    // Spelled as in the newest published article.
    { name: "green tea", slug: "green-tea", count: 2 },
    { name: "kettle", slug: "kettle", count: 2 },
    { name: "red", slug: "red", count: 1 },
    { name: "salt", slug: "salt", count: 1 },
    { name: "salt, pepper", slug: "salt-pepper", count: 1 },
  ];
  for (let time = 0; time < 3; time++) {
    const { tags, pagination } = await read("/api/public/tags");
    assert.deepEqual(tags, expected);
    assert.deepEqual(pagination, { total: 6, limit: 1000, offset: 0 });
  }
  const page = await read("/api/public/tags?limit=2&offset=1");
  assert.deepEqual(page["tags"], expected.slice(1, 3));
  assert.deepEqual((await read("/api/public/categories"))["categories"], [
    { name: "Guides", slug: "guides", count: 2 },
    { name: "News", slug: "news", count: 2 },
  ]);
  const { headers } = await service.get("/api/public/tags");
  assert.equal((await service.get("/api/public/tags", { "If-None-Match": headers.etag })).status, 304);
  await articles.unpublishArticle(service.app, ids["red"] ?? "", CHIEF);
  const { tags } = await read("/api/public/tags");
  assert.deepEqual(
    tags,
    expected.filter(({ name }) => name !== "red"),
  );
  await articles.publishArticle(service.app, ids["red"] ?? "", CHIEF);
  const all = await Promise.all(Array.from({ length: 20 }, () => read("/api/public/tags")));
  for (const one of all) assert.deepEqual(one["tags"], expected);
});

test("each label has a slug that no other has, which stays when others come and go", async () => {
  await using own = await startTestService();
  const add = async (tags: string[]) => {
    const input = makeArticle({ status: "published", tags, categories: tags });
    return (await articles.createArticle(own.app, own.website.id, input, CHIEF)).article.id;
  };
  const slugs = async (kind: string) => {
    const data = record(record((await own.get(`/api/public/${kind}`)).json())["data"]);
    return Object.fromEntries(records(data[kind]).map(({ name, slug }) => [String(name), String(slug)]));
  };
  const first = await add(["Café", "C++", "C#", "C"]);
  const plain = { Café: "cafe", "C++": "c-plus-plus", "C#": "c-sharp", C: "c" };
  assert.deepEqual(await slugs("tags"), plain);
  await add(["cafe", "🍵"]);
  const { cafe = "", ...others } = await slugs("tags");
  assert.deepEqual(others, { ...plain, "🍵": "tag" });
  assert.match(cafe, /^cafe-[0-9a-f]{4}$/);
  assert.equal((await slugs("categories"))["cafe"], cafe);
  // The one that had it alone is gone.
  await articles.unpublishArticle(own.app, first, CHIEF);
  assert.deepEqual(await slugs("tags"), { cafe: "cafe", "🍵": "tag" });
  await articles.publishArticle(own.app, first, CHIEF);
  assert.deepEqual(await slugs("tags"), { ...plain, cafe, "🍵": "tag" });
});

test("labels separated by commas find articles that have any of them, in every order", async () => {
  for (const sort of ["-published_at", "title"]) {
    const found = async (query: string) => new Set(await titles(`${query}&sort=${sort}`));
    assert.deepEqual(await found("tag=green%20tea,kettle"), new Set(["black", "both", "green"]));
    assert.deepEqual(await found("tag=kettle,%20nothing"), new Set(["black", "green"]));
    assert.deepEqual(await found("category=guides,news&tag=black%20tea"), new Set(["black", "both"]));
    assert.deepEqual(await found("tag=nothing,,"), new Set([]));
    assert.deepEqual(await found("tag=%2C"), new Set([]));
  }
});

test("a label that contains a comma is one label", async () => {
  for (const sort of ["-published_at", "title"]) {
    assert.deepEqual(await titles(`tag=salt,%20pepper&sort=${sort}`), ["comma"]);
    // Only an approved article has it: published ones are found by any of the two.
    assert.deepEqual(await titles(`tag=red,%20blue&sort=${sort}`), ["red"]);
  }
  assert.deepEqual(await titles("tag=red,%20blue&status=approved"), ["approved"]);
});

test("tags finds articles that have all of them, also tags with a comma among others", async () => {
  for (const sort of ["-published_at", "title"]) {
    const found = async (query: string) => new Set(await titles(`${query}&sort=${sort}`));
    assert.deepEqual(await found("tags=green%20tea,kettle"), new Set(["green"]));
    assert.deepEqual(await found("tags=green%20tea,black%20tea"), new Set(["both"]));
    assert.deepEqual(await found("tags=salt,%20pepper"), new Set(["comma"]));
    assert.deepEqual(await found("tags=salt,%20pepper,SALT,%20Pepper"), new Set(["comma"]));
    assert.deepEqual(await found("tags=salt,%20pepper,kettle"), new Set([]));
    assert.deepEqual(await found("tag=salt,%20pepper,kettle"), new Set(["comma", "black", "green"]));
  }
  const { total, limit } = (await service.list("?tags=green%20tea,kettle&limit=1")).pagination;
  assert.deepEqual([total, limit], [1, 1]);
});

test("more tags than can be compared are refused, and a label that is repeated is shown the comma", async () => {
  const many = await service.get(`${LIST}?tags=${"a,".repeat(50)}a`);
  const error = "Bad Request";
  assertRefusal(many, 400, { error, message: "tags has more than 50 labels; give fewer.", param: "tags" });
  const twice = await service.get(`${LIST}?tag=a&tag=b`);
  assertRefusal(twice, 400, {
    error,
    message: "tag is given twice; give it once, with commas: tag=a,b.",
    param: "tag",
  });
});

test("related articles are published and share labels, most related first", async () => {
  const related = async (name: string, query = "") =>
    records((await read(`${LIST}/${ids[name]}/related?fields=title${query}`))["articles"]).map(({ title }) => title);
  assert.deepEqual(await related("green"), ["black", "both"]);
  assert.deepEqual(await related("green", "&limit=1"), ["black"]);
  assert.deepEqual(await related("comma"), ["salt", "both"]);
  assert.deepEqual(await related("red"), []);
  assert.deepEqual(new Set(await related("approved")), new Set(["both", "green"]));
  const key = (await service.newKey({ scope: "published" })).secret;
  for (const [name, status] of [
    ["approved", 403],
    ["green", 200],
  ] as const) {
    assert.equal((await service.get(`${LIST}/${ids[name]}/related`, { "X-API-Key": key })).status, status);
  }
  assert.equal((await service.get(`${LIST}/${ids["pending"]}/related`)).status, 403);
  assert.equal((await service.get(`${LIST}/00000000-0000-4000-8000-000000000000/related`)).status, 404);
  const whole = records((await read(`${LIST}/${ids["green"]}/related`))["articles"]);
  assert.deepEqual(whole[0], (await service.list("?tag=kettle&limit=1")).articles[0]);
});
