/** Section 2: the article's fields, each row of the tables, on articles that have everything and that have nothing. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, fullArticle, makeArticle, TODAY } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { type Json, record } from "../helpers/http.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let full: { list: Json; detail: Json };
let bare: { list: Json; detail: Json };

before(async () => {
  service = await startTestService();
  const read = async (input: Parameters<typeof createArticle>[2]) => {
    const { article } = await createArticle(service.app, service.website.id, { ...input, status: "published" }, CHIEF);
    const list = (await service.list()).articles.find((one) => one["id"] === article.id);
    assert.ok(list);
    return { list, detail: await service.detail(article.id) };
  };
  full = await read(fullArticle({ slug: "soft-water", title: "Soft water", createdAt: TODAY, publishedAt: TODAY + 1 }));
  bare = await read(makeArticle({ title: "Bare" }));
});
after(() => service[Symbol.asyncDispose]());

test("2.1: the list form has every field of the table, with its type, and no other", () => {
  shapes.listForm(full.list, "full");
  shapes.listForm(bare.list, "bare");
});

const ROWS: Record<string, unknown> = {
  title: "Soft water",
  excerpt: "What soft water does.",
  slug: "soft-water",
  status: "published",
  seo_keywords: ["tea", "water"],
  meta_description: "How soft water changes tea.",
  target_keyword: "soft water",
  featured_image_url: "https://img.example.com/kettle.jpg",
  featured_image_alt: "A kettle on a stove",
  word_count: 12,
  reading_time: 1,
  categories: ["Guides"],
  tags: ["water", "kettle"],
  created_at: "2026-01-15T12:00:00.000Z",
  published_at: "2026-01-15T12:00:00.001Z",
  platform_url: "https://blog.example.com/soft-water",
  platform_post_id: "4711",
};

for (const [field, value] of Object.entries(ROWS)) {
  test(`2.1 ${field}: what was stored is delivered, in the list and in the detail form`, () => {
    assert.deepEqual(full.list[field], value);
    assert.deepEqual(full.detail[field], value);
  });
}

test("2.1 id: is a UUID that no other article has", () => {
  shapes.uuid(full.list["id"], "id");
  assert.notEqual(full.list["id"], bare.list["id"]);
});

test("2.1 excerpt: is the first ~160 characters of the article's text if the author wrote none", async () => {
  const words = "Loose leaf tea asks for little: a pot, a kettle and three quiet minutes. ".repeat(10);
  const { article } = await createArticle(
    service.app,
    service.website.id,
    makeArticle({ content: `<h2>Heading</h2><p>${words}</p>`, status: "published" }),
    CHIEF,
  );
  const excerpt = String((await service.detail(article.id))["excerpt"]);
  const text = `Heading ${words}`;
  assert.ok(text.startsWith(excerpt.replace(/…$/, "").trimEnd()), excerpt);
  assert.ok(excerpt.length > 130 && excerpt.length <= 161, String(excerpt.length));
  assert.match(excerpt, /\S…$/);
});

test("2.1 excerpt: a short text is its own excerpt", () => {
  assert.match(String(bare.list["excerpt"]), /^The text of article \d+\.$/);
});

test("2.1: timestamps are ISO 8601 in UTC with milliseconds, also those that arrived with an offset or without one", async () => {
  for (const createdAt of [0, 1, 999, TODAY, Date.UTC(9999, 11, 31, 23, 59, 59, 999)]) {
    const { article } = await createArticle(service.app, service.website.id, makeArticle({ createdAt }), CHIEF);
    const { articles } = await service.list("?status=pending&limit=100");
    const found = articles.find((one) => one["id"] === article.id);
    assert.equal(found?.["created_at"], new Date(createdAt).toISOString());
  }
});

test("2.2: the detail form has every field of the table, with its type, and no other", () => {
  shapes.detailForm(full.detail, "full");
  shapes.detailForm(bare.detail, "bare");
});

test("2.2: the detail form has the values of the list form in all of its fields", () => {
  for (const { list, detail } of [full, bare]) {
    for (const [field, value] of Object.entries(list)) assert.deepEqual(detail[field], value, field);
  }
});

test("2.2 content: is the full body as HTML, as it was given", () => {
  assert.equal(full.detail["content"], fullArticle().content);
});

test("2.2 internal_links: is a list of objects with text and url, a site-relative path", () => {
  assert.deepEqual(full.detail["internal_links"], [{ text: "our page on water", url: "/blog/water" }]);
});

test("2.2 approved_at: is a timestamp that is present only in the detail form", () => {
  shapes.timestamp(full.detail["approved_at"], "approved_at");
  assert.ok(!("approved_at" in full.list));
});

test("2.2: quality metrics and pipeline steps are included", () => {
  assert.equal(typeof record(full.detail["quality_metrics"])["overall_score"], "number");
  assert.ok(Array.isArray(full.detail["pipeline_steps"]) && full.detail["pipeline_steps"].length > 0);
});

test("2.3: the pagination object has total, limit and offset as integers, and nothing else", async () => {
  for (const query of ["", "?limit=1", "?offset=1", "?status=approved", "?limit=100&offset=5"]) {
    shapes.pagination((await service.list(query)).pagination, query);
  }
});

test("2.3 total: counts all matching articles, not those on the page", async () => {
  const { articles, pagination } = await service.list("?limit=1");
  assert.equal(articles.length, 1);
  const everything = await service.list("?limit=100");
  assert.equal(pagination["total"], everything.articles.length);
});

test("2.3 limit and offset: are those that were applied", async () => {
  const { pagination } = await service.list("?limit=7&offset=3");
  assert.deepEqual([pagination["limit"], pagination["offset"]], [7, 3]);
});
