/** docs/specification.md, 4.12: the articles before and after one; and 4.9, 3: slugs of what is gone. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, DAY, makeArticle, TODAY } from "../helpers/articles.ts";
import { assertRefusal, type Json, record, type Reply } from "../helpers/http.ts";
import { IS_THOROUGH } from "../helpers/properties.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

type Own = Pick<TestService, "app" | "website" | "get" | "list">;

async function create(own: Own, slug: string, input: Parameters<typeof makeArticle>[0] = {}): Promise<string> {
  const all = makeArticle({ status: "published", title: slug.toUpperCase(), slug, ...input });
  return (await articles.createArticle(own.app, own.website.id, all, CHIEF)).article.id;
}

const shown = (reply: Reply): Json => {
  assert.equal(reply.status, 200, reply.text);
  return record(record(record(reply.json())["data"])["article"]);
};

const slugOf = (one: unknown) => (one === null ? null : record(one)["slug"]);

/** The slugs of both neighbours, which are the same by id and by slug. */
async function beside(own: Own, id: string, slug: string, lang = ""): Promise<unknown[]> {
  const { neighbours } = shown(await own.get(`${LIST}/by-slug/${slug}?fields=neighbours${lang}`));
  if (lang === "") assert.deepEqual(shown(await own.get(`${LIST}/${id}?fields=neighbours`)), { neighbours });
  const { previous, next } = record(neighbours);
  return [slugOf(previous), slugOf(next)];
}

test("the neighbours are those before and after it in the list, and null at its ends", async () => {
  await using own = await startTestService();
  const ids: Record<string, string> = {};
  for (const [index, slug] of ["a", "b", "c"].entries()) {
    ids[slug] = await create(own, slug, { publishedAt: TODAY + index * DAY });
  }
  await create(own, "waiting", { status: "approved", publishedAt: TODAY + DAY });
  const { articles: listed } = await own.list("?fields=slug");
  assert.deepEqual(listed.map(slugOf), ["c", "b", "a"]);
  const whole = await own.get(`${LIST}/${ids["b"]}`);
  const { neighbours, ...others } = shown(await own.get(`${LIST}/${ids["b"]}?include=neighbours`));
  assert.deepEqual(others, shown(whole));
  const link = (slug: string, publishedAt: number) => ({
    id: ids[slug],
    title: slug.toUpperCase(),
    slug,
    language: null,
    published_at: new Date(publishedAt).toISOString(),
    platform_url: null,
  });
  assert.deepEqual(neighbours, { previous: link("c", TODAY + 2 * DAY), next: link("a", TODAY) });
  assert.deepEqual(await beside(own, ids["c"] ?? "", "c"), [null, "b"]);
  assert.deepEqual(await beside(own, ids["a"] ?? "", "a"), ["b", null]);
  const waiting = (await own.list("?status=approved&fields=id")).articles[0]?.["id"];
  const approved = shown(await own.get(`${LIST}/${String(waiting)}?fields=neighbours`));
  assert.deepEqual(approved, { neighbours: { previous: null, next: null } });
  assert.equal((await own.get(`${LIST}?include=neighbours`)).status, 400);
});

const pick = (one: Json | null | undefined) =>
  one == null ? null : { id: one["id"], slug: one["slug"], title: one["title"] };

test("neighbours are never old: every answer is what the list says, after any change of any article", async () => {
  const steps = IS_THOROUGH ? 2_000 : 120;
  await using own = await startTestService();
  const slugs = ["a", "b", "c", "d", "e"];
  const ids: string[] = [];
  for (const [index, slug] of slugs.entries()) ids.push(await create(own, slug, { publishedAt: TODAY + index * DAY }));
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const etags = new Map<string, { etag: string; text: string }>();
  for (let step = 0; step < steps; step++) {
    const id = ids[random(ids.length)] ?? "";
    const full = await articles.getArticle(own.app, id);
    const kind = random(4);
    if (full.article.deletedAt !== null) await articles.restoreArticle(own.app, id, CHIEF);
    else if (full.article.status !== "published") await articles.publishArticle(own.app, id, CHIEF);
    else if (kind === 0) await articles.unpublishArticle(own.app, id, CHIEF);
    else if (kind === 1) await articles.deleteArticle(own.app, id, CHIEF);
    else if (kind === 2) await articles.updateArticle(own.app, id, { publishedAt: TODAY + random(9) * DAY }, CHIEF);
    else await articles.updateArticle(own.app, id, { title: `Title ${step}` }, CHIEF);
    const { articles: listed } = await own.list("?fields=id,slug,title");
    for (const [place, article] of listed.entries()) {
      for (const path of [`${LIST}/${String(article["id"])}`, `${LIST}/by-slug/${String(article["slug"])}`]) {
        const url = `${path}?fields=neighbours`;
        const known = etags.get(url);
        const reply = await own.get(url, known === undefined ? {} : { "If-None-Match": known.etag });
        const text = reply.status === 304 ? (known?.text ?? "") : reply.text;
        etags.set(url, { etag: String(reply.headers.etag), text });
        const { data } = JSON.parse(text) as { data: { article: { neighbours: Record<string, Json | null> } } };
        const { previous, next } = data.article.neighbours;
        assert.deepEqual([pick(previous), pick(next)], [pick(listed[place - 1]), pick(listed[place + 1])], url);
      }
    }
  }
});

