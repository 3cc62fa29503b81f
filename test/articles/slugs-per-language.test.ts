/** docs/specification.md, 4.10: slugs that are unique within each language. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { tempFolder } from "../helpers/folder.ts";
import { type Json, record, records, type Reply } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import type { Article, ArticleInput } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { readImport } from "../../src/importers/import-source.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { checkLinks } from "../../src/operations/articles/review/links.ts";
import { previewArticle } from "../../src/operations/articles/review/preview.ts";
import type { LinkCheck } from "../../src/operations/system/deps.ts";
import { updateWebsite, type WebsiteChange } from "../../src/operations/website/websites.ts";

const URL_PATTERN = "https://example.com{/lang}/blog/{slug}";

let service: TestService;
let id: string;

before(async () => {
  service = await startTestService();
  id = service.website.id;
  await change({ language: "en", urlPattern: URL_PATTERN });
  await change({ slugsPerLanguage: true });
});
after(() => service[Symbol.asyncDispose]());

function change(wanted: WebsiteChange, websiteId = id) {
  return updateWebsite(service.app, websiteId, wanted, CLI_ORIGIN);
}

async function create(slug: string, language: string | null, input: ArticleInput = {}): Promise<Article> {
  const whole = makeArticle({ status: "published", slug, language, ...input });
  return (await articles.createArticle(service.app, id, whole, CHIEF)).article;
}

async function edit(article: Article, input: ArticleInput): Promise<Article> {
  return (await articles.updateArticle(service.app, article.id, input, CHIEF)).article;
}

const bySlug = (slug: string, query = "", headers: Record<string, string> = {}) =>
  service.get(`${LIST}/by-slug/${slug}${query}`, headers);

const data = (reply: Reply): Json => {
  assert.equal(reply.status, 200, reply.text);
  return record(record(reply.json())["data"]);
};

async function find(slug: string, query = ""): Promise<unknown> {
  return record(data(await bySlug(slug, query))["article"])["id"];
}

test("a slug is unique among the articles of one language; none is the website's own", async () => {
  assert.equal((await create("about", "de")).slug, "about");
  assert.equal((await create("about", null)).slug, "about");
  assert.equal((await create("about", "fr")).slug, "about");
  assert.equal((await create("about", "en")).slug, "about-2");
  assert.equal((await create("about", "de")).slug, "about-2");
  const { slug } = await previewArticle(
    service.app,
    { websiteId: id, id: undefined },
    { slug: "about", language: "it" },
  );
  assert.equal(slug, "about");
  assert.equal(
    (await previewArticle(service.app, { websiteId: id, id: undefined }, { slug: "about" })).slug,
    "about-3",
  );
});

test("articles that are made at the same time get slugs of their own in each language", async () => {
  const made = await Promise.all(
    Array.from({ length: 12 }, (_none, index) => create("at-once", ["en", null, "de"][index % 3] ?? null)),
  );
  const names = made.map(({ slug, language }) => `${language ?? "en"}/${slug}`);
  assert.equal(new Set(names).size, 12);
  assert.equal(names.filter((name) => name.endsWith("/at-once")).length, 2);
});

test("the address contains the language, or may omit it for the website's own language", async () => {
  assert.equal((await create("place", null)).platformUrl, "https://example.com/blog/place");
  const german = await create("place", "de");
  assert.equal(german.platformUrl, "https://example.com/de/blog/place");
  assert.equal((await edit(german, { language: "fr" })).platformUrl, "https://example.com/fr/blog/place");
  await change({ urlPattern: "https://example.com/{lang}/{slug}" });
  assert.equal((await create("named", null)).platformUrl, "https://example.com/en/named");
  assert.equal((await create("named", "pt-BR")).platformUrl, "https://example.com/pt-BR/named");
  await change({ urlPattern: URL_PATTERN });
});

test("a slug is looked up in the requested language; without one, in the website's language first and then in the others in order", async () => {
  const german = await create("which", "de");
  const french = await create("which", "fr");
  assert.equal(await find("which"), german.id);
  const own = await create("which", null);
  for (let time = 0; time < 3; time++) {
    assert.equal(await find("which"), own.id);
    assert.equal(await find("which", "?lang=en"), own.id);
    assert.equal(await find("which", "?lang=fr"), french.id);
    assert.equal(await find("which", "?lang=de&fields=id"), german.id);
    assert.equal((await bySlug("which", "?lang=it")).status, 404);
  }
  assert.equal((await bySlug("which", "?lang=%20")).status, 400);
  const { articles: listed } = await service.list("?slug=which&lang=fr");
  assert.deepEqual(
    listed.map((one) => one["id"]),
    [french.id],
  );
  assert.equal((await service.list("?slug=which")).articles.length, 3);
  // One that may not be read does not stand before one that may.
  await articles.deleteArticle(service.app, own.id, CHIEF);
  const { article: pending } = await articles.createArticle(service.app, id, makeArticle({ slug: "which" }), CHIEF);
  assert.equal(pending.slug, "which");
  assert.equal(await find("which"), german.id);
  assert.equal((await bySlug("which", "?lang=en")).status, 403);
});

test("earlier slugs redirect only within their language, and are listed with it", async () => {
  const german = await create("old", "de");
  const own = await create("old", null);
  const french = await create("old", "fr");
  await edit(german, { slug: "neu" });
  assert.equal(await find("old"), own.id, "an article that has the slug comes before one that had it");
  assert.deepEqual(data(await bySlug("old", "?lang=de&fields=slug"))["moved_to"], {
    slug: "neu",
    platform_url: "https://example.com/de/blog/neu",
  });
  assert.equal(data(await bySlug("old", "?lang=en"))["moved_to"], undefined);
  await edit(own, { slug: "new" });
  await edit(french, { slug: "nouveau" });
  assert.equal(await find("old"), own.id);
  for (const limit of [1, 2, 1_000]) {
    const all: Json[] = [];
    for (let path = `/api/public/redirects?limit=${limit}`; path !== "";) {
      const reply = await service.get(path);
      all.push(...records(data(reply)["redirects"]));
      path = /<([^>]*)>; rel="next"/.exec(String(reply.headers.link))?.[1] ?? "";
    }
    assert.deepEqual(
      all.filter(({ from }) => from === "old").map(({ language, slug }) => [language, slug]),
      [
        ["de", "neu"],
        ["en", "new"],
        ["fr", "nouveau"],
      ],
    );
  }
  assert.deepEqual(await service.detail(german.id, "?fields=previous_slugs"), { previous_slugs: ["old"] });
  // Another article takes the slug in one language.
  const other = await create("old", "fr");
  assert.equal(await find("old", "?lang=fr"), other.id);
  assert.equal(await find("old", "?lang=de"), german.id);
  assert.deepEqual(await service.detail(french.id, "?fields=previous_slugs"), { previous_slugs: [] });
});

test("an article that changes its language leaves its address in the other, and its slug if that is taken there", async () => {
  const moving = await create("moves", "de");
  const there = await create("moves", "fr");
  const moved = await edit(moving, { language: "fr" });
  assert.equal(moved.slug, "moves-2");
  assert.equal(await find("moves", "?lang=fr"), there.id);
  assert.equal(await find("moves", "?lang=de"), moving.id);
  const back = await create("stays", "de");
  assert.equal((await edit(back, { language: "it" })).slug, "stays");
  assert.deepEqual(data(await bySlug("stays", "?lang=de&fields=slug"))["moved_to"], {
    slug: "stays",
    platform_url: "https://example.com/it/blog/stays",
  });
  assert.equal(data(await bySlug("stays", "?lang=it"))["moved_to"], undefined);
  assert.deepEqual(await service.detail(back.id, "?fields=previous_slugs"), { previous_slugs: [] });
});

test("out of the trash an article gets its slug back unless its language has it", async () => {
  const [gone, kept] = [await create("trash", "de"), await create("trash", "it")];
  for (const { id: one } of [gone, kept]) await articles.deleteArticle(service.app, one, CHIEF);
  await create("trash", "de");
  assert.equal((await articles.restoreArticle(service.app, kept.id, CHIEF)).article.slug, "trash");
  assert.equal((await articles.restoreArticle(service.app, gone.id, CHIEF)).article.slug, "trash-2");
});

test("links lead to the article whose address they are", async () => {
  const [own, german] = [await create("linked", null), await create("linked", "de")];
  const former = await create("linked", "fr");
  await edit(former, { slug: "lien" });
  const { store } = service.app;
  const waiting: LinkCheck = { state: "waiting", reason: null, leadsTo: null, checkedAt: null };
  const deps = { store, checkLink: () => waiting };
  const urls = ["/blog/linked", "/de/blog/linked", "/fr/blog/linked", "/it/blog/linked"].map(
    (path) => `https://example.com${path}`,
  );
  const found = await checkLinks(deps, id, { urls, contained: new Set(urls), again: false });
  assert.deepEqual(
    found.map(({ article }) => article && [article.id, article.isFormer]),
    [[own.id, false], [german.id, false], [former.id, true], null],
  );
});

test("translations are imported with the slugs that they have", async () => {
  await using folder = await tempFolder();
  for (const language of ["de", "fr", "en"]) {
    const frontMatter = `---\ntitle: Imported ${language}\nslug: imported\nlanguage: ${language}\n---\nA text.\n`;
    await writeFile(folder.at(`${language}.md`), frontMatter);
  }
  const items = () => readImport(folder.path, { format: "auto", websiteUrl: "https://example.com" });
  const options = { actor: CHIEF, events: false, dryRun: false };
  assert.equal((await importArticles(service.app, id, items(), options)).created, 3);
  assert.equal((await importArticles(service.app, id, items(), options)).unchanged, 3);
  const { articles: found } = await service.list("?status=pending&slug=imported&include=language&sort=title");
  assert.deepEqual(
    found.map(({ language }) => language),
    ["de", "en", "fr"],
  );
});

test("files named as Hugo names translations are imported as such with one slug, and stay when they are imported again", async () => {
  await using folder = await tempFolder();
  for (const name of ["tea.md", "tea.de.md", "2024-05-01-milk.fr.md"]) {
    await writeFile(folder.at(name), `---\ntitle: ${name}\n---\nA text.\n`);
  }
  const items = () => readImport(folder.path, { format: "auto", websiteUrl: "https://example.com" });
  const options = { actor: CHIEF, events: false, dryRun: false };
  for (const outcome of ["created", "unchanged"] as const) {
    assert.equal((await importArticles(service.app, id, items(), options))[outcome], 3);
  }
  const { articles: found } = await service.list(
    "?status=pending&slug=tea&include=language,translation_group&sort=title",
  );
  assert.deepEqual(
    found.map(({ title, language, translation_group: group }) => [title, language, group]),
    [
      ["tea.de.md", "de", "tea"],
      ["tea.md", null, "tea"],
    ],
  );
  assert.equal((await service.list("?slug=milk&lang=fr")).articles.length, 1);
});

test("a key for previews finds the draft of the language", async () => {
  const { secret } = await service.newKey({ scope: "preview" });
  const preview = (slug: string, query: string) => bySlug(slug, query, { "X-API-Key": secret });
  const draft = await create("draft", "de", { status: "pending" });
  const own = await create("draft", null, { status: "pending" });
  for (const [query, expected] of [
    ["", own],
    ["?lang=en", own],
    ["?lang=de", draft],
  ] as const) {
    assert.equal(record(data(await preview("draft", query))["article"])["id"], expected.id, query);
  }
  assert.equal((await preview("draft", "?lang=fr")).status, 404);
});

describe("the setting", () => {
  test("needs the website's language, and addresses that differ", async () => {
    const { id: other } = await service.newWebsite();
    const on = { slugsPerLanguage: true };
    await assert.rejects(change(on, other), { code: "invalid", field: "language" });
    await assert.rejects(change({ ...on, language: "de" }, other), { code: "invalid", field: "url_pattern" });
    const urlPattern = "https://example.com/{slug}";
    await assert.rejects(change({ ...on, language: "de", urlPattern }, other), { field: "url_pattern" });
    await change({ ...on, language: "de", urlPattern: "https://example.com/{id}/{slug}" }, other);
    await assert.rejects(change({ urlPattern }, other), { field: "url_pattern" });
    await assert.rejects(change({ urlPattern: null }, other), { field: "url_pattern" });
    await assert.rejects(change({ language: null }, other), { field: "language" });
    await change({ slugsPerLanguage: false, urlPattern }, other);
  });

  test("is not turned off while articles share a slug, nor is the language changed to one that would", async () => {
    const { id: other } = await service.newWebsite({ language: "en", urlPattern: URL_PATTERN });
    const make = async (slug: string, language: string | null) =>
      (await articles.createArticle(service.app, other, makeArticle({ slug, language }), CHIEF)).article;
    const early = await make("one", "de");
    assert.equal((await make("one", null)).slug, "one-2");
    await change({ slugsPerLanguage: true }, other);
    const own = await make("one", null);
    assert.equal(own.slug, "one", "also where the other was saved before");
    await make("two", "de");
    await make("two", null);
    const off = { slugsPerLanguage: false };
    const refusal = /2 slugs are used more than once, such as "one"/;
    await assert.rejects(change(off, other), { code: "conflict", message: refusal, field: "slugs_per_language" });
    await assert.rejects(change({ language: "de" }, other), { code: "conflict", message: refusal, field: "language" });
    await change({ language: "en-GB" }, other);
    await articles.deleteArticle(service.app, own.id, CHIEF);
    const [second] = (await service.app.store.read((db) =>
      db.all("SELECT id FROM articles WHERE website_id = ? AND slug = 'two' AND language IS NULL", other),
    )) as [{ id: string }];
    await articles.updateArticle(service.app, second.id, { slug: "zwei" }, CHIEF);
    await change(off, other);
    assert.equal((await articles.restoreArticle(service.app, own.id, CHIEF)).article.slug, "one-3");
    await articles.updateArticle(service.app, early.id, { language: "fr" }, CHIEF);
    assert.equal((await make("zwei", "de")).slug, "zwei-2");
  });
});
