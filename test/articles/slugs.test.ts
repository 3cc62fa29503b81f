/** docs/specification.md, section 2: slugs, addresses, absent values, HTML. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

async function newArticle(input: ArticleInput, websiteId = service.website.id) {
  return (await articles.createArticle(service.app, websiteId, makeArticle(input), CHIEF)).article;
}

describe("slugs", () => {
  test("a slug is derived from the title; a taken one gets -2, -3, … in order", async () => {
    const slugs = [];
    for (let count = 0; count < 12; count++) slugs.push((await newArticle({ title: "Soft Water" })).slug);
    assert.deepEqual(slugs, ["soft-water", ...Array.from({ length: 11 }, (_none, index) => `soft-water-${index + 2}`)]);
  });

  test("articles that are made at the same time get slugs of their own", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => newArticle({ title: "At once" })));
    assert.equal(new Set(made.map(({ slug }) => slug)).size, 20);
  });

  test("a slug is unique within its website only", async () => {
    const other = await service.newWebsite();
    await newArticle({ slug: "shared" });
    assert.equal((await newArticle({ slug: "shared" }, other.id)).slug, "shared");
  });

  test("the slug of an article in the trash can be used again", async () => {
    const gone = await newArticle({ slug: "freed" });
    await articles.deleteArticle(service.app, gone.id, CHIEF);
    assert.equal((await newArticle({ slug: "freed" })).slug, "freed");
  });

  test("an edit to a taken slug gets the next free one, and an edit to the article's own slug changes nothing", async () => {
    await newArticle({ slug: "taken" });
    const { id } = await newArticle({ slug: "mine" });
    const edit = (slug: string | null) => articles.updateArticle(service.app, id, { slug }, CHIEF);
    assert.equal((await edit("taken")).article.slug, "taken-2");
    assert.equal((await edit("taken-2")).article.slug, "taken-2");
    assert.equal((await edit("taken")).article.slug, "taken-2");
  });

  test("titles in other scripts have slugs, and so has a title without letters", async () => {
    for (const title of ["東京のお茶", "Привет мир", "café — ¡olé!", "!!!", "🍵", "..", "\u202e"]) {
      const { slug } = await newArticle({ title });
      assert.match(slug, /^[\p{L}\p{M}\p{N}._~-]+$/u, title);
      assert.ok((await service.list(`?status=pending&slug=${encodeURIComponent(slug)}`)).articles.length === 1, title);
    }
  });
});

describe("platform_url", () => {
  const urlPattern = "https://example.com/blog/{slug}?id={id}";
  const make = async (input: ArticleInput) => {
    const website = await service.newWebsite({ urlPattern });
    return newArticle(input, website.id);
  };

  test("is null until publication, and then follows the website's pattern", async () => {
    const { id, platformUrl } = await make({ slug: "water", status: "approved" });
    assert.equal(platformUrl, null);
    const { article } = await articles.publishArticle(service.app, id, CHIEF);
    assert.equal(article.platformUrl, `https://example.com/blog/water?id=${id}`);
  });

  test("follows the slug", async () => {
    const { id } = await make({ slug: "water", status: "published" });
    const { article } = await articles.updateArticle(service.app, id, { slug: "tea" }, CHIEF);
    assert.equal(article.platformUrl, `https://example.com/blog/tea?id=${id}`);
  });

  test("is kept when the slug changes if it was set explicitly", async () => {
    const { id, platformUrl } = await make({ status: "published", platformUrl: "https://example.com/own" });
    assert.equal(platformUrl, "https://example.com/own");
    const { article } = await articles.updateArticle(service.app, id, { slug: "tea" }, CHIEF);
    assert.equal(article.platformUrl, "https://example.com/own");
  });

  test("is null without a pattern", async () => {
    assert.equal((await newArticle({ status: "published" })).platformUrl, null);
  });

  test("percent-encodes a slug in another script", async () => {
    const { platformUrl, id } = await make({ slug: "東京", status: "published" });
    assert.equal(platformUrl, `https://example.com/blog/%E6%9D%B1%E4%BA%AC?id=${id}`);
  });
});

test("absent fields are null, or [] for lists, and their keys are always present", async () => {
  const { id } = await newArticle({ status: "published" });
  const detail = await service.detail(id);
  const absent = {
    seo_keywords: [],
    meta_description: null,
    target_keyword: null,
    featured_image_url: null,
    featured_image_alt: null,
    categories: [],
    tags: [],
    platform_url: null,
    platform_post_id: null,
    internal_links: [],
  };
  for (const [name, value] of Object.entries(absent)) assert.deepEqual(detail[name], value, name);
});

test("clearing a value makes it null again", async () => {
  const { id } = await newArticle({
    status: "published",
    metaDescription: "M",
    targetKeyword: "k",
    platformPostId: "1",
  });
  const cleared = { metaDescription: null, targetKeyword: null, platformPostId: null };
  await articles.updateArticle(service.app, id, cleared, CHIEF);
  const detail = await service.detail(id);
  assert.deepEqual(
    [detail["meta_description"], detail["target_keyword"], detail["platform_post_id"]],
    [null, null, null],
  );
});

test("HTML is sanitised when it is saved, and clean HTML is kept byte for byte", async () => {
  const clean = '<p>A &amp; B  <em class="x">c</em></p>\n<table><tbody><tr><td>1</td></tr></tbody></table>';
  const { id } = await newArticle({ status: "published", content: clean });
  assert.equal((await service.detail(id))["content"], clean);
  const dirty = '<p onclick="x()">Text<script>alert(1)</script><a href="javascript:x">a</a></p>';
  await articles.updateArticle(service.app, id, { content: dirty }, CHIEF);
  const content = String((await service.detail(id))["content"]);
  assert.doesNotMatch(content, /onclick|script/i);
  assert.match(content, /Text/);
});

test("the supplied pipeline steps come first, then our own in their order", async () => {
  const supplied = { status: "completed", started_at: null, completed_at: null, duration_ms: 1, actor: null } as const;
  const { id } = await newArticle({
    status: "published",
    pipelineSteps: [
      { ...supplied, name: "research", error: null, metadata: {} },
      { ...supplied, name: "draft", error: null, metadata: {} },
    ],
  });
  const steps = (await service.detail(id))["pipeline_steps"] as { name: string }[];
  assert.deepEqual(
    steps.map(({ name }) => name),
    ["research", "draft", "sanitize", "analyze", "approve", "publish"],
  );
  for (const step of steps) {
    assert.deepEqual(Object.keys(step).toSorted(), [
      "actor",
      "completed_at",
      "duration_ms",
      "error",
      "metadata",
      "name",
      "started_at",
      "status",
    ]);
  }
});

test("categories and tags may hold any characters, and each finds its article", async () => {
  const odd = ["a\tb", "a", "A", "c\nd", "ﬁ", "fi", 'quo"te', "per%cent", "Ünïcode", "x".repeat(400)];
  const { id } = await newArticle({ status: "published", categories: odd, tags: odd, seoKeywords: odd });
  await articles.updateArticle(service.app, id, { tags: [...odd, "more"] }, CHIEF);
  for (const label of [...odd, "more"]) {
    const { articles: found } = await service.list(`?tag=${encodeURIComponent(label)}`);
    assert.deepEqual(
      found.map((one) => one["id"]),
      [id],
      label,
    );
  }
});