test("a change to an unpublished article leaves the ETag, and with lang the neighbours are those of the language", async () => {
  await using own = await startTestService();
  await updateWebsite(own.app, own.website.id, { language: "en" }, CLI_ORIGIN);
  const ids: Record<string, string> = {};
  for (const [index, [slug, language]] of [
    ["a", "de"],
    ["b", null],
    ["c", "de"],
    ["d", "en"],
  ].entries()) {
    ids[slug ?? ""] = await create(own, slug ?? "", { language: language ?? null, publishedAt: TODAY - index * DAY });
  }
  assert.deepEqual(await beside(own, ids["b"] ?? "", "b"), ["a", "c"]);
  assert.deepEqual(await beside(own, ids["b"] ?? "", "b", "&lang=en"), [null, "d"]);
  assert.deepEqual(await beside(own, ids["c"] ?? "", "c", "&lang=de"), ["a", null]);
  for (const path of [`${LIST}/${ids["b"]}`, `${LIST}/by-slug/b`]) {
    const { headers } = await own.get(`${path}?include=neighbours`);
    await create(own, `draft-${path.length}`, { status: "pending" });
    const again = await own.get(`${path}?include=neighbours`, { "If-None-Match": headers.etag });
    assert.equal(again.status, 304);
  }
});

test("by slug, what was published and is deleted is a 410 with its time, until another article has the slug", async () => {
  const bySlug = (slug: string, query = "") => service.get(`${LIST}/by-slug/${slug}${query}`);
  const id = await create(service, "first", { aliases: ["/2019/old", "older"] });
  await articles.updateArticle(service.app, id, { slug: "second" }, CHIEF);
  assert.equal((await bySlug("first")).status, 200);
  await articles.deleteArticle(service.app, id, CHIEF);
  const deletedAt = new Date((await articles.getArticle(service.app, id)).article.deletedAt ?? 0).toISOString();
  const { secret } = await service.newKey({ scope: "preview" });
  for (const slug of ["first", "second", "older", "%2F2019%2Fold"]) {
    for (const headers of [{}, { "X-API-Key": secret }]) {
      const reply = await service.get(`${LIST}/by-slug/${slug}`, headers);
      const message = "The article with this slug was deleted; take its page down.";
      assertRefusal(reply, 410, { error: "Gone", message, deleted_at: deletedAt });
      assert.equal(reply.headers["x-error-code"], "article_gone");
    }
  }
  assert.equal((await service.get(`${LIST}/${id}`)).status, 404);
  assert.equal((await bySlug("second", "?lang=de")).status, 404);

  const other = await create(service, "first");
  assert.equal(shown(await bySlug("first"))["id"], other);
  assert.equal((await bySlug("second")).status, 410);
  await articles.updateArticle(service.app, other, { aliases: ["second"] }, CHIEF);
  assert.equal(shown(await bySlug("second"))["id"], other);
  await articles.restoreArticle(service.app, id, CHIEF);
  assert.equal(shown(await bySlug("second"))["id"], id);
});

test("by slug, what was never published or is only taken down is no 410", async () => {
  const bySlug = async (slug: string) => (await service.get(`${LIST}/by-slug/${slug}`)).status;
  const draft = await create(service, "draft", { status: "approved", aliases: ["alias-of-draft"] });
  await articles.deleteArticle(service.app, draft, CHIEF);
  assert.deepEqual([await bySlug("draft"), await bySlug("alias-of-draft")], [404, 404]);
  const down = await create(service, "down");
  await articles.unpublishArticle(service.app, down, CHIEF);
  assert.equal(await bySlug("down"), 403);
  await articles.deleteArticle(service.app, down, CHIEF);
  assert.equal(await bySlug("down"), 410);
});
