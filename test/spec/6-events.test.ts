/** Section 6: the events of a change. Envelopes and data come from the event feed, which are those of the webhooks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, fullArticle, makeArticle } from "../helpers/articles.ts";
import { type Json, record } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let id: string;
let events: Json[];

before(async () => {
  service = await startTestService();
  const { app, website } = service;
  id = (await createArticle(app, website.id, fullArticle({ status: "published" }), CHIEF)).article.id;
  await updateArticle(app, id, { title: "A new title", tags: ["new"] }, CHIEF);
  await deleteArticle(app, id, CHIEF);
  const bare = await createArticle(app, website.id, makeArticle({ status: "published" }), CHIEF);
  await updateArticle(app, bare.article.id, { content: "<p>Other text.</p>" }, CHIEF);
  ({ events } = await service.events());
});
after(() => service[Symbol.asyncDispose]());

function only(kind: string): Json[] {
  return events.filter((one) => one["event"] === kind);
}

test("6.1 article.published: is created when a new article is published, and not when it is only stored or approved", async () => {
  const sequence = await service.lastSequence();
  await createArticle(service.app, service.website.id, makeArticle(), CHIEF);
  await createArticle(service.app, service.website.id, makeArticle({ status: "approved" }), CHIEF);
  assert.deepEqual(await service.eventsAfter(sequence), []);
  await createArticle(service.app, service.website.id, makeArticle({ status: "published" }), CHIEF);
  assert.deepEqual(
    (await service.eventsAfter(sequence)).map(({ event }) => event),
    ["article.published"],
  );
});

test("6.1 article.updated: is created when a published article is modified, and not when another one is", async () => {
  const sequence = await service.lastSequence();
  const { article } = await createArticle(service.app, service.website.id, makeArticle({ status: "approved" }), CHIEF);
  await updateArticle(service.app, article.id, { title: "Changed" }, CHIEF);
  assert.deepEqual(await service.eventsAfter(sequence), []);
  assert.equal(only("article.updated").length, 2);
});

test("6.1 article.deleted: is created when an article is deleted", () => {
  assert.deepEqual(
    only("article.deleted").map((one) => record(one["data"])["article_id"]),
    [id],
  );
});

test("6.3: the envelope has event, timestamp, website_id and data", () => {
  for (const { id: eventId, sequence, ...rest } of events) {
    shapes.envelope(rest, `event ${String(sequence)}`);
    shapes.string(eventId, "id");
    shapes.integer(sequence, "sequence");
    assert.equal(rest["website_id"], service.website.id);
  }
});

test("6.3: what is stored for sending is the envelope and nothing else", async () => {
  const stored = await service.app.store.read((db) => db.all("SELECT payload FROM events"));
  assert.ok(stored.length > 0);
  for (const { payload } of stored) shapes.envelope(JSON.parse(payload), payload);
});

test("6.4: article.published has every field of the table, with its type, and no other", () => {
  const published = only("article.published");
  assert.equal(published.length, 2);
  for (const one of published) shapes.publishedData(one["data"], "data");
});

test("6.4: each field has the article's own value", () => {
  const data = record(only("article.published")[0]?.["data"]);
  const { content, title: _title, slug: _slug, published_at: _at, created_at: _made, ...rest } = data;
  assert.deepEqual(rest, {
    article_id: id,
    api_url: `/api/public/articles/${id}`,
    meta_description: "How soft water changes tea.",
    seo_keywords: ["tea", "water"],
    target_keyword: "soft water",
    categories: ["Guides"],
    tags: ["water", "kettle"],
    featured_image_url: "https://img.example.com/kettle.jpg",
    featured_image_alt: "A kettle on a stove",
    status: "published",
    user_id: "chief",
  });
  assert.equal(record(content)["html"], fullArticle().content);
  assert.match(String(record(content)["markdown"]), /## Water\n\nSoft water makes \*\*better\*\* tea/);
  assert.match(String(record(content)["text"]), /^Water\n\nSoft water makes better tea/);
});

test("6.4 api_url: is the path of the detail endpoint, and the article is there", async () => {
  const data = record(only("article.published")[1]?.["data"]);
  assert.equal(data["api_url"], `${LIST}/${String(data["article_id"])}`);
  assert.equal((await service.get(data["api_url"])).status, 200);
});

test("6.5: article.updated has updated_at and updated_fields in place of published_at, and otherwise the same fields", () => {
  for (const one of only("article.updated")) shapes.updatedData(one["data"], "data");
});

test("6.5 updated_fields: has the names of the fields that changed, and no others", () => {
  assert.deepEqual(
    only("article.updated").map((one) => record(one["data"])["updated_fields"]),
    [["title", "tags"], ["content"]],
  );
});

test("6.6: article.deleted has article_id, deleted_at and api_url, and no content or metadata", () => {
  const data = record(only("article.deleted")[0]?.["data"]);
  shapes.deletedData(data, "data");
  assert.equal(data["api_url"], `/api/public/articles/${id}`);
});
