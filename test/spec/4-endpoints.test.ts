/** Section 4: the two endpoints, their parameters, their answers and their rules. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle, oneOfEach } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { createArticle, getArticle } from "../../src/operations/articles/write/articles.ts";
import type { FullArticle } from "../../src/domain/articles/article.ts";

let service: TestService;
let made: Record<"published" | "approved" | "pending", FullArticle>;

before(async () => {
  service = await startTestService();
  made = await oneOfEach(service.app, service.website.id);
  for (let count = 0; count < 120; count++) {
    const input = makeArticle({ status: "published", createdAt: count, publishedAt: count });
    await createArticle(service.app, service.website.id, input, CHIEF);
  }
});
after(() => service[Symbol.asyncDispose]());

describe("4.1 GET /api/public/articles", () => {
  test("4.1: the response is 200 with success, data.articles in list form and data.pagination, and nothing else", async () => {
    const { reply, body } = await service.list();
    assert.equal(reply.status, 200);
    shapes.shape({
      success: shapes.oneOf(true),
      data: shapes.shape({ articles: shapes.list(shapes.listForm), pagination: shapes.pagination }),
    })(body, "the list");
  });

  test("4.1 limit: is 50 by default", async () => {
    const { articles, pagination } = await service.list();
    assert.equal(articles.length, 50);
    assert.equal(pagination["limit"], 50);
  });

  test("4.1 limit: is the maximum number of articles on the page", async () => {
    for (const limit of [1, 2, 49, 99, 100]) {
      assert.equal((await service.list(`?limit=${limit}`)).articles.length, limit);
    }
  });

  test("4.1 limit: is at most 100", async () => {
    const { articles } = await service.list("?limit=101");
    assert.equal(articles.length, 100);
  });

  test("4.1 offset: is 0 by default, and skips that many articles", async () => {
    const all = (await service.list("?limit=100")).articles;
    assert.equal((await service.list()).pagination["offset"], 0);
    const page = await service.list("?limit=5&offset=10");
    assert.deepEqual(page.articles, all.slice(10, 15));
  });

  for (const status of ["published", "approved", "pending"] as const) {
    test(`4.1 status: ${status} is allowed and filters`, async () => {
      const { articles } = await service.list(`?status=${status}`);
      assert.ok(articles.length > 0 && articles.every((one) => one["status"] === status));
    });
  }

  test("4.1 status: any other value is refused", async () => {
    for (const status of ["draft", "Published", "all", "", "published,approved"]) {
      assert.equal((await service.get(`${LIST}?status=${status}`)).status, 400, status);
    }
  });

  test("4.1 debug: is false by default, and then there is no debug information", async () => {
    for (const query of ["", "?debug=false"]) assert.ok(!("debug" in (await service.list(query)).body), query);
  });

  test("4.1 debug: when true, debug information is added to the same data", async () => {
    const plain = await service.list("?limit=3");
    const debugged = await service.list("?limit=3&debug=true");
    assert.deepEqual(debugged.body["data"], plain.body["data"]);
    assert.equal(typeof debugged.body["debug"], "object");
  });

  test("4.1 rule 1: the list form omits content", async () => {
    const { articles, reply } = await service.list("?limit=100");
    assert.ok(articles.every((one) => !("content" in one)));
    assert.ok(!reply.text.includes("<p>"));
  });

  test("4.1 rule 2: excerpt is the first ~160 characters of the article's text", async () => {
    const { articles } = await service.list("?limit=100");
    for (const one of articles) {
      const { body } = await getArticle(service.app, String(one["id"]));
      assert.equal(one["excerpt"], body.text);
    }
  });

  test("4.1 rule 3: without status only published articles are returned", async () => {
    const { articles, pagination } = await service.list("?limit=100");
    assert.ok(articles.every((one) => one["status"] === "published"));
    assert.equal(pagination["total"], 121);
  });

  test("4.1 rule 4: the debug information is an object", async () => {
    record((await service.list("?debug=true")).body["debug"]);
  });
});

describe("4.2 GET /api/public/articles/:id", () => {
  test("4.2: the response is 200 with success and data.article in detail form, and nothing else", async () => {
    const reply = await service.get(`${LIST}/${made.published.article.id}`);
    assert.equal(reply.status, 200);
    shapes.shape({ success: shapes.oneOf(true), data: shapes.shape({ article: shapes.detailForm }) })(
      reply.json(),
      "the detail",
    );
  });

  test("4.2 id: the article with that id is returned, for each id of the list", async () => {
    for (const { id, title } of (await service.list("?limit=5")).articles) {
      const article = await service.detail(String(id));
      assert.deepEqual([article["id"], article["title"]], [id, title]);
    }
  });

  test("4.2 rule 1: an article that does not exist is 404", async () => {
    assert.equal((await service.get(`${LIST}/00000000-0000-4000-8000-000000000000`)).status, 404);
  });

  test("4.2 rule 2: an article that exists but is not yet approved or published is 403", async () => {
    assert.equal((await service.get(`${LIST}/${made.pending.article.id}`)).status, 403);
    assert.equal((await service.get(`${LIST}/${made.approved.article.id}`)).status, 200);
    assert.equal((await service.get(`${LIST}/${made.published.article.id}`)).status, 200);
  });

  test("4.2 rule 3: the detail form adds content, internal_links, approved_at, quality metrics and pipeline steps", async () => {
    const list = (await service.list("?limit=1")).articles[0] ?? {};
    const detail = await service.detail(String(list["id"]));
    const added = Object.keys(detail).filter((name) => !(name in list));
    assert.deepEqual(added.toSorted(), [
      "approved_at",
      "content",
      "internal_links",
      "pipeline_steps",
      "quality_metrics",
    ]);
  });
});
