/** docs/specification.md, 4.1, the added parameters: each alone, and together, with exact totals. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, DAY, makeArticle, TODAY, withClock } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { createArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
const ids = new Map<string, string>();

const ARTICLES: Record<string, ArticleInput> = {
  water: {
    title: "Water",
    slug: "water",
    categories: ["Guides"],
    tags: ["basics", "Water"],
    targetKeyword: "soft water",
    publishedAt: TODAY - 3 * DAY,
  },
  kettle: {
    title: "Kettle",
    slug: "kettle",
    categories: ["Guides", "Gear"],
    tags: ["basics"],
    seoKeywords: ["Soft Water", "kettle"],
    publishedAt: TODAY - 2 * DAY,
  },
  oolong: { title: "Oolong", slug: "oolong", categories: ["Teas"], tags: ["oolong"], publishedAt: TODAY - DAY },
  draft: { title: "Draft", slug: "draft", categories: ["Guides"], tags: ["basics"], status: "pending" },
};

before(async () => {
  service = await startTestService();
  const deps = withClock(service.app, TODAY);
  for (const [name, input] of Object.entries(ARTICLES)) {
    const all = makeArticle({ status: "published", createdAt: TODAY - 10 * DAY, ...input });
    ids.set(name, (await createArticle(deps, service.website.id, all, CHIEF)).article.id);
    deps.now += 60_000;
  }
  deps.now = TODAY + DAY;
  await updateArticle(deps, ids.get("water") ?? "", { metaDescription: "New." }, CHIEF);
});
after(() => service[Symbol.asyncDispose]());

async function found(query: string): Promise<string[]> {
  const { articles, pagination } = await service.list(`?${query}`);
  assert.equal(pagination["total"], articles.length, query);
  const names = new Map(Array.from(ids, ([name, id]) => [id, name]));
  return articles.map((one) => names.get(String(one["id"])) ?? "?");
}

const CASES: [query: string, expected: string[]][] = [
  ["slug=water", ["water"]],
  ["slug=Water", []],
  ["slug=draft", []],
  ["status=pending&slug=draft", ["draft"]],
  ["category=Guides", ["kettle", "water"]],
  ["category=guides", ["kettle", "water"]],
  ["category=%20GUIDES", ["kettle", "water"]],
  ["category=Guide", []],
  ["tag=basics", ["kettle", "water"]],
  ["tag=water", ["water"]],
  ["tag=Guides", []],
  ["tag=water,oolong", ["oolong", "water"]],
  ["tags=basics", ["kettle", "water"]],
  ["tags=basics,water", ["water"]],
  ["tags=WATER,%20basics,,", ["water"]],
  ["tags=basics,oolong", []],
  ["tags=basics,nothing", []],
  ["tags=%2C", []],
  ["tags=basics&tag=water,oolong", ["water"]],
  ["tags=basics,water&category=Guides&q=water&sort=title", ["water"]],
  ["tags=basics&sort=-title", ["water", "kettle"]],
  ["tags=basics,water&status=pending", []],
  ["tags=basics&status=pending", ["draft"]],
  ["keyword=soft+water", ["kettle", "water"]],
  ["keyword=kettle", ["kettle"]],
  ["published_since=2026-01-13T12:00:00.000Z", ["oolong", "kettle"]],
  ["published_since=2026-01-13T12:00:00.001Z", ["oolong"]],
  ["published_since=2026-01-13T13:00:00%2B01:00", ["oolong", "kettle"]],
  ["published_since=2026-01-14", ["oolong"]],
  ["published_since=9999-12-31", []],
  ["updated_since=2026-01-16", ["water"]],
  ["updated_since=2026-01-15T12:01:00Z", ["oolong", "kettle", "water"]],
  ["category=Guides&tag=basics&keyword=kettle", ["kettle"]],
  ["category=Guides&tag=oolong", []],
  ["category=Guides&published_since=2026-01-13", ["kettle"]],
  ["category=Guides&updated_since=2026-01-16&slug=water&tag=water&keyword=soft+water&q=water", ["water"]],
  ["q=article&category=Guides", ["kettle", "water"]],
  ["sort=title", ["kettle", "oolong", "water"]],
  ["sort=-title", ["water", "oolong", "kettle"]],
  ["sort=published_at", ["water", "kettle", "oolong"]],
  ["sort=-updated_at", ["water", "oolong", "kettle"]],
  ["sort=updated_at&tag=basics", ["kettle", "water"]],
  ["sort=title&category=Guides&status=published", ["kettle", "water"]],
];

for (const [query, expected] of CASES) {
  test(`?${query} finds ${expected.join(", ") || "nothing"}`, async () => {
    assert.deepEqual(await found(query), expected);
    assert.deepEqual(await found(query), expected, "the second time");
  });
}

test("a filtered list is paged, and its total counts what matches", async () => {
  const first = await service.list("?category=Guides&limit=1");
  const second = await service.list("?category=Guides&limit=1&offset=1");
  const third = await service.list("?category=Guides&limit=1&offset=2");
  assert.deepEqual(
    [first, second, third].map(({ articles, pagination }) => [articles[0]?.["slug"], pagination["total"]]),
    [
      ["kettle", 2],
      ["water", 2],
      [undefined, 2],
    ],
  );
});

describe("fields", () => {
  test("only the named fields are sent, in the order of the list form", async () => {
    const { articles } = await service.list("?fields=title,id&slug=water");
    assert.deepEqual(articles.map(Object.keys), [["id", "title"]]);
    assert.equal(articles[0]?.["title"], "Water");
  });

  test("each field alone has the value that it has in the whole form", async () => {
    const whole = (await service.list("?slug=water")).articles[0] ?? {};
    for (const [name, value] of Object.entries(whole)) {
      assert.deepEqual((await service.list(`?slug=water&fields=${name}`)).articles, [{ [name]: value }]);
    }
    assert.deepEqual((await service.list(`?slug=water&fields=${Object.keys(whole).join(",")}`)).articles, [whole]);
  });

  test("spaces and repetitions in the list of names change nothing", async () => {
    const { articles } = await service.list("?fields=slug,%20slug%20,slug&limit=1");
    assert.deepEqual(articles.map(Object.keys), [["slug"]]);
  });
});
