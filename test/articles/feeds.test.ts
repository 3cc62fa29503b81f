/** docs/feeds.md: what the service serves to everybody for a website that has its feeds turned on. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { AppError } from "../../src/domain/system/errors.ts";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { Feeds } from "../../src/operations/articles/lists/feeds.ts";
import { ReadModel } from "../../src/operations/articles/read-model/read-model.ts";
import { deleteWebsite } from "../../src/operations/website/website-deletion.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";

const FILES = ["atom.xml", "rss.xml", "feed.json", "sitemap.xml", "llms.txt"];

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

async function withFeeds(): Promise<{
  id: string;
  get: (name: string, headers?: Record<string, string>) => ReturnType<TestService["get"]>;
}> {
  const { id } = await service.newWebsite({ name: "Tea & Water", urlPattern: "https://example.com/tea/{slug}" });
  await updateWebsite(service.app, id, { servesFeeds: true }, CLI_ORIGIN);
  return {
    id,
    get: (name, headers = {}) => service.send(`/feeds/${id}/${name}`, { headers: { "X-API-Key": "", ...headers } }),
  };
}

async function publish(websiteId: string, input: ArticleInput = {}) {
  return (await articles.createArticle(service.app, websiteId, makeArticle({ status: "published", ...input }), CHIEF))
    .article;
}

function assertXml(text: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => assert.fail(`${error.message}\n${text}`));
  parser.write(text).close();
}

describe("a website's feeds", () => {
  test("are served to everybody once they are turned on, and not before or after", async () => {
    const { id } = await service.newWebsite();
    const statuses = async () => {
      const replies = await Promise.all(FILES.map((name) => service.send(`/feeds/${id}/${name}`)));
      return new Set(replies.map(({ status }) => status));
    };
    assert.deepEqual(await statuses(), new Set([404]));
    await updateWebsite(service.app, id, { servesFeeds: true }, CLI_ORIGIN);
    assert.deepEqual(await statuses(), new Set([200]));
    await updateWebsite(service.app, id, { servesFeeds: false }, CLI_ORIGIN);
    assert.deepEqual(await statuses(), new Set([404]));
    await updateWebsite(service.app, id, { servesFeeds: true }, CLI_ORIGIN);
    const { name } = await updateWebsite(service.app, id, {}, CLI_ORIGIN);
    await deleteWebsite(service.app, id, name, CLI_ORIGIN);
    assert.deepEqual(await statuses(), new Set([404]));
  });

  test("need the website's address", async () => {
    const { id } = await service.newWebsite({ url: null });
    const refused = /need the website's address/;
    await assert.rejects(updateWebsite(service.app, id, { servesFeeds: true }, CLI_ORIGIN), refused);
    await updateWebsite(service.app, id, { url: "https://example.com", servesFeeds: true }, CLI_ORIGIN);
    await assert.rejects(updateWebsite(service.app, id, { url: null }, CLI_ORIGIN), refused);
  });

  test("contain what is published, with absolute addresses, and nothing else", async () => {
    const { id, get } = await withFeeds();
    const { slug } = await publish(id, {
      title: "Soft & hard",
      content: "<p>Water <b>is</b> soft.</p>",
      authors: [{ name: "Ann", url: null }],
    });
    await articles.createArticle(service.app, id, makeArticle({ title: "Secret", status: "approved" }), CHIEF);
    await articles.deleteArticle(service.app, (await publish(id, { title: "Gone" })).id, CHIEF);
    for (const name of FILES) {
      const { status, text } = await get(name);
      assert.equal(status, 200, name);
      assert.match(text, new RegExp(`https://example.com/tea/${slug}|/articles/[0-9a-f-]{36}\\.md`), name);
      assert.doesNotMatch(text, /Secret|Gone/, name);
      if (name.endsWith(".xml")) assertXml(text);
      if (name !== "sitemap.xml") assert.match(text, /Tea &(amp;)? Water/, name);
    }
    const [item] = records(record((await get("feed.json")).json())["items"]);
    assert.equal(item?.["content_html"], "<p>Water <b>is</b> soft.</p>");
    assert.deepEqual(item?.["authors"], [{ name: "Ann" }]);
    assert.ok(String(item?.["date_modified"]).endsWith("Z"));
  });

  test("show the last change at once, and are a 304 for clients that have them", async () => {
    const { id, get } = await withFeeds();
    const article = await publish(id, { title: "First" });
    const before = await get("atom.xml");
    const etag = String(before.headers["etag"]);
    assert.equal((await get("atom.xml", { "If-None-Match": etag })).status, 304);
    await articles.createArticle(service.app, id, makeArticle({ title: "Draft" }), CHIEF);
    assert.equal((await get("atom.xml", { "If-None-Match": etag })).status, 304, "nothing that is published changed");
    await articles.updateArticle(service.app, article.id, { title: "Second" }, CHIEF);
    const changed = await get("atom.xml", { "If-None-Match": etag });
    assert.match(changed.text, /Second/);
    await articles.unpublishArticle(service.app, article.id, CHIEF);
    assert.doesNotMatch((await get("atom.xml")).text, /Second/);
    await updateWebsite(service.app, id, { name: "Coffee" }, CLI_ORIGIN);
    assert.match((await get("atom.xml")).text, /Coffee/);
  });

  test("have the newest twenty, the newest first", async () => {
    const { id, get } = await withFeeds();
    for (let number = 1; number <= 22; number++) {
      await publish(id, {
        title: `Day ${number}`,
        createdAt: Date.UTC(2026, 0, number),
        publishedAt: Date.UTC(2026, 0, number),
      });
    }
    const items = records(record((await get("feed.json")).json())["items"]);
    assert.deepEqual(
      items.map(({ title }) => title),
      Array.from({ length: 20 }, (_one, index) => `Day ${22 - index}`),
    );
  });

  test("come compressed or not, as the client asks, with the same content", async () => {
    const { id, get } = await withFeeds();
    await publish(id);
    const plain = await fetch(`${service.url}/feeds/${id}/rss.xml`, { headers: { "Accept-Encoding": "identity" } });
    assert.equal(plain.headers.get("content-encoding"), null);
    assert.equal(plain.headers.get("content-type"), "application/rss+xml; charset=utf-8");
    const packed = await get("rss.xml", { "Accept-Encoding": "gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.equal(gunzipSync(packed.bytes).toString(), await plain.text());
    const other = await get("rss.xml", { "Accept-Encoding": "br" });
    assert.equal(other.headers["content-encoding"], undefined);
    assert.match(String(other.headers["etag"]), /^W\//, "one ETag for both forms");
    assert.ok(other.text.startsWith("<?xml"));
  });

  test("have another address for an article whose slug gives none in the pattern", async () => {
    const { id } = await service.newWebsite({
      url: "https://example.com",
      urlPattern: "https://{slug}.example.com/",
    });
    await updateWebsite(service.app, id, { servesFeeds: true }, CLI_ORIGIN);
    await publish(id, { slug: "soft" });
    await publish(id, { slug: "xn--ü" });
    const { text } = await service.send(`/feeds/${id}/sitemap.xml`);
    assert.match(text, /https:\/\/soft\.example\.com\//);
    assert.match(text, /https:\/\/example\.com\/blog\/xn--%C3%BC/);
  });

  test("name the pages of an article's translations in the sitemap, and no page of one that is not published", async () => {
    const { id, get } = await withFeeds();
    const translationGroup = "water";
    await publish(id, { slug: "water", language: "en", translationGroup });
    await publish(id, { slug: "wasser", language: "de", translationGroup });
    await publish(id, { slug: "vesi", language: "fi", translationGroup, status: "approved" });
    await publish(id, { slug: "alone", language: "sv", translationGroup: "alone" });
    const { text } = await get("sitemap.xml");
    const entries = text.split("<url>").slice(1);
    for (const [slug, languages] of [
      ["water", ["de", "en"]],
      ["wasser", ["de", "en"]],
      ["alone", []],
    ] as const) {
      const entry = entries.find((one) => one.includes(`/${slug}</loc>`)) ?? "";
      const links = Array.from(entry.matchAll(/hreflang="(\w+)" href="[^"]*\/(\w+)"/g), ([, language]) => language);
      assert.deepEqual(links, languages, slug);
    }
    assert.match(text, /hreflang="de" href="https:\/\/[^"]*\/wasser"/);
    assert.doesNotMatch(text, /vesi/);
  });

  test("name the website's own language, which articles without one have", async () => {
    const { id, get } = await withFeeds();
    const translationGroup = "kettle";
    await publish(id, { slug: "kettle", translationGroup });
    await publish(id, { slug: "pannu", language: "fi", translationGroup });
    const links = async () =>
      Array.from((await get("sitemap.xml")).text.matchAll(/hreflang="(\w+)"/g), ([, tag]) => tag);
    assert.deepEqual(await links(), []);
    assert.doesNotMatch((await get("rss.xml")).text, /<language>/);
    await updateWebsite(service.app, id, { language: "sv" }, CLI_ORIGIN);
    assert.deepEqual(await links(), ["sv", "fi", "sv", "fi"]);
    assert.match((await get("rss.xml")).text, /<language>sv<\/language>/);
    const atom = (await get("atom.xml")).text;
    assert.deepEqual(atom.match(/xml:lang="\w+"/g), ['xml:lang="sv"', 'xml:lang="fi"']);
  });

  test("have absolute addresses, and the sitemap no article whose original is elsewhere", async () => {
    const { id, get } = await withFeeds();
    const content = '<p><a href="/about">a</a> <video src="/v.mp4" poster="/p.png"></video></p>';
    await publish(id, { title: "Own", slug: "own", content, canonicalUrl: "https://original.example/post" });
    await publish(id, { title: "Other", slug: "other", content });
    for (const name of ["atom.xml", "rss.xml", "feed.json"]) {
      const { text } = await get(name);
      assert.doesNotMatch(text, /(?:href|src|poster)=(?:\\"|"|&quot;|&#34;)\//, name);
      assert.match(text, /https?:\/\/[^"<&]*\/v\.mp4/, name);
    }
    const page = await publish(id, { title: "Relative", slug: "relative", content: '<p><a href="x/y">a</a></p>' });
    for (const name of ["atom.xml", "rss.xml", "feed.json"]) {
      assert.match((await get(name)).text, /https:\/\/example\.com\/tea\/x\/y/, `${name} ${page.slug}`);
    }
    const { text } = await get("sitemap.xml");
    assert.ok(text.includes("/other") && !text.includes("/own"), text);
  });

  test("lead language models to the Markdown of each article", async () => {
    const { id, get } = await withFeeds();
    const article = await publish(id, { title: "Soft water", content: "<h2>Why</h2><p>It is <b>soft</b>.</p>" });
    const address = /\((http:[^)]+\.md)\)/.exec((await get("llms.txt")).text)?.[1] ?? "";
    assert.equal(await (await fetch(address)).text(), "# Soft water\n\n## Why\n\nIt is **soft**.\n");
    const marks = "<script>a</script> &lt;b *c* [d](javascript:e)";
    await articles.updateArticle(service.app, article.id, { title: marks }, CHIEF);
    const escaped = "\\<script>a\\</script> \\&lt;b \\*c\\* \\[d\\](javascript:e)";
    assert.ok((await (await fetch(address)).text()).startsWith(`# ${escaped}\n`));
    assert.ok((await get("llms.txt")).text.includes(`- [${escaped}](`));
    await articles.unpublishArticle(service.app, article.id, CHIEF);
    assert.equal((await fetch(address)).status, 404);
  });

  test("have absolute addresses in the Markdown of an article, too, outside its code", async () => {
    const { id, get } = await withFeeds();
    const markdown = [
      '[a](/about) ![p](x/p.png "t") [up](../up?a=1#b) [part](#part) [b][r] [m](mailto:a@b.example)',
      "`[c](/code)`",
      "[r]: ./r",
    ].join("\n\n");
    const article = await publish(id, { title: "Links", slug: "links", markdown });
    const { text } = await get(`articles/${article.id}.md`);
    const folder = "https://example.com/tea/";
    const expected = [
      `[a](https://example.com/about) ![p](${folder}x/p.png "t") [up](https://example.com/up?a=1#b) [part](#part) [b][r]`,
      "`[c](/code)`",
      `[r]: ${folder}r`,
    ];
    for (const part of expected) assert.ok(text.includes(part), text);
    assert.doesNotMatch(text, /\](?:\(|: <?)(?!https?:|#|mailto:|\/code)/);
  });

  test("list each article for language models with a short description, the newest first", async () => {
    const { id, get } = await withFeeds();
    const count = 60;
    for (let number = 1; number <= count; number++) {
      const at = Date.UTC(2026, 0, number);
      const metaDescription = number === count ? "Water 💧 ".repeat(1_000) : "Short";
      await publish(id, { title: `Day ${number}`, createdAt: at, publishedAt: at, metaDescription });
    }
    const lines = (await get("llms.txt")).text.split("\n").filter((line) => line.startsWith("- "));
    assert.deepEqual(
      lines.map((line) => /\[Day (\d+)\]/.exec(line)?.[1]),
      Array.from({ length: count }, (_one, index) => String(count - index)),
    );
    assert.match(lines[0] ?? "", /: Water 💧 /);
    assert.ok((lines[0]?.length ?? 0) < 1_500, `${lines[0]?.length} characters`);
  });

  test("are 404 for names that do not exist, and other methods are refused", async () => {
    const { id, get } = await withFeeds();
    for (const name of [
      "",
      "nonsense",
      "sitemap-1.xml",
      "sitemap-0.xml",
      "constructor",
      "articles/x.md",
      "../atom.xml",
    ]) {
      assert.equal((await get(name)).status, 404, name);
    }
    assert.equal((await service.send(`/feeds/${id}/atom.xml`, { method: "POST" })).status, 404);
    assert.equal((await service.send("/feeds/nonsense/atom.xml")).status, 404);
  });
});

test("each website has its own limit of files that wait to be made", async () => {
  const { store } = service.app;
  const held = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  const heldStore: typeof store = Object.assign(Object.create(store), {
    read: async (...given: Parameters<typeof store.read>) => {
      await held.promise;
      return store.read(...given);
    },
  });
  const readModel = new ReadModel({ store, cacheBytes: 1e6, onChange: () => undefined });
  const feeds = new Feeds({ deps: { store: heldStore }, readModel, baseUrl: () => "https://articles.example.com" });
  const [busy, other] = [(await withFeeds()).id, (await withFeeds()).id];
  let refusals = 0;
  const read = (websiteId: string) =>
    feeds.read(websiteId, `articles/${randomUUID()}.md`).then(
      () => "made",
      (error: unknown) => {
        if (++refusals === 9) full.resolve();
        return error instanceof AppError ? error.code : String(error);
      },
    );
  const all = Array.from({ length: 60 }, () => read(busy));
  await full.promise;
  assert.equal(await feeds.read(busy, "nonsense"), undefined, "which needs no place");
  const own = read(other);
  assert.equal(await read(busy), "busy");
  held.resolve();
  assert.equal(await own, "made");
  const results = await Promise.all(all);
  assert.equal(results.filter((one) => one === "made").length, 51);
  assert.equal(results.filter((one) => one === "busy").length, 9);
});

test(
  "a sitemap of more than 50,000 articles is an index of parts, which together have each article once",
  LONG_ONLY,
  async () => {
    const { store } = service.app;
    const { id } = await service.newWebsite();
    await updateWebsite(service.app, id, { servesFeeds: true }, CLI_ORIGIN);
    await publish(id, { slug: "first" });
    const count = 50_001;
    await store.write(async (db) => {
      await db.run(
        `INSERT INTO articles (id, website_id, status, title, title_key, slug, excerpt, seo_keywords, categories, tags, word_count,
         reading_time, created_at, updated_at, saved_at, state_since, published_at, content_hash, version, list_form)
       WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       SELECT 'row-' || n, website_id, status, title, title_key, 'slug-' || n, excerpt, seo_keywords, categories, tags, word_count,
         reading_time, created_at, updated_at, saved_at, state_since, published_at, content_hash, version,
         replace(list_form, '"first"', '"slug-' || n || '"') FROM numbers, articles WHERE website_id = ?`,
        id,
      );
    });
    const readModel = new ReadModel({ store, cacheBytes: 1e6, onChange: () => undefined });
    const feeds = new Feeds({ deps: { store }, readModel, baseUrl: () => "https://articles.example.com" });
    const text = async (name: string) => gunzipSync((await feeds.read(id, name))?.gzip ?? "").toString();
    const index = await text("sitemap.xml");
    assertXml(index);
    const base = `https://articles.example.com/feeds/${id}`;
    assert.deepEqual(
      Array.from(index.matchAll(/<loc>([^<]+)/g), ([, address]) => address),
      [`${base}/sitemap-1.xml`, `${base}/sitemap-2.xml`],
    );
    const parts = [await text("sitemap-1.xml"), await text("sitemap-2.xml")];
    const addresses = parts.map((part) => Array.from(part.matchAll(/<loc>([^<]+)/g), ([, address]) => address));
    assert.deepEqual(
      addresses.map(({ length }) => length),
      [50_000, 1],
    );
    assert.equal(new Set(addresses.flat()).size, count);
    assert.equal(await feeds.read(id, "sitemap-3.xml"), undefined);
  },
);
