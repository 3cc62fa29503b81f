import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseArticleJson, requireComplete } from "./article-json.ts";
import { asUuid } from "./article.ts";
import { AppError } from "../system/errors.ts";

const ID = "0190b5a2-7c11-7d7e-8f00-3a5f5a1c2b3d";

function refusal(read: () => unknown): { field: string | undefined; message: string } {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "invalid");
    return { field: error.field, message: error.message };
  }
  throw new Error("it was accepted");
}

describe("the JSON article", () => {
  test("every field arrives under its own name", () => {
    const input = parseArticleJson({
      id: ID.toUpperCase(),
      title: " A title ",
      content: "<p>Text</p>",
      markdown: "Text",
      slug: "a-title",
      excerpt: "Short.",
      status: "published",
      seo_keywords: ["one", " two ", "one", ""],
      meta_description: "Meta.",
      target_keyword: "one",
      featured_image_url: "https://example.org/a.png",
      featured_image_alt: "An image",
      categories: "News, Views",
      tags: [],
      internal_links: [{ text: "Other", url: "/other" }],
      created_at: "2026-01-01",
      updated_at: "2026-01-02T00:00:00Z",
      approved_at: "2026-01-03T00:00:00.000Z",
      published_at: "2026-01-04T01:00:00+01:00",
      publish_at: null,
      platform_url: "https://example.org/a-title",
      platform_post_id: "17",
      quality_metrics: { score: 90 },
      pipeline_steps: [{ name: "research", status: "completed" }],
      user_id: "someone",
    });
    assert.deepEqual(input, {
      id: ID,
      title: "A title",
      content: "<p>Text</p>",
      markdown: "Text",
      slug: "a-title",
      excerpt: "Short.",
      status: "published",
      seoKeywords: ["one", "two"],
      metaDescription: "Meta.",
      targetKeyword: "one",
      featuredImageUrl: "https://example.org/a.png",
      featuredImageAlt: "An image",
      categories: ["News", "Views"],
      tags: [],
      internalLinks: [{ text: "Other", url: "/other" }],
      createdAt: Date.UTC(2026, 0, 1),
      updatedAt: Date.UTC(2026, 0, 2),
      approvedAt: Date.UTC(2026, 0, 3),
      publishedAt: Date.UTC(2026, 0, 4),
      publishAt: null,
      platformUrl: "https://example.org/a-title",
      platformPostId: "17",
      reportedMetrics: { score: 90 },
      pipelineSteps: [
        {
          name: "research",
          status: "completed",
          started_at: null,
          completed_at: null,
          duration_ms: null,
          actor: null,
          error: null,
          metadata: {},
        },
      ],
      userId: "someone",
    });
  });

  test("absent keys change nothing, null clears what can be cleared, derived and unknown keys are ignored", () => {
    assert.deepEqual(parseArticleJson({ word_count: 12, reading_time: "x", success: true, something: {} }), {});
    assert.deepEqual(parseArticleJson({ excerpt: null, tags: null, published_at: null, slug: "  " }), {
      excerpt: null,
      tags: [],
      publishedAt: null,
      slug: null,
    });
    assert.deepEqual(parseArticleJson({ id: null, content: null, markdown: null, created_at: null, status: null }), {});
  });

  test("a wrong type or value is refused with the name of the field", () => {
    const cases: [Record<string, unknown>, string, RegExp][] = [
      [{ id: "17" }, "id", /UUID/],
      [{ title: 12 }, "title", /text, not a number/],
      [{ title: " " }, "title", /empty/],
      [{ title: "x".repeat(1001) }, "title", /1,000 characters/],
      [{ content: { rendered: "" } }, "content", /not an object/],
      [{ content: "é".repeat(6 * 1024 * 1024) }, "content", /10 MB/],
      [{ status: "draft" }, "status", /published, approved, pending/],
      [{ created_at: "yesterday" }, "created_at", /ISO 8601/],
      [{ published_at: 1700000000 }, "published_at", /ISO 8601/],
      [{ platform_url: "/a" }, "platform_url", /absolute/],
      [{ featured_image_url: "javascript:alert(1)" }, "featured_image_url", /absolute/],
      [{ tags: [1] }, "tags", /not a number/],
      [{ categories: {} }, "categories", /list of texts/],
      [{ excerpt: "a\0b" }, "excerpt", /NUL/],
      [{ internal_links: [{ text: "x", url: "javascript:alert(1)" }] }, "internal_links", /site-relative/],
      [{ quality_metrics: "good" }, "quality_metrics", /JSON object/],
      [{ quality_metrics: { a: "\0" } }, "quality_metrics", /NUL/],
      [{ pipeline_steps: [{}] }, "pipeline_steps", /name/],
      [{ pipeline_steps: [{ name: "x", status: "great" }] }, "pipeline_steps", /status of pending/],
      [{ pipeline_steps: [{ name: "x", duration_ms: -1 }] }, "pipeline_steps", /duration_ms/],
    ];
    for (const [value, field, message] of cases) {
      const refused = refusal(() => parseArticleJson(value));
      assert.equal(refused.field, field);
      assert.match(refused.message, message);
    }
    assert.match(refusal(() => parseArticleJson([])).message, /JSON object, not a list/);
    assert.match(refusal(() => parseArticleJson(null)).message, /not null/);
  });

  test("metrics that are nested too deep are refused, and cause no crash", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    assert.equal(refusal(() => parseArticleJson({ quality_metrics: deep })).field, "quality_metrics");
  });

  test("titles, labels and names turn no text around; a text may", () => {
    const read = parseArticleJson({
      title: "Tea \u202Egnp.exe\u202C",
      meta_title: "\u202E",
      excerpt: "a\u202Db",
      tags: ["\u202Exet", "xet"],
      authors: ["\u202EadA"],
      markdown: "a\u202Eb",
    });
    assert.deepEqual(read, {
      title: "Tea gnp.exe",
      metaTitle: null,
      excerpt: "ab",
      tags: ["xet"],
      authors: [{ name: "adA", url: null }],
      markdown: "a\u202Eb",
    });
    assert.equal(parseArticleJson({ title: "\u2067אב \u2066C++\u2069\u2069" }).title, "\u2067אב \u2066C++\u2069\u2069");
  });

  test("a lone surrogate is made into a character that can be stored", () => {
    assert.equal(parseArticleJson({ title: "a\ud800b" }).title, "a\ufffdb");
  });

  test("our own metrics, as the API sends them, do not become reported ones", () => {
    const ours = { overall_score: 80, engine_version: "1", evaluated_at: "2026-01-01T00:00:00.000Z" };
    assert.deepEqual(parseArticleJson({ quality_metrics: ours }), {});
    assert.deepEqual(parseArticleJson({ quality_metrics: { ...ours, reported: { a: 1 } } }).reportedMetrics, { a: 1 });
  });

  test("a step keeps fields beyond our schema, and is unchanged by its own export and import", () => {
    const given = [
      { name: "draft", model: "x", error: "too slow", status: "failed", started_at: "2026-01-01", duration_ms: 1.4 },
    ];
    const once = parseArticleJson({ pipeline_steps: given }).pipelineSteps;
    assert.deepEqual(once?.[0]?.metadata, { model: "x" });
    assert.deepEqual(once?.[0]?.error, { code: "failed", message: "too slow" });
    assert.equal(once?.[0]?.started_at, "2026-01-01T00:00:00.000Z");
    assert.deepEqual(parseArticleJson({ pipeline_steps: once }).pipelineSteps, once);
  });

  test("only an article with a title and a content is complete", () => {
    assert.equal(requireComplete({ title: "T", markdown: "x" }).title, "T");
    assert.deepEqual(
      refusal(() => requireComplete({ content: "x" })),
      { field: "title", message: "The article has no title." },
    );
    assert.equal(refusal(() => requireComplete({ title: "T", content: " " })).field, "content");
    assert.match(refusal(() => requireComplete({})).message, /no title and no content/);
  });
});

