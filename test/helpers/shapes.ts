/**
 * The tables of the specification, transcribed by hand from its text so that a mistake in the product's own schemas is not
 * repeated here. Both missing and additional fields are errors.
 */
import assert from "node:assert/strict";
import { record } from "./http.ts";

type Check = (value: unknown, at: string) => void;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const string: Check = (value, at) => assert.equal(typeof value, "string", `${at} is ${String(value)}`);
export const integer: Check = (value, at) => assert.ok(Number.isSafeInteger(value), `${at} is ${String(value)}`);
export const uuid: Check = (value, at) => assert.match(String(value), UUID, at);
export const timestamp: Check = (value, at) => {
  assert.match(String(value), TIME, at);
  assert.ok(!Number.isNaN(Date.parse(String(value))), at);
};
const url: Check = (value, at) => {
  string(value, at);
  assert.match(new URL(String(value)).protocol, /^https?:$/, at);
};
export const object: Check = (value, at) => void record(value, at);
export const list =
  (check: Check): Check =>
  (value, at) => {
    assert.ok(Array.isArray(value), `${at} is no list`);
    for (const [index, one] of value.entries()) check(one, `${at}[${index}]`);
  };
export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, at) =>
    assert.ok(values.includes(value), `${at} is ${String(value)}`);
/** docs/specification.md, 2.1: a key with no value is null, never absent. */
const orNull =
  (check: Check): Check =>
  (value, at) => {
    if (value !== null) check(value, at);
  };
export const shape =
  (fields: Record<string, Check>): Check =>
  (value, at) => {
    const found = record(value, at);
    assert.deepEqual(Object.keys(found).toSorted(), Object.keys(fields).toSorted(), `the fields of ${at}`);
    for (const [name, check] of Object.entries(fields)) check(found[name], `${at}.${name}`);
  };

/** Section 2.1. Fields of an article that may be unknown are nullable. */
const LIST_TABLE: Record<string, Check> = {
  id: uuid,
  title: string,
  excerpt: string,
  slug: string,
  status: oneOf("published", "approved", "pending"),
  seo_keywords: list(string),
  meta_description: orNull(string),
  target_keyword: orNull(string),
  featured_image_url: orNull(url),
  featured_image_alt: orNull(string),
  word_count: integer,
  reading_time: integer,
  categories: list(string),
  tags: list(string),
  created_at: timestamp,
  published_at: orNull(timestamp),
  platform_url: orNull(url),
  platform_post_id: orNull(string),
};
export const listForm = shape(LIST_TABLE);

/** docs/specification.md, 2.2; docs/api.md for quality metrics and pipeline steps. */
const DETAIL_TABLE: Record<string, Check> = {
  ...LIST_TABLE,
  content: string,
  internal_links: list(shape({ text: string, url: string })),
  approved_at: orNull(timestamp),
  quality_metrics: object,
  pipeline_steps: list(object),
};
export const detailForm = shape(DETAIL_TABLE);

/** Section 2.3. */
export const pagination = shape({ total: integer, limit: integer, offset: integer });

/** Section 6.4 without `published_at`, which section 6.5 replaces. */
const EVENT_TABLE: Record<string, Check> = {
  article_id: uuid,
  title: string,
  slug: string,
  api_url: string,
  content: shape({ html: string, markdown: string, text: string }),
  meta_description: orNull(string),
  seo_keywords: list(string),
  target_keyword: orNull(string),
  categories: list(string),
  tags: list(string),
  featured_image_url: orNull(url),
  featured_image_alt: orNull(string),
  status: oneOf("published", "approved", "pending"),
  created_at: timestamp,
  user_id: string,
};
export const publishedData = shape({ ...EVENT_TABLE, published_at: timestamp });
export const updatedData = shape({ ...EVENT_TABLE, updated_at: timestamp, updated_fields: list(string) });
export const deletedData = shape({ article_id: uuid, deleted_at: timestamp, api_url: string });

/** Section 6.3. */
export const envelope = shape({
  event: oneOf("article.published", "article.updated", "article.deleted"),
  timestamp,
  website_id: uuid,
  data: object,
});
