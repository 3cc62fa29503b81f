/** docs/specification.md, 4.7: the version of what a key reads, and answers that may be stored because of it. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle, oneOfEach } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";

const STATE = "/api/public/state";
const CHECKED = "private, no-cache";
const IMMUTABLE = "max-age=31536000, immutable";

let service: TestService;
let published: string;
let made: Awaited<ReturnType<typeof oneOfEach>>;

before(async () => {
  service = await startTestService();
  published = (await service.newKey({ scope: "published" })).secret;
  made = await oneOfEach(service.app, service.website.id);
  // The first use of a key is a change of its own.
  for (const key of [service.key, published]) await service.get(LIST, { "X-API-Key": key });
});
after(() => service[Symbol.asyncDispose]());

async function versionFor(key: string): Promise<string> {
  const reply = await service.get(STATE, { "X-API-Key": key });
  assert.equal(reply.status, 200);
  return String(record(record(reply.json())["data"])["version"]);
}

async function seen() {
  const etags = [LIST, `${LIST}?limit=1`, `${LIST}?q=text&sort=title`].map(
    async (path) => (await service.get(path)).headers.etag,
  );
  return { version: await versionFor(published), etags: await Promise.all(etags) };
}

const create = async (input: Parameters<typeof makeArticle>[0]) =>
  (await articles.createArticle(service.app, service.website.id, makeArticle(input), CHIEF)).article.id;

test("a change to an unpublished article changes neither the version for keys of scope published nor the ETag of their lists", async () => {
  const before = await seen();
  const whole = await versionFor(service.key);
  const { app } = service;
  const id = await create({});
  const steps = [
    () => articles.updateArticle(app, id, { title: "Before it is approved" }, CHIEF),
    () => articles.approveArticle(app, id, CHIEF),
    () => articles.deleteArticle(app, id, CHIEF),
    () => articles.restoreArticle(app, id, CHIEF),
  ];
  const versions = new Set([whole, await versionFor(service.key)]);
  for (const step of steps) {
    await step();
    assert.deepEqual(await seen(), before);
    versions.add(await versionFor(service.key));
    assert.ok((await service.list("?status=approved&fields=id&limit=100")).reply.headers.etag);
  }
  assert.equal(versions.size, 6, "a key of scope all sees each of them");
  for (let time = 0; time < 3; time++) {
    const reply = await service.get(LIST, { "If-None-Match": before.etags[0] });
    assert.equal(reply.status, 304);
  }
});

test("every change to what is published changes the version and the lists' ETags, also together with other changes", async () => {
  const { app, website } = service;
  const id = await create({ status: "approved" });
  let imports = 0;
  const importAll = (...statuses: ("pending" | "published")[]) => {
    const items = statuses.map((status) => {
      const source = `import-${++imports}`;
      return { kind: "draft" as const, source, ref: source, input: makeArticle({ status }) };
    });
    return importArticles(app, website.id, Readable.from(items), { events: false, dryRun: false, actor: CHIEF });
  };
  const steps = [
    () => articles.publishArticle(app, id, CHIEF),
    () => articles.updateArticle(app, id, { tags: ["new"] }, CHIEF),
    () => articles.unpublishArticle(app, id, CHIEF),
    () => articles.publishArticle(app, id, CHIEF),
    () => articles.deleteArticle(app, id, CHIEF),
    () => articles.restoreArticle(app, id, CHIEF),
    () => importAll("pending", "published"),
    () => importAll("published", "pending"),
  ];
  const all = [await seen()];
  for (const step of steps) {
    await step();
    const { total } = (await service.list()).pagination;
    assert.ok(Number(total) > 0);
    all.push(await seen());
  }
  assert.equal(new Set(all.map(({ version }) => version)).size, all.length);
  assert.equal(new Set(all.flatMap(({ etags }) => etags[0])).size, all.length);
  await importAll("pending", "pending");
  assert.deepEqual(await seen(), all.at(-1));
});

test("v with the current version makes a response immutable, and with any other it changes nothing", async () => {
  const paths = [
    LIST,
    `${LIST}?include=content`,
    `${LIST}/${made.published.article.id}`,
    `${LIST}/by-slug/${made.published.article.slug}`,
  ];
  for (const key of [service.key, published]) {
    const headers = { "X-API-Key": key };
    const version = await versionFor(key);
    for (const path of paths) {
      const plain = await service.get(path, headers);
      assert.equal(plain.headers["cache-control"], CHECKED);
      for (const [v, expected] of [
        [version, `private, ${IMMUTABLE}`],
        ["0.0", CHECKED],
        ["", CHECKED],
      ] as const) {
        const versioned = `${path}${path.includes("?") ? "&" : "?"}v=${v}`;
        for (let time = 0; time < 3; time++) {
          const reply = await service.get(versioned, headers);
          assert.equal(reply.headers["cache-control"], expected, versioned);
          assert.deepEqual(reply.json(), plain.json());
          const again = await service.get(versioned, { ...headers, "If-None-Match": reply.headers.etag });
          assert.deepEqual([again.status, again.headers["cache-control"]], [304, expected]);
        }
      }
    }
  }
  const version = await versionFor(service.key);
  await articles.updateArticle(service.app, made.published.article.id, { title: "Another title" }, CHIEF);
  for (const path of paths) {
    const reply = await service.get(`${path}${path.includes("?") ? "&" : "?"}v=${version}`);
    assert.equal(reply.headers["cache-control"], CHECKED);
    assert.match(reply.text, /Another title/);
  }
});

test("only published content may be cached publicly, and only if the operator allows it", async () => {
  await using own = await startTestService({ ROSTRUM_SHARED_CACHE: "1", ROSTRUM_CACHE_TAGS: "surrogate-key" });
  const there = await oneOfEach(own.app, own.website.id);
  await own.get(LIST);
  const version = String(record(record((await own.get(STATE)).json())["data"])["version"]);
  const expected: [path: string, who: string, tag: string][] = [
    [LIST, "public", `articles-${own.website.id}`],
    [`${LIST}/${there.published.article.id}`, "public", `article-${there.published.article.id}`],
    [`${LIST}/${there.approved.article.id}`, "private", `article-${there.approved.article.id}`],
    [`${LIST}?status=approved`, "private", `articles-${own.website.id}`],
  ];
  for (const [path, who, tag] of expected) {
    const { headers } = await own.get(`${path}${path.includes("?") ? "&" : "?"}v=${version}`);
    assert.equal(headers["cache-control"], `${who}, ${IMMUTABLE}`, path);
    assert.equal(headers["surrogate-key"], `website-${own.website.id} ${tag}`);
    assert.equal(headers.vary, "X-API-Key, Accept-Encoding");
    assert.equal((await own.get(path)).headers["cache-control"], CHECKED);
  }
});

test("the state is a 304 until something changes, also for the website's events", async () => {
  const first = await service.get(STATE);
  assert.equal((await service.get(STATE, { "If-None-Match": first.headers.etag })).status, 304);
  const { latest_sequence: before } = record(record(first.json())["data"]);
  await articles.deleteArticle(service.app, await create({ status: "published" }), CHIEF);
  const reply = await service.get(STATE, { "If-None-Match": first.headers.etag });
  assert.equal(reply.status, 200);
  assert.equal(record(record(reply.json())["data"])["latest_sequence"], Number(before) + 2);
});