test("a UUID is one of any version, in lower case", () => {
  assert.equal(asUuid(` ${ID.toUpperCase()}`), ID);
  assert.equal(asUuid("11111111-1111-1111-1111-111111111111"), "11111111-1111-1111-1111-111111111111");
  assert.equal(asUuid("not-a-uuid"), null);
  assert.equal(asUuid(12), null);
});

test("a label that an article has in another case or composition is no second one; aliases keep their case", () => {
  const news = ["News", "news", " NEWS ", "caf\u00e9", "cafe\u0301", "Other"];
  for (const field of ["tags", "categories", "seo_keywords"]) {
    const [labels] = Object.values(parseArticleJson({ [field]: news }));
    assert.deepEqual(labels, ["News", "caf\u00e9", "Other"]);
  }
  assert.deepEqual(parseArticleJson({ tags: "Tea, tea" }).tags, ["Tea"]);
  assert.deepEqual(parseArticleJson({ aliases: ["/News", "/news"] }).aliases, ["/News", "/news"]);
});

test("an alias is the address of a page: no line breaks, placeholders or other schemes", () => {
  assert.deepEqual(aliasesOf("HTTPS://old.example/a/?b=1"), ["/a"]);
  for (const alias of [
    "/a\r\nb",
    "/a%0d%0ab",
    "/*",
    "/a*",
    "/:splat",
    "/a/:b",
    ":a",
    "javascript:alert(1)",
    "data:,a",
    "/a\u2028",
    "/(.+)",
    "/../../a",
    "/a/%2e%2e/",
    "/[a-z]",
    "/a|b",
  ]) {
    assert.throws(() => aliasesOf(`${alias}x`), /addresses of pages/, alias);
  }
});

function aliasesOf(alias: string): string[] | undefined {
  return parseArticleJson({ aliases: [alias] }).aliases;
}
