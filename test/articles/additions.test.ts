/** docs/specification.md, 4.10: bylines, meta titles, canonical addresses and aliases. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle, WRITER } from "../helpers/articles.ts";
import { record, records } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { parseArticleJson } from "../../src/domain/articles/article-json.ts";
import * as articles from "../../src/operations/articles/articles.ts";
import { applyDraftCopy } from "../../src/operations/articles/draft-copies.ts";
import { exportArticles } from "../../src/operations/articles/exports.ts";
import { findArticle } from "../../src/store/articles/articles.ts";
import { listRevisions } from "../../src/store/articles/revisions.ts";
import { restoreRevision } from "../../src/operations/articles/revisions.ts";

const NAMES = "authors,meta_title,canonical_url,aliases";
const NONE = { authors: [], meta_title: null, canonical_url: null, aliases: [] };
const GIVEN = {
  authors: ["Ada Lovelace <https://ada.example>", { name: "Martin Luther King, Jr." }, "Ada Lovelace"],
  meta_title: "Soft water | Tea",
  canonical_url: "https://other.example/soft-water",
  aliases: ["https://old.example/2019/Soft%20Water/?p=1", "soft", "/2019/Soft Water/index.html", "/"],
};
const READ = {
  authors: [
    { name: "Ada Lovelace", url: "https://ada.example" },
    { name: "Martin Luther King, Jr.", url: null },
  ],
  meta_title: "Soft water | Tea",
  canonical_url: "https://other.example/soft-water",
  aliases: ["/2019/Soft Water", "soft"],
};

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

async function create(given: object): Promise<string> {
  const input = { ...makeArticle({ status: "published" }), ...parseArticleJson(given) };
  return (await articles.createArticle(service.app, service.website.id, input, CHIEF)).article.id;
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
  assert.deepEqual(await find("King, Jr.,grace hopper"), [both]);
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
  assert.deepEqual(record(last?.["data"])["updated_fields"], ["authors", "meta_title", "canonical_url", "aliases"]);
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

test("values that an article cannot have are refused with the field's name", () => {
  const refused: [object, RegExp][] = [
    [{ authors: "Ada" }, /^authors must be a list/],
    [{ authors: [1] }, /^authors must be a list/],
    [{ authors: [{ name: "A", url: "javascript:alert(1)" }] }, /^authors must be an absolute http or https address/],
    [{ authors: Array.from({ length: 101 }, (_, at) => `A${at}`) }, /^authors must not have more than 100 items/],
    [{ canonical_url: "/relative" }, /^canonical_url must be an absolute/],
    [{ meta_title: "x".repeat(1001) }, /^meta_title must not be longer/],
    [{ aliases: Array.from({ length: 201 }, (_, at) => `/a${at}`) }, /^aliases must not have more than 200 items/],
  ];
  for (const [given, message] of refused) assert.throws(() => parseArticleJson(given), { code: "invalid", message });
});

test("an export contains the added fields, and an import reads them", async () => {
  const id = await create(GIVEN);
  const lines: string[] = [];
  for await (const line of exportArticles(service.app, service.website.id)) if (line.includes(id)) lines.push(line);
  const { authors, meta_title, canonical_url, aliases } = record(JSON.parse(lines[0] ?? ""));
  assert.deepEqual({ authors, meta_title, canonical_url, aliases }, READ);
  const { authors: parsed, aliases: parsedAliases } = parseArticleJson({ authors, aliases });
  assert.deepEqual([parsed, parsedAliases], [READ.authors, READ.aliases]);
});
