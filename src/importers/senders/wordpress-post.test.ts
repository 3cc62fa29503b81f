import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";
import { readWordPressArrival } from "./wordpress-post.ts";

const REQUEST: ArrivalRequest = {
  method: "POST",
  path: "/wp-json/wp/v2/posts/7",
  query: {},
  headers: { "content-type": "application/json" },
};

function read(body: unknown, request: Partial<ArrivalRequest> = {}) {
  const understood = readWordPressArrival({
    request: { ...REQUEST, ...request },
    body: typeof body === "string" ? body : JSON.stringify(body),
    mapping: {},
    websiteUrl: "https://example.com",
  });
  assert.equal(understood?.articles.length, 1);
  const [article] = understood.articles;
  assert.ok(article);
  assert.equal(article.externalId, "7");
  return { kind: understood.kind, ...article };
}

test("only what is sent is changed", () => {
  assert.deepEqual(read({ title: "Tea" }).input, { title: "Tea" });
  assert.deepEqual(read({ excerpt: "", slug: "green-tea" }).input, { excerpt: null, slug: "green-tea" });
  assert.deepEqual(read({}).numbers, {});
});

test("texts as such, as raw, or as rendered; entities and markup in a title", () => {
  const raw = read({
    title: { raw: "Tea &amp; <em>toast</em>" },
    content: { raw: "<p>Hot.</p>" },
    excerpt: { rendered: "<p>Hot.</p>" },
  });
  assert.deepEqual(raw.input, { title: "Tea & toast", content: "<p>Hot.</p>", excerpt: "Hot." });
  assert.deepEqual(raw.places, { title: "title", content: "content", excerpt: "excerpt" });
});

test("paragraphs without marks, shortcodes, Markdown, and a heading that repeats the title", () => {
  assert.equal(
    read({ content: "One <b>bold</b>.\n\nTwo." }).input.content?.trim(),
    "<p>One <b>bold</b>.</p>\n<p>Two.</p>",
  );
  assert.equal(read({ content: "## Two\n\nText" }).input.markdown, "## Two\n\nText");
  const repeated = read({ title: "Tea", content: "<h1>Tea</h1><p>Hot.</p>" });
  assert.equal(repeated.input.content, "<p>Hot.</p>");
  assert.match(read({ content: "<h1>Tea</h1><p>Hot.</p>" }).input.content ?? "", /<h1>Tea<\/h1>/);
});

test("what asks for publication, and what does not", () => {
  const date = "2026-01-02T03:04:05";
  for (const status of ["publish", "future", "pending"]) assert.equal(read({ status }).input.status, "published");
  for (const status of ["draft", "private", "auto-draft", 1, null])
    assert.equal(read({ status }).input.status, undefined);
  assert.equal(read({ status: "publish", password: "secret" }).input.status, undefined);
  assert.equal(read({ status: "publish", date }).input.publishedAt, Date.UTC(2026, 0, 2, 3, 4, 5));
  assert.equal(
    read({ status: "publish", date, date_gmt: "2026-01-02T01:04:05" }).input.publishedAt,
    Date.UTC(2026, 0, 2, 1, 4, 5),
  );
  assert.equal(read({ status: "draft", date }).input.publishedAt, undefined);
});

test("terms and the picture by numbers, as texts, in one text, or by name", () => {
  const numbered = read({ categories: [3, "4"], tags: "5, 6", featured_media: "7" });
  assert.deepEqual(numbered.numbers, { categories: [3, 4], tags: [5, 6], featuredMedia: 7 });
  assert.deepEqual(numbered.input, {});
  const named = read({ tags: ["Tea", 5, { id: 9 }], featured_media: 0 });
  assert.deepEqual(named.numbers, { tags: [5], featuredMedia: null });
  assert.deepEqual(named.input.tags, ["Tea"]);
  assert.deepEqual(read({ tags: [] }).input.tags, []);
});

test("fields of SEO plugins, under meta or beside it, but no patterns of theirs", () => {
  const { input } = read({
    meta: { rank_math_title: "Tea for two", _yoast_wpseo_title: "%%title%%", rank_math_focus_keyword: "tea, toast" },
    _yoast_wpseo_metadesc: "All of it.",
  });
  assert.deepEqual(input, {
    metaTitle: "Tea for two",
    metaDescription: "All of it.",
    targetKeyword: "tea",
    seoKeywords: ["toast"],
  });
});

test("a form, a query, a deletion, and requests on something else", () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const form = read("title=Tea&tags[]=1&tags[]=2&meta[rank_math_title]=T", { headers });
  assert.deepEqual([form.input, form.numbers], [{ title: "Tea", metaTitle: "T" }, { tags: [1, 2] }]);
  assert.equal(read("", { query: { title: "By query" } }).input.title, "By query");
  assert.equal(read("", { method: "DELETE" }).kind, "removal");
  for (const path of ["", "/wp-json/wp/v2/posts", "/wp-json/wp/v2/posts/7/revisions", "/wp-json/other/v1/posts/7"]) {
    const understood = readWordPressArrival({
      request: { ...REQUEST, path },
      body: "{}",
      mapping: {},
      websiteUrl: null,
    });
    assert.equal(understood, null);
  }
});

test("what cannot be read says why, and a field of another type does no harm", () => {
  assert.match(read("{").problem ?? "", /neither valid JSON nor a form/);
  assert.match(read(`{"title":${"[".repeat(70)}${"]".repeat(70)}}`).problem ?? "", /nested/);
  assert.match(read('{"__proto__": {"title": "x"}}').problem ?? "", /__proto__/);
  for (const value of [null, true, 1, [], {}, [[]], { raw: { raw: {} } }]) {
    const names = [
      "content",
      "excerpt",
      "slug",
      "status",
      "date",
      "categories",
      "tags",
      "featured_media",
      "meta",
      "lang",
    ];
    for (const name of names)
      assert.equal(read({ title: "Tea", [name]: value }).problem, null, `${name}: ${JSON.stringify(value)}`);
  }
});
