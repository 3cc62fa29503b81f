import assert from "node:assert/strict";
import { test } from "node:test";
import { fillPreviewUrl, patternUrl } from "./website.ts";

test("an article's address has its date, language, slug or id; without what it needs there is none", () => {
  const article = { id: "7", slug: "tea time", language: "de", publishedAt: Date.UTC(2024, 0, 2, 23, 59) };
  const read = (urlPattern: string, more: object = {}) =>
    patternUrl({ urlPattern, language: null }, { ...article, ...more });
  assert.equal(read("https://e.example/{year}/{month}/{day}/{slug}"), "https://e.example/2024/01/02/tea%20time");
  assert.equal(read("https://e.example/{lang}/{year}/{id}"), "https://e.example/de/2024/7");
  assert.equal(read("https://e.example/{lang}/{id}", { language: null }), null);
  for (const publishedAt of [null, undefined]) {
    assert.equal(read("https://e.example/{year}/{slug}", { publishedAt }), null);
    assert.equal(read("https://e.example/{slug}", { publishedAt }), "https://e.example/tea%20time");
  }
  const preview = "https://e.example/{year}{slug}?t={token}";
  assert.equal(
    fillPreviewUrl(preview, { language: null }, { ...article, publishedAt: null }, "x"),
    "https://e.example/tea%20time?t=x",
  );
});
