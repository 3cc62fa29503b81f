/** The client's types are those of the service: the compiler compares them, and the names are compared with openapi.json. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Type } from "typebox";
import type * as client from "../../client/src/index.ts";
import type { article, articleSelection, articleSummary } from "../../src/http/contract/article.ts";
import type { deletedEnvelope, publishedEnvelope, updatedEnvelope } from "../../tools/openapi/event.ts";
import type { articleListAnswer, eventListAnswer } from "../../tools/openapi/responses.ts";
import { record } from "../helpers/http.ts";

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

const SAME: Record<string, true> = {
  summary: true satisfies Same<client.ArticleSummary, Type.Static<typeof articleSummary>>,
  article: true satisfies Same<client.Article, Type.Static<typeof article>>,
  requested: true satisfies Same<
    client.RequestedFields,
    Required<Pick<Type.Static<typeof articleSelection>, keyof client.RequestedFields>>
  >,
  list: true satisfies Same<client.ArticlePage, Type.Static<typeof articleListAnswer>["data"]>,
  published: true satisfies Same<client.ArticlePublishedEvent, Type.Static<typeof publishedEnvelope>>,
  updated: true satisfies Same<client.ArticleUpdatedEvent, Type.Static<typeof updatedEnvelope>>,
  deleted: true satisfies Same<client.ArticleDeletedEvent, Type.Static<typeof deletedEnvelope>>,
  events: true satisfies Same<
    client.EventPage["pagination"],
    Type.Static<typeof eventListAnswer>["data"]["pagination"]
  >,
};

const SUMMARY = {
  id: 1,
  title: 1,
  excerpt: 1,
  slug: 1,
  status: 1,
  seo_keywords: 1,
  meta_description: 1,
  target_keyword: 1,
  featured_image_url: 1,
  featured_image_alt: 1,
  word_count: 1,
  reading_time: 1,
  categories: 1,
  tags: 1,
  created_at: 1,
  published_at: 1,
  platform_url: 1,
  platform_post_id: 1,
} satisfies Record<keyof client.ArticleSummary, 1>;

test("the fields of an article are those of openapi.json", () => {
  const openapi = record(JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "openapi.json"), "utf8")));
  const schemas = record(record(openapi["components"])["schemas"]);
  const { properties } = record(schemas["ArticleSummary"]);
  assert.deepEqual(Object.keys(SUMMARY).toSorted(), Object.keys(record(properties)).toSorted());
  assert.ok(Object.values(SAME).every(Boolean));
});
