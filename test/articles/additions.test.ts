/** docs/specification.md, 4.10: bylines, meta titles, canonical addresses and aliases. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle, WRITER } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { parseArticleJson } from "../../src/domain/articles/article-json.ts";
import { listTranslations } from "../../src/operations/articles/review/article-review.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { applyDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { exportArticles } from "../../src/operations/articles/import/exports.ts";
import { findArticle } from "../../src/store/articles/articles.ts";
import { listRevisions } from "../../src/store/articles/revisions.ts";
import { listTranslated, loadTranslations } from "../../src/store/articles/translations.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";
import { restoreRevision } from "../../src/operations/articles/review/revisions.ts";

const NAMES = "authors,meta_title,canonical_url,aliases,language,translation_group";
const NONE = {
  authors: [],
  meta_title: null,
  canonical_url: null,
  aliases: [],
  language: null,
  translation_group: null,
};
const GIVEN = {
  authors: ["Ada Lovelace <https://ada.example>", { name: "Martin Luther King, Jr." }, "Ada Lovelace"],
  meta_title: "Soft water | Tea",
  canonical_url: "https://other.example/soft-water",
  aliases: ["https://old.example/2019/Soft%20Water/?p=1", "soft", "/2019/Soft Water/index.html", "/"],
  language: "pt_br",
  translation_group: "soft-water",
};
const READ = {
  authors: [
    { name: "Ada Lovelace", url: "https://ada.example" },
    { name: "Martin Luther King, Jr.", url: null },
  ],
  meta_title: "Soft water | Tea",
  canonical_url: "https://other.example/soft-water",
  aliases: ["/2019/Soft Water", "soft"],
  language: "pt-BR",
  translation_group: "soft-water",
};

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

async function create(given: object, websiteId = service.website.id): Promise<string> {
  const input = { ...makeArticle({ status: "published" }), ...parseArticleJson(given) };
  return (await articles.createArticle(service.app, websiteId, input, CHIEF)).article.id;
}

test("a response contains the added fields only if the request names them", async () => {
  const plain = await create({});
  const written = await create(GIVEN);
  for (const path of [`/${written}`, "?limit=100"]) {
    assert.doesNotMatch((await service.get(LIST + path)).text, /ada\.example|meta_title|other\.example/);
  }
  assert.deepEqual(await service.detail(written, `?fields=${NAMES}`), READ);
  assert.deepEqual(await service.detail(plain, `?fields=${NAMES}`), NONE);
  const whole = await service.detail(written);
  assert.deepEqual(await service.detail(written, `?include=${NAMES}`), { ...whole, ...READ });
  const { articles: listed } = await service.list(`?fields=id,${NAMES}&limit=100`);
  assert.deepEqual(
    listed.find(({ id }) => id === written),
    { id: written, ...READ },
  );
});

test("author finds a name in a byline, whatever its case; several names with commas find articles by any of them", async () => {
  const ada = await create({ authors: ["Ada Byron"] });
  const king = await create({ authors: ["King, Jr."] });
  const both = await create({ authors: ["ada byron", "Grace Hopper"] });
  const find = async (author: string) => {
    const { articles: found, pagination } = await service.list(`?fields=id&author=${encodeURIComponent(author)}`);
    assert.equal(pagination.total, found.length);
    return found.map(({ id }) => String(id)).toSorted();
  };
  assert.deepEqual(await find("ADA BYRON"), [ada, both].toSorted());
  assert.deepEqual(await find("King, Jr."), [king]);
  assert.deepEqual(await find("King, Jr.,grace hopper"), [king, both].toSorted());
  assert.deepEqual(await find("Nobody,Ada Byron"), [ada, both].toSorted());
  await articles.updateArticle(service.app, both, { authors: [{ name: "Grace Hopper", url: null }] }, CHIEF);
  assert.deepEqual(await find("ada byron"), [ada]);
});

test("an alias leads to the article in one step, until it is taken away or another article has it as its slug", async () => {
  const id = await create({ slug: "target", aliases: ["/old/path/", "old-slug"] });
  const resolve = async (slug: string) => {
    const reply = await service.get(`${LIST}/by-slug/${encodeURIComponent(slug)}`);
    if (reply.status !== 200) return reply.status;
    const { article, moved_to: moved } = record(record(reply.json())["data"]);
    return [record(article)["id"], moved === undefined ? null : record(moved)["slug"]];
  };
  const listed = async () => {
    const reply = await service.get("/api/public/redirects");
    const found = records(record(record(reply.json())["data"])["redirects"]);
    return found.filter(({ article_id: one }) => one === id).map(({ from, kind }) => [from, kind]);
  };
  for (const alias of ["/old/path", "/old/path/", "old-slug"]) assert.deepEqual(await resolve(alias), [id, "target"]);
  assert.deepEqual(await listed(), [
    ["/old/path", "alias"],
    ["old-slug", "alias"],
  ]);
  const other = await create({ slug: "old-slug" });
  assert.deepEqual(await resolve("old-slug"), [other, null]);
  assert.deepEqual(await listed(), [["/old/path", "alias"]]);
  await articles.updateArticle(service.app, id, { aliases: ["/other"] }, CHIEF);
  assert.deepEqual(await resolve("/old/path"), 404);
  assert.deepEqual(await resolve("/other"), [id, "target"]);
  // A slug that was in use stays, whatever the aliases are.
  await articles.updateArticle(service.app, id, { slug: "renamed", aliases: ["target"] }, CHIEF);
  await articles.updateArticle(service.app, id, { aliases: [] }, CHIEF);
  assert.deepEqual(await resolve("target"), [id, "renamed"]);
  assert.deepEqual(await service.detail(id, "?fields=previous_slugs"), { previous_slugs: ["target"] });
});

test("a changed byline creates an event with its name, needs approval, and is restored with its revision", async () => {
  const id = await create({ authors: ["One"] });
  await articles.updateArticle(service.app, id, parseArticleJson(GIVEN), CHIEF);
  const reply = await service.get("/api/public/events?limit=100");
  const events = records(record(record(reply.json())["data"])["events"]);
  const last = events.findLast(({ event }) => event === "article.updated");
  assert.deepEqual(record(last?.["data"])["updated_fields"], NAMES.split(","));
  const after = { at: Number.MAX_SAFE_INTEGER, id: "" };
  const revisions = await service.app.store.read(async (db) => {
    const stored = await findArticle(db, service.website.id, id);
    return listRevisions(db, stored?.rowNo ?? 0, after, 10);
  });
  const { version } = (await articles.getArticle(service.app, id)).article;
  await restoreRevision(service.app, id, revisions.at(-1)?.id ?? "", CHIEF, { version, draftSavedAt: null });
  await applyDraftCopy(service.app, id, CHIEF);
  assert.deepEqual(await service.detail(id, `?fields=${NAMES}`), { ...NONE, authors: [{ name: "One", url: null }] });
  const approved = await create({ status: "approved", authors: ["One"] });
  await articles.updateArticle(service.app, approved, { authors: [{ name: "Two", url: null }] }, WRITER);
  assert.equal((await articles.getArticle(service.app, approved)).article.status, "pending");
});

test("lang finds the articles of a language, alone and with other filters, in every order", async () => {
  const tags = ["x"];
  const made: string[] = [];
  for (const given of [
    { language: "de", tags },
    { language: "DE-at", tags },
    { language: "fi" },
    { language: "fi", tags },
  ]) {
    made.push(await create(given));
  }
  await create({ tags });
  const find = async (query: string) => {
    const { articles: found, pagination } = await service.list(`?fields=id&${query}`);
    assert.equal(pagination.total, found.length);
    return found.map(({ id }) => made.indexOf(String(id))).toSorted((one, other) => one - other);
  };
  for (const order of ["", "&sort=title", "&sort=-updated_at"]) {
    assert.deepEqual(await find(`lang=fi${order}`), [2, 3]);
    assert.deepEqual(await find(`lang=FI&tag=x${order}`), [3]);
    assert.deepEqual(await find(`lang=de-AT${order}`), [1]);
    assert.deepEqual(await find(`lang=de_at&tag=x${order}`), [1]);
    assert.deepEqual(await find(`lang=sv${order}`), []);
  }
  await articles.updateArticle(service.app, made[2] ?? "", { language: "sv" }, CHIEF);
  assert.deepEqual([await find("lang=fi"), await find("lang=sv")], [[3], [2]]);
  assert.equal((await service.get(`${LIST}?lang=not%20one`)).status, 400);
});

test("articles that name no language have the website's own, from when it is set", async () => {
  const { id: websiteId } = await service.newWebsite({});
  const { secret } = await service.newKey({}, websiteId);
  const made: string[] = [];
  for (const given of [{ tags: ["x"] }, { language: "de" }, { language: "fi", tags: ["x"] }, { tags: ["y"] }]) {
    made.push(await create(given, websiteId));
  }
  const get = (path: string, etag?: string) => service.get(path, { "X-API-Key": secret, "If-None-Match": etag });
  const find = async (query: string) => {
    const data = record(record((await get(`${LIST}?fields=id&${query}`)).json())["data"]);
    return records(data["articles"])
      .map(({ id }) => made.indexOf(String(id)))
      .toSorted((one, other) => one - other);
  };
  const state = async () => record(record((await get("/api/public/state")).json())["data"]);
  assert.equal((await state())["language"], null);
  assert.deepEqual(await find("lang=de"), [1]);
  const { etag } = (await get(`${LIST}?lang=de`)).headers;
  const { etag: stateEtag } = (await get("/api/public/state")).headers;
  await updateWebsite(service.app, websiteId, { language: "DE" }, CLI_ORIGIN);
  assert.equal((await get(`${LIST}?lang=de`, etag)).status, 200);
  assert.equal((await get("/api/public/state", stateEtag)).status, 200);
  assert.equal((await state())["language"], "de");
  for (const order of ["", "&sort=title", "&sort=-updated_at"]) {
    assert.deepEqual(await find(`lang=de${order}`), [0, 1, 3]);
    assert.deepEqual(await find(`lang=de&tag=x${order}`), [0]);
    assert.deepEqual(await find(`lang=fi${order}`), [2]);
    assert.deepEqual(await find(`lang=de-AT${order}`), []);
  }
  await articles.updateArticle(service.app, made[3] ?? "", { language: "fi" }, CHIEF);
  assert.deepEqual(
    [await find("lang=de"), await find("lang=fi")],
    [
      [0, 1],
      [2, 3],
    ],
  );
  await updateWebsite(service.app, websiteId, { language: null }, CLI_ORIGIN);
  assert.deepEqual(await find("lang=de"), [1]);
});

test("translations are the other published articles of the group, by language, and change the ETag", async () => {
  const translation_group = "kettle";
  const made: Record<string, string> = {};
  for (const language of ["en", "de", "fi"]) {
    made[language] = await create({ language, translation_group, slug: `kettle-${language}` });
  }
  const hidden = await create({ language: "sv", translation_group, status: "approved" });
  await create({ language: "de", translation_group: "other" });
  const path = `${LIST}/${made["en"]}?fields=translations`;
  const named = (...languages: string[]) =>
    languages.map((language) => ({ language, id: made[language], slug: `kettle-${language}` }));
  const read = async () => {
    const { articles: listed } = await service.list("?slug=kettle-en&fields=translations");
    const one = await service.detail(made["en"] ?? "", "?fields=translations");
    assert.deepEqual(listed, [one]);
    return one["translations"];
  };
  assert.deepEqual(await read(), named("de", "fi"));
  assert.deepEqual(await service.detail(hidden, "?fields=translations"), { translations: named("de", "en", "fi") });
  const { etag } = (await service.get(path)).headers;
  assert.equal((await service.get(path, { "If-None-Match": etag })).status, 304);
  await articles.updateArticle(service.app, made["fi"] ?? "", { translationGroup: null }, CHIEF);
  assert.equal((await service.get(path, { "If-None-Match": etag })).status, 200);
  assert.deepEqual(await read(), named("de"));
  await articles.deleteArticle(service.app, made["de"] ?? "", CHIEF);
  assert.deepEqual(await read(), []);
});

test("the dashboard lists the other articles of a group in every state, without the trash", async () => {
  const { id: websiteId } = await service.newWebsite({});
  const translation_group = "pot";
  const ids: string[] = [];
  for (const given of [{ language: "de" }, {}, { language: "fi" }, { language: "sv" }]) {
    ids.push(await create({ ...given, translation_group, status: "pending" }, websiteId));
  }
  const [german = "", own = "", finnish = "", gone = ""] = ids;
  const alone = await create({}, websiteId);
  await create({ translation_group });
  await articles.deleteArticle(service.app, gone, CHIEF);
  const list = async (id: string) => (await listTranslations(service.app, id)).map((one) => [one.id, one.language]);
  assert.deepEqual(await list(finnish), [
    [own, null],
    [german, "de"],
  ]);
  assert.deepEqual(await list(alone), []);
});

test("a group that many articles share by mistake takes nothing from another, and the website's own language is first", async () => {
  const website = await service.newWebsite({});
  const many = Array.from({ length: 202 }, () => ({ translation_group: "a" }));
  for (const input of many) await create(input, website.id);
  for (const language of ["de", null])
    await create({ language, translation_group: "b", slug: `b-${language}` }, website.id);
  await service.app.store.read(async (db) => {
    const all = ["a", "b"].map((translationGroup) => ({ websiteId: website.id, translationGroup }));
    const found = await loadTranslations(db, all);
    assert.equal(found.get("a")?.length, 100);
    assert.deepEqual(
      found.get("b")?.map(({ slug }) => slug),
      ["b-null", "b-de"],
    );
    const ids = await db.all("SELECT id FROM articles WHERE website_id = ?", website.id);
    const pages = await listTranslated(
      db,
      website.id,
      ids.map(({ id }) => id),
    );
    assert.deepEqual(
      [...pages.values()].map((one) => one.length).toSorted((x, y) => x - y),
      [2, 2, ...many.map(() => 100)],
    );
  });
});

test("values that an article cannot have are refused with the field's name", () => {
  const refused: [object, RegExp][] = [
    [{ authors: "Ada" }, /^authors must be a list/],
    [{ authors: [1] }, /^authors must be a list/],
    [{ authors: [{ name: "A", url: "javascript:alert(1)" }] }, /^authors must be an absolute http or https address/],
    [{ authors: Array.from({ length: 101 }, (_, at) => `A${at}`) }, /^authors must not have more than 100 items/],
    [{ canonical_url: "/relative" }, /^canonical_url must be an absolute/],
    [{ language: "not a language" }, /^language must be a language tag/],
    [{ language: 7 }, /^language must be text/],
    [{ translation_group: "x".repeat(201) }, /^translation_group must not be longer/],
    [{ meta_title: "x".repeat(1001) }, /^meta_title must not be longer/],
    [{ aliases: Array.from({ length: 201 }, (_, at) => `/a${at}`) }, /^aliases must not have more than 200 items/],
  ];
  for (const [given, message] of refused) assert.throws(() => parseArticleJson(given), { code: "invalid", message });
});

test("an export contains the added fields, and an import reads them", async () => {
  const id = await create(GIVEN);
  const lines: string[] = [];
  for await (const line of exportArticles(service.app, service.website.id)) if (line.includes(id)) lines.push(line);
  const exported = record(JSON.parse(lines[0] ?? ""));
  assert.deepEqual(Object.fromEntries(NAMES.split(",").map((name) => [name, exported[name]])), READ);
  const { authors, aliases } = exported;
  const { authors: parsed, aliases: parsedAliases } = parseArticleJson({ authors, aliases });
  assert.deepEqual([parsed, parsedAliases], [READ.authors, READ.aliases]);
});
