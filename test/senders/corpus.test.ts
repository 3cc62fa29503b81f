/** Recorded formats of about sixty senders, which are stored beside the repository, if present. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Dialect, Mapping } from "../../src/domain/articles/senders/dialect.ts";
import { DIALECTS, findDialect } from "../../src/domain/articles/senders/dialects.ts";
import type { Understood } from "../../src/domain/articles/senders/sender.ts";
import { readArrival } from "../../src/importers/senders/read-arrival.ts";

const CORPUS = join(import.meta.dirname, "../../../shared/corpora/generators");
const skip = existsSync(CORPUS) ? false : "the recorded formats are not beside this repository";

interface Sample {
  event: string | null;
  body: unknown;
  cut?: string;
}

function samples(kind: string): Sample[] {
  const { samples } = JSON.parse(readFileSync(join(CORPUS, `${kind}.json`), "utf8")) as { samples?: Sample[] };
  return (samples ?? []).filter(({ body }) => typeof body === "object" && body !== null);
}

function read({ body, event }: Sample, mapping: Mapping = {}): Understood {
  const headers = { "content-type": "application/json", ...(event === null ? {} : { "x-sender-event": event }) };
  const request = { method: "POST", path: "", query: {}, headers };
  return readArrival({ request, body: JSON.stringify(body), mapping, websiteUrl: "https://yoursite.example" });
}

/** Of each whole body that has a text: how its sample begins, the article's id without a dialect, and its text's form. */
const FOUND: Record<string, [event: string | null, title: string, id: string, form: "content" | "markdown"]> = {
  arvow: [null, "Sample Title", "12345", "content"],
  babylovegrowth: [null, "Test Article for Webhook", "10", "content"],
  blogaizer: ["article.complete", "How AI Reduces", "job_abc123", "content"],
  blogamplify: ["post.published", "Your Article Title", "post-uuid-here", "content"],
  blogbotz: ["blog.published", "Your Blog Title", "your-blog-title", "content"],
  getmywebrank: [null, "Copilot untuk", "copilot-untuk-social-apps", "content"],
  "ghost-admin": ["create", "My test post", "my-test-post", "content"],
  "journalist-ai": [null, "Sample Title", "12345", "content"],
  letterdrop: ["post (newest)", "Title", "6030dc61a21da91db1d593c0", "content"],
  "letterdrop/2": ["post (oldest form)", "Title", "title", "content"],
  lovarank: [null, "Your Article Title", "your-article-title", "content"],
  "make-n8n-generic": ["publish", "Your Title", "your-title", "content"],
  neverdrafts: ["publish_articles", "How to Implement", "123456", "content"],
  outrank: ["publish_articles", "How to Implement", "123456", "content"],
  rankpill: [null, "Article Title", "article-slug", "content"],
  ranksector: ["content_publish", "How to Boost", "how-to-boost-your-seo-rankings", "content"],
  rankyak: ["article.published", "How to Choose", "4821", "content"],
  seo45: ["seo45.content.generated", "SEO-optimized title", "seo-optimized-title", "content"],
  seocraftai: ["publish", "Article Title", "f255c3e4-d3c9-4010-8998-462379beb0f3", "content"],
  seogrove: ["content.published", "How Much Are Fines", "42", "content"],
  seoladders: [null, "How to Implement", "a1b2c3d4-e5f6-7890-abcd-ef1234567890", "content"],
  soogle: [null, "Article Title", "article-url-slug", "content"],
  // Its sample holds the words "html string".
  stackserp: ["post.published (documented shape)", "string", "uuid", "markdown"],
  storychief: ["publish", "Café / launch", "cafe-launch", "content"],
};

test("without any mapping the article of each whole body is found, with its title, id and text", { skip }, () => {
  for (const [name, [event, title, id, form]] of Object.entries(FOUND)) {
    const sample = samples(name.split("/")[0] ?? "").find((one) => one.event === event);
    assert.ok(sample !== undefined, name);
    const { kind, problem, articles } = read(sample);
    const [article] = articles;
    assert.deepEqual([kind, problem, articles.length, article?.problem], ["article", null, 1, null], name);
    assert.ok(article?.input.title?.startsWith(title) === true, name);
    assert.equal(article.externalId, id, name);
    assert.ok(article.input[form], name);
  }
});

