import assert from "node:assert/strict";
import { test } from "node:test";
import { Keyword } from "./keywords.ts";
import { slugify } from "../slug.ts";

for (const [keyword, text, count] of [
  ["garbage collection", "Garbage Collection, garbage-collection and collection of garbage", 2],
  ["café", "Cafe CAFÉ cafés", 2],
  ["東京", "東京タワーは東京にある。京都", 2],
  ["東京タワー", "東京タワーは東京にある", 1],
  ["茶", "お茶と茶道", 2],
  ["a a", "a a a a a", 2],
  ["", "anything", 0],
  ["🎉", "🎉", 0],
] as const)
  test(`“${keyword}” is ${count} times in “${text}”`, () => {
    assert.equal(new Keyword(keyword).count(text), count);
  });

test("a keyword is found in a slug in its own script and in ASCII", () => {
  assert.ok(new Keyword("Grüner Tee").isInSlug("gruener-tee-kochen", slugify));
  assert.ok(new Keyword("東京").isInSlug("東京-ガイド", slugify));
  assert.ok(!new Keyword("tea").isInSlug("teapots", slugify));
  assert.ok(!new Keyword("🎉").isInSlug("article", slugify));
});
