/** docs/specification.md, 4.9: earlier slugs lead to today's in one step. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record, records, type Reply } from "../helpers/http.ts";
import { IS_THOROUGH } from "../helpers/properties.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { updateWebsite } from "../../src/operations/website/websites.ts";

const REDIRECTS = "/api/public/redirects";

let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

type Website = Pick<TestService, "app" | "website" | "get">;

async function create(own: Website, slug: string): Promise<string> {
  const input = makeArticle({ status: "published", slug });
  return (await articles.createArticle(own.app, own.website.id, input, CHIEF)).article.id;
}

const data = (reply: Reply): Json => {
  assert.equal(reply.status, 200, reply.text);
  return record(record(reply.json())["data"]);
};

async function listAll(own: Website, limit: number): Promise<Json[]> {
  const all: Json[] = [];
  let path = `${REDIRECTS}?limit=${limit}`;
  for (;;) {
    const reply = await own.get(path);
    const { redirects: page, pagination } = data(reply);
    all.push(...records(page));
    const next = /<([^>]*)>; rel="next"/.exec(String(reply.headers.link))?.[1];
    assert.equal(record(pagination)["has_more"], next !== undefined);
    if (next === undefined) return all;
    assert.ok(next.endsWith(`after=${encodeURIComponent(String(record(pagination)["next_after"]))}`), next);
    path = next;
  }
}

test("an earlier slug gets the article, and the address that it moved to", async () => {
  const id = await create(service, "first");
  const bySlug = (slug: string, query = "") => service.get(`${LIST}/by-slug/${slug}${query}`);
  assert.equal(data(await bySlug("first"))["moved_to"], undefined);
  await articles.updateArticle(service.app, id, { slug: "second" }, CHIEF);
  await articles.updateArticle(service.app, id, { slug: "third" }, CHIEF);
  const whole = await service.detail(id);
  for (const slug of ["first", "second"]) {
    for (let time = 0; time < 3; time++) {
      const { article, moved_to: movedTo } = data(await bySlug(slug));
      assert.deepEqual(article, whole);
      assert.deepEqual(movedTo, { slug: "third", platform_url: null });
    }
  }
  assert.deepEqual(data(await bySlug("first", "?fields=slug")), {
    article: { slug: "third" },
    moved_to: { slug: "third", platform_url: null },
  });
  assert.equal(data(await bySlug("third"))["moved_to"], undefined);
  assert.deepEqual(await service.detail(id, "?fields=previous_slugs"), { previous_slugs: ["first", "second"] });

  // Another article takes the slug, which then no longer leads to this one.
  const other = await create(service, "first");
  assert.equal(record(data(await bySlug("first"))["article"])["id"], other);
  assert.deepEqual(await service.detail(id, "?fields=previous_slugs"), { previous_slugs: ["second"] });
  await articles.deleteArticle(service.app, other, CHIEF);
  assert.deepEqual(record(data(await bySlug("first"))["moved_to"])["slug"], "third");

  // Who is not published is nowhere.
  await articles.unpublishArticle(service.app, id, CHIEF);
  assert.deepEqual([(await bySlug("first")).status, (await bySlug("second")).status], [410, 404]);
  assert.equal((await bySlug("third")).status, 403);
  assert.deepEqual(await listAll(service, 100), []);
  await articles.publishArticle(service.app, id, CHIEF);
  assert.equal(record(data(await bySlug("first"))["moved_to"])["slug"], "third");
});

test("a slug that was never published gets nothing", async () => {
  const input = makeArticle({ slug: "only-drafted" });
  const { article } = await articles.createArticle(service.app, service.website.id, input, CHIEF);
  await articles.updateArticle(service.app, article.id, { slug: "then-published" }, CHIEF);
  await articles.approveArticle(service.app, article.id, CHIEF);
  await articles.publishArticle(service.app, article.id, CHIEF);
  assert.equal((await service.get(`${LIST}/by-slug/only-drafted`)).status, 404);
  assert.equal((await service.get(`${LIST}/by-slug/then-published`)).status, 200);
});

test("redirects are listed in pages, each once", async () => {
  await using own = await startTestService();
  const id = await create(own, "slug-0");
  for (let number = 1; number <= 7; number++) {
    await articles.updateArticle(own.app, id, { slug: `slug-${number}` }, CHIEF);
  }
  for (const limit of [1, 3, 7, 100]) {
    const all = await listAll(own, limit);
    assert.deepEqual(
      all.map(({ from }) => from),
      [0, 1, 2, 3, 4, 5, 6].map((number) => `slug-${number}`),
    );
    for (const one of all) {
      const kept = { from: one["from"], kind: "slug", language: null };
      assert.deepEqual(one, { ...kept, article_id: id, slug: "slug-7", platform_url: null });
    }
  }
  const { headers } = await own.get(REDIRECTS);
  assert.equal((await own.get(REDIRECTS, { "If-None-Match": headers.etag })).status, 304);
  assert.equal((await own.get(`${REDIRECTS}?limit=0`)).status, 400);
});

test("after any renames, swaps and cycles, every slug leads to a current slug in one step, and none in a loop", () =>
  renameAtRandom([null]));

test("where slugs are unique per language, so does every slug of each language", () =>
  renameAtRandom([null, "de", "fr"]));

/** With several languages, slugs are unique within each, and articles change their language, too. */
async function renameAtRandom(languages: readonly (string | null)[]): Promise<void> {
  const steps = IS_THOROUGH ? 10_000 : 200;
  await using own = await startTestService();
  const { app } = own;
  if (languages.length > 1) {
    const urlPattern = "https://example.com/{lang}/{slug}";
    await updateWebsite(app, own.website.id, { language: "en", urlPattern, slugsPerLanguage: true }, CLI_ORIGIN);
  }
  const random = randomFrom(1);
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
  const ids: string[] = [];
  for (let number = 0; number < 8; number++) ids.push(await create(own, `s${number}`));
  /** Of each article its language, its slug, and whether it is published. */
  const now = new Map(
    ids.map((id, number) => [
      id,
      { language: null as string | null, slug: `s${number}`, isPublished: true, isDeleted: false },
    ]),
  );
  const pageOf = (id: string) => {
    const { language = null, slug = "" } = now.get(id) ?? {};
    return `${language ?? "en"} ${slug}`;
  };
  /** The articles that were published under each slug of a language, the last one last. */
  const held = new Map<string, string[]>();
  const leave = (id: string, page: string) =>
    held.set(page, [...(held.get(page) ?? []).filter((one) => one !== id), id]);

  const rename = async (id: string, slug: string, language = now.get(id)?.language ?? null) => {
    const state = now.get(id);
    if (state === undefined || state.isDeleted) return;
    const before = pageOf(id);
    const { article } = await articles.updateArticle(app, id, { slug, language }, CHIEF);
    Object.assign(state, { slug: article.slug, language });
    if (pageOf(id) !== before && state.isPublished) leave(id, before);
  };
  const step = async () => {
    const id = pick(ids);
    const state = now.get(id);
    assert.ok(state);
    const kind = random();
    if (kind < 0.6) {
      await rename(id, `s${Math.floor(random() * 12)}`, pick(languages));
    } else if (kind < 0.85) {
      // A swap, or a cycle of several.
      const ring = ids.filter(() => random() < 0.4);
      const before = ring.map((one) => ({ ...now.get(one) }));
      for (const [index, one] of ring.entries()) await rename(one, `aside-${index}`);
      for (const [index, one] of ring.entries()) {
        const { slug, language } = before[(index + 1) % ring.length] ?? {};
        await rename(one, slug ?? "", language);
      }
    } else if (state.isDeleted) {
      const { article } = await articles.restoreArticle(app, id, CHIEF);
      Object.assign(state, { slug: article.slug, isDeleted: false, isPublished: article.status === "published" });
    } else if (kind < 0.92) {
      await articles.deleteArticle(app, id, CHIEF);
      if (state.isPublished) leave(id, pageOf(id));
      Object.assign(state, { isDeleted: true, isPublished: false });
    } else if (state.isPublished) {
      await articles.unpublishArticle(app, id, CHIEF);
      leave(id, pageOf(id));
      state.isPublished = false;
    } else {
      await articles.publishArticle(app, id, CHIEF);
      state.isPublished = true;
    }
  };
  const check = async () => {
    const published = new Map(ids.flatMap((id) => (now.get(id)?.isPublished === true ? [[pageOf(id), id]] : [])));
    const listed = new Map(
      (await listAll(own, 1_000)).map((one) => {
        const { from, language } = one as { from: string; language: string | null };
        return [`${language ?? "en"} ${from}`, one];
      }),
    );
    for (const [page, holders] of held) {
      const expected = published.get(page) ?? holders.findLast((id) => now.get(id)?.isPublished === true);
      const one = listed.get(page);
      listed.delete(page);
      if (expected === undefined) {
        assert.equal(one, undefined, page);
        continue;
      }
      const today = pageOf(expected);
      assert.equal(one?.["article_id"], today === page ? undefined : expected, `${page} in the list`);
      // One step, and then no other.
      assert.ok(!listed.has(today) || held.has(today), `${page} leads to ${today}`);
      const [spoken, slug] = page.split(" ");
      const query = languages.length === 1 ? "" : `&lang=${spoken}`;
      const found = data(await own.get(`${LIST}/by-slug/${slug}?fields=id,slug,status${query}`));
      if (record(found["article"])["status"] !== "published") continue;
      assert.equal(record(found["article"])["id"], expected, page);
      const [spokenToday, slugToday] = today.split(" ");
      const movedTo = found["moved_to"] as Json | undefined;
      assert.equal(movedTo?.["slug"], today === page ? undefined : slugToday);
      const there = languages.length === 1 ? "" : `?lang=${spokenToday}`;
      assert.equal(data(await own.get(`${LIST}/by-slug/${slugToday}${there}`))["moved_to"], undefined, "a chain");
    }
    assert.deepEqual([...listed.keys()], [], "leads from a slug that was never published");
  };
  for (let count = 1; count <= steps; count++) {
    await step();
    if (count % 40 === 0) await check();
  }
}

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