/** Where the dialect finds another id than without one, and the fields besides title and text. */
const BY_DIALECT: Record<string, [id: string | null, fields: string]> = {
  arvow: [null, "featuredImageAlt featuredImageUrl language metaDescription tags targetKeyword"],
  babylovegrowth: [null, "featuredImageUrl language metaDescription slug"],
  blogaizer: [null, "featuredImageAlt featuredImageUrl metaDescription metaTitle"],
  blogamplify: [null, "featuredImageAlt featuredImageUrl metaDescription seoKeywords slug status targetKeyword"],
  blogbotz: ["123", "excerpt featuredImageAlt featuredImageUrl metaDescription metaTitle slug status tags"],
  getmywebrank: [null, "excerpt featuredImageUrl seoKeywords slug targetKeyword"],
  "journalist-ai": [null, "featuredImageAlt featuredImageUrl metaDescription targetKeyword"],
  letterdrop: [null, "excerpt featuredImageUrl metaDescription metaTitle slug status tags"],
  "letterdrop/2": ["https://letterdop.co/@updates", "excerpt slug status"],
  lovarank: [null, "featuredImageUrl metaDescription slug status"],
  "make-n8n-generic": [null, "categories excerpt featuredImageUrl status tags"],
  neverdrafts: [null, "featuredImageUrl metaDescription slug status tags"],
  outrank: [null, "featuredImageUrl metaDescription slug status tags"],
  rankpill: [null, "featuredImageUrl metaDescription slug status"],
  rankyak: [null, "excerpt featuredImageUrl metaDescription metaTitle slug status"],
  seo45: [null, "excerpt featuredImageAlt featuredImageUrl"],
  seocraftai: [null, "excerpt featuredImageAlt featuredImageUrl metaDescription metaTitle seoKeywords slug status"],
  seoladders: [null, "featuredImageAlt featuredImageUrl metaDescription metaTitle slug targetKeyword"],
  soogle: [null, "authors categories excerpt featuredImageUrl metaDescription metaTitle slug status tags"],
  stackserp: [null, "categories excerpt metaDescription metaTitle slug status tags targetKeyword"],
  storychief: [null, ""],
};

function dialectOf(name: string): Dialect {
  const kind = name === "make-n8n-generic" ? "make-n8n" : (name.split("/")[0] ?? "");
  const dialect = findDialect(kind);
  assert.ok(dialect !== undefined, kind);
  return dialect;
}

test("with its dialect each whole body has the right id, fields and text", { skip }, () => {
  for (const [name, [ownId, fields]] of Object.entries(BY_DIALECT)) {
    const [event, title, id, form] = FOUND[name] ?? [null, "", "", "content"];
    const sample = samples(name.split("/")[0] ?? "").find((one) => one.event === event);
    assert.ok(sample !== undefined, name);
    const dialect = dialectOf(name);
    const { kind, problem, articles } = read(sample, dialect);
    const { title: found = "", [form]: text = "", ...others } = articles[0]?.input ?? {};
    assert.deepEqual([kind, problem, articles.length, articles[0]?.problem], ["article", null, 1, null], name);
    assert.ok(found.startsWith(title) && text !== "", name);
    assert.equal(articles[0]?.externalId, ownId ?? id, name);
    assert.equal(Object.keys(others).toSorted().join(" "), fields, name);
  }
});

test("with its dialect a test or another event brings no article", { skip }, () => {
  const others: [name: string, event: string][] = [
    ["soogle", "test (the guide's curl)"],
    ["storychief", "test (before signing)"],
    ["letterdrop", "subscriber added"],
  ];
  for (const [name, event] of others) {
    const sample = samples(name).find((one) => one.event === event);
    assert.ok(sample !== undefined, name);
    const { kind, problem, articles } = read(sample, dialectOf(name));
    assert.deepEqual([kind, problem, articles], ["test", null, []], name);
  }
});

test("a request without a telling header looks like its own kind, and others like none", { skip }, () => {
  // Too little of these is on record.
  const unlike = new Set(["ghost-admin", "letterdrop/2", "ranksector", "seogrove", "storychief"]);
  for (const [name, [event]] of Object.entries(FOUND)) {
    const sample = samples(name.split("/")[0] ?? "").find((one) => one.event === event);
    const { resembles = [] } = read({ body: sample?.body, event: null });
    if (unlike.has(name)) assert.deepEqual(resembles, [], name);
    else assert.ok(resembles.includes(dialectOf(name).kind), name);
  }
  for (const kind of ["ranklite", "strapi", "micropub", "kapost", "writizzy", "webflow", "wordpress-rest"]) {
    for (const sample of samples(kind)) assert.equal(read(sample).resembles, undefined, kind);
  }
  for (const { kind, sample, protocol } of DIALECTS) {
    if (sample === undefined || protocol !== undefined || kind === "generic") continue;
    assert.ok(read({ body: sample.body, event: null }).resembles?.includes(kind) === true, kind);
  }
});

test("announcements without a text are told from articles, whatever event they name", { skip }, () => {
  const thin = ["aiagentssee", "autoblogging-pro", "content-autopilot", "ranklite", "wp-ai-autoblogger", "writizzy"];
  for (const sample of thin.flatMap(samples)) {
    const { kind, problem, articles } = read(sample);
    const why = problem ?? articles[0]?.problem ?? "";
    if (kind === "article") assert.match(why, /No article was found|a title but no text/, String(sample.event));
  }
});

test("no body of any sender is a failure of ours", { skip }, () => {
  for (const file of readdirSync(CORPUS).filter((name) => name.endsWith(".json"))) {
    for (const sample of samples(file.slice(0, -".json".length))) read(sample);
  }
});
