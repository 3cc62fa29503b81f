import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW_POST_ID } from "../../domain/articles/senders/ghost-address.ts";
import { readArrival } from "./read-arrival.ts";

const ID = "63887bd07f2cf32e8ae28b4d";

function read(method: string, path: string, body: unknown, query: Record<string, string> = { [NEW_POST_ID]: ID }) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = { method, path, query, headers: {} };
  return readArrival({ request, body: text, mapping: {}, websiteUrl: "https://example.com" });
}

const post = {
  title: "A post",
  slug: "a-post",
  html: '<h1>A post</h1><!--kg-card-begin: html--><p>See <a href="__GHOST_URL__/b/">b</a>.</p><!--kg-card-end: html-->',
  tags: ["One", { name: "Two" }, { name: "#hidden" }, { name: "Secret", visibility: "internal" }],
  authors: ["ada@example.com", { name: "Ada Moss" }],
  feature_image: "__GHOST_URL__/content/images/a.png",
  updated_at: "2026-01-02T03:04:05.678Z",
};

test("a post is read with Ghost's names, and its id is the one of the request", () => {
  const { kind, problem, articles } = read("POST", "/ghost/api/admin/posts/", { posts: [post, { title: "Second" }] });
  assert.deepEqual([kind, problem, articles.length], ["article", null, 1]);
  const [article] = articles;
  assert.deepEqual([article?.externalId, article?.problem, article?.version], [ID, null, post.updated_at]);
  assert.deepEqual(article?.input, {
    title: "A post",
    slug: "a-post",
    content: '<p>See <a href="https://example.com/b/">b</a>.</p>',
    authors: [{ name: "Ada Moss", url: null }],
    categories: ["One"],
    tags: ["One", "Two"],
    featuredImageUrl: "https://example.com/content/images/a.png",
  });
  assert.deepEqual(article.places, {
    title: "posts[0].title",
    slug: "posts[0].slug",
    html: "posts[0].html",
    image: "posts[0].feature_image",
    tags: "posts[0].tags",
    author: "posts[0].authors",
  });
});

test("a change has only the fields that were sent, and clears those that are null", () => {
  const change = { meta_title: null, custom_excerpt: "", tags: [], status: "scheduled", published_at: "2030-01-01" };
  const { articles } = read("PUT", `/ghost/api/v3/admin/posts/${ID}/`, { posts: [change] }, {});
  assert.deepEqual(articles[0]?.input, {
    metaTitle: null,
    excerpt: null,
    tags: [],
    categories: [],
    status: "published",
  });
  const draft = read("PUT", `/ghost/api/admin/posts/${ID}`, { posts: [{ status: "draft" }] }, {});
  assert.deepEqual(draft.articles[0]?.input, {});
});

test("a deletion needs no body, and what is not about a post changes nothing", () => {
  const removal = read("DELETE", `/ghost/api/admin/posts/${ID}/`, "", {});
  assert.deepEqual([removal.kind, removal.articles[0]?.externalId], ["removal", ID]);
  assert.equal(read("POST", "/ghost/api/admin/tags/", { tags: [{ name: "x" }] }).kind, "other");
  assert.equal(read("POST", "/ghost/api/admin/posts/", { posts: [post] }, {}).kind, "other");
});

test("what cannot be read has its reason", () => {
  const reasons: [unknown, RegExp][] = [
    [{ posts: [] }, /posts\[0\] is missing/],
    ["{", /JSON/],
    [{ posts: [{ html: "<p>x</p>" }] }, /no title/],
    [{ posts: [{ title: "x" }] }, /no content/],
    [{ posts: [{ title: "x", lexical: '{"root":' }] }, /not valid JSON/],
    [{ posts: [{ title: "x", html: "<p>x</p>", meta_title: "y".repeat(10_000) }] }, /meta_title/],
  ];
  for (const [body, reason] of reasons) {
    const { problem, articles } = read("POST", "/ghost/api/canary/admin/posts/", body);
    assert.match(problem ?? articles[0]?.problem ?? "", reason);
  }
});
