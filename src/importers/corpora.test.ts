import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { ArticleInput } from "../domain/articles/article.ts";
import { at, importAll } from "./import-test-helpers.ts";
import type { ImportItem } from "../operations/articles/import/import-items.ts";

/** Real articles by other authors; they are stored beside the repository, if present. */
const CORPORA = join(import.meta.dirname, "../../../shared/corpora");
const skip = existsSync(CORPORA) ? false : "the corpora of real articles are not beside this repository";

async function read(folder: string): Promise<ImportItem[]> {
  return await importAll(join(CORPORA, folder), { websiteUrl: null, clock: () => at("2027-01-01") });
}

function counts(items: ImportItem[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { kind } of items) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}

function draft(items: ImportItem[], source: string): ArticleInput {
  const item = items.find((one) => one.source === source);
  assert.ok(item?.kind === "draft", source);
  return item.input;
}

function refs(items: ImportItem[]): string[] {
  return items.flatMap((item) => (item.kind === "draft" ? [item.ref] : []));
}

describe("real articles", { skip }, () => {
  test("of the Rust blog are all imported, published on the day in their path", async () => {
    const items = await read("rust-blog");
    assert.deepEqual(counts(items), { draft: 732, skipped: 6 });
    assert.equal(new Set(refs(items)).size, 732);
    const release = draft(items, "Rust-1.88.0.md");
    assert.equal(release.title, "Announcing Rust 1.88.0");
    assert.equal(release.slug, "Rust-1.88.0");
    assert.deepEqual([release.status, release.publishedAt], ["published", at("2025-06-26")]);
    assert.ok(release.markdown?.startsWith("The Rust team is happy to announce"));
    assert.equal(draft(items, "GATs-stabilization-push/index.md").slug, "GATs-stabilization-push");
    assert.ok(draft(items, "Security-advisory.md").title);
    assert.ok(items.every((item) => item.kind !== "draft" || item.input.status === "published"));
  });

  test("of the V8 blog are all imported with their tags, description and time", async () => {
    const items = await read("v8-blog");
    assert.deepEqual(counts(items), { draft: 154, skipped: 1 });
    const calls = draft(items, "adaptor-frame.md");
    assert.equal(calls.title, "Faster JavaScript calls");
    assert.deepEqual([calls.tags, calls.publishedAt], [["internals"], at("2021-02-15")]);
    assert.equal(calls.excerpt, "Faster JavaScript calls by removing the arguments adaptor frame");
    assert.equal(calls.metaDescription, calls.excerpt);
    assert.equal(draft(items, "10-years.md").publishedAt, at("2018-09-11T19:00:00Z"));
    assert.equal(draft(items, "code-caching-for-devs.md").updatedAt, at("2020-06-16"));
  });

  test("of the exports are all imported, and other items are named with the reason", async () => {
    const items = await read("exports");
    assert.deepEqual(counts(items), { draft: 63, skipped: 29, failed: 3 });
    // Two posts are in two exports of one site, which know each other's pictures.
    assert.equal(new Set(refs(items)).size, 63);
    assert.deepEqual(refs(await read("exports")), refs(items));
    for (const item of items) {
      if (item.kind === "failed") assert.match(item.reason, /The article has no content/);
      if (item.kind === "failed") assert.match(item.source, /^wp-api__dated-posts\.json, post \d$/);
    }
    const image = draft(items, "wp-xml__sample-with-alt.xml, item 1 (Post with Featured Image Alt Text)");
    assert.equal(image.featuredImageAlt, "Sunset over mountains with orange and pink sky");
    assert.equal(image.slug, "post-with-featured-image-alt");
    const squarespace = draft(items, "squarespace-xml__sample.xml, item 1 (Draft & Post & More—More)");
    assert.equal(squarespace.status, "pending");
    assert.equal(draft(items, "squarespace-xml__sample.xml, item 6").title, "My dated post");
    const medium = draft(items, "medium-export__export__posts__advanced-post.html");
    assert.deepEqual([medium.slug, medium.tags], ["testpost", ["Things", "Stuff"]]);
    assert.equal(draft(items, "ghost-api__posts.json").id, "3a033ce7-9e2d-4b3b-a9ef-76887efacc7f");
    const lexical = draft(items, "assetscraper-db__ghost.json, post 3");
    assert.match(lexical.content ?? "", /^<img src="https:\/\/example\.com\/images\/lexical-image\.jpg"/);
    const rest = draft(items, "wp-api__single-post-with-html-in-title.json");
    assert.equal(rest.title?.includes("<"), false);
  });
});
