import assert from "node:assert/strict";
import { test } from "node:test";
import { articleIn, importFile, reasons, titles } from "../import-test-helpers.ts";

const ID = "0190b5a2-7c11-7d7e-8f00-3a5f5a1c2b3d";
const article = { title: "One", content: "<p>x</p>" };

test("a JSON file is one article, a list, or a list under articles", async () => {
  for (const value of [article, [article], { articles: [article] }]) {
    assert.deepEqual(titles(await importFile("a.json", JSON.stringify(value))), ["One"]);
  }
  assert.deepEqual(await importFile("a.json", "[]"), []);
});

test("a broken article of a list fails by its number, and the others are imported", async () => {
  const items = await importFile(
    "a.json",
    JSON.stringify([article, { title: "Two" }, 3, { ...article, id: ID, status: "draft" }]),
  );
  assert.deepEqual(titles(items), ["One"]);
  assert.deepEqual(
    reasons(items).map((reason) => reason.replace(/: .*/, "")),
    ["failed a.json, article 2", "failed a.json, article 3", "failed a.json, article 4"],
  );
});

test("updated_at is the source's own, else the publication, else the creation", async () => {
  const [created_at, published_at, updated_at] = ["2020-01-01", "2021-01-01", "2022-01-01"];
  const list = [{ created_at, published_at, updated_at }, { created_at, published_at }, { created_at }, {}];
  const texts = list.map((times, index) => JSON.stringify({ ...article, ...times, slug: `s${index}` }));
  const items = await importFile("a.ndjson", texts.join("\n"));
  assert.deepEqual(
    items.map((item) => (item.kind === "draft" ? item.input.updatedAt : item.reason)),
    [Date.parse(updated_at), Date.parse(published_at), Date.parse(created_at), undefined],
  );
});

test("the identity is the id, else the slug, else the number on the platform, else file and title", async () => {
  const list = [
    { ...article, id: ID, slug: "s" },
    { ...article, slug: "s", platform_post_id: "7" },
    { ...article, platform_post_id: "7" },
    article,
  ];
  const items = await importFile("a.json", JSON.stringify(list));
  assert.deepEqual(
    items.map((item) => (item.kind === "draft" ? item.ref : item.reason)),
    [`json:${ID}`, "json:s", "json:7", "json:a.json:One"],
  );
});

test("a response of the API is imported without what the service computed or did itself", async () => {
  const answer = {
    success: true,
    data: {
      article: {
        ...article,
        id: ID,
        word_count: 1,
        quality_metrics: { engine_version: "1", evaluated_at: "2026-01-01T00:00:00.000Z", reported: null },
        pipeline_steps: [
          { name: "research", status: "completed" },
          { name: "sanitize", status: "completed" },
        ],
      },
    },
  };
  const input = await articleIn("a.json", JSON.stringify(answer));
  assert.deepEqual(
    input.pipelineSteps?.map((step) => step.name),
    ["research"],
  );
  assert.equal(input.reportedMetrics, null);
  const list = { success: true, data: { articles: [article], pagination: { total: 1, limit: 50, offset: 0 } } };
  assert.deepEqual(titles(await importFile("a.json", JSON.stringify(list))), ["One"]);
});

test("a text that is no JSON, or has no articles, is refused with one sentence", async () => {
  await assert.rejects(importFile("a.json", '{"title": '), {
    code: "invalid",
    message: /^a\.json: It is not valid JSON: /,
  });
  await assert.rejects(importFile("a.json", '{"name": "pkg", "version": "1"}'), {
    message: /needs a title and content/,
  });
  await assert.rejects(importFile("a.json", "42"), { code: "invalid" });
  await assert.rejects(importFile("a.json", "[".repeat(200_000)), { code: "invalid" });
  await assert.rejects(importFile("a.json", JSON.stringify(article), { format: "ghost" }), { message: /not of Ghost/ });
});
