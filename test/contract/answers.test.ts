/** What a running service answers is what openapi.json says: bodies, headers, errors, to the last field. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { App } from "../../src/app/app.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { readImport } from "../../src/importers/import-source.ts";
import { revokeKey } from "../../src/operations/people/api-keys.ts";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { CHIEF } from "../helpers/articles.ts";
import { type Json, record, records, type Reply, type SendOptions } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import { assertDescribed, at, ROOT, schemaNamed } from "./described.ts";

const EVENTS = "/api/public/events";
const NOWHERE = "00000000-0000-4000-8000-000000000000";

let service: TestService;
const ids: Partial<Record<string, string>> = {};

before(async () => {
  service = await startTestService({ ROSTRUM_RATE_LIMIT: "1000" });
  const { app, website } = service;
  const items = readImport(join(ROOT, "demo", "articles"), {
    format: "markdown",
    websiteUrl: website.url,
    clock: app.clock,
  });
  await importArticles(app, website.id, items, { events: true, dryRun: false, actor: CHIEF });
  for (const status of ["published", "approved", "pending"]) {
    const page = await service.list(`?status=${status}&limit=1`);
    ids[status] = String(page.articles[0]?.["id"]);
  }
});

after(() => service[Symbol.asyncDispose]());

/** Headers of answers that have something to say. */
const SOMETIMES: ReadonlySet<string> = new Set(["Link", "X-Rostrum-Warnings"]);

/** Asserts status, body and headers against the operation's response. @returns the body. */
function assertAnswer(path: string, reply: Reply): Json {
  const operation = record(at(`#/paths/${path.replaceAll("/", "~1")}/get`));
  const given = record(record(operation["responses"])[String(reply.status)], `${path} has no ${reply.status}`);
  const response = record(typeof given["$ref"] === "string" ? at(given["$ref"]) : given);
  assert.match(String(reply.headers["content-type"]), /^application\/json/);
  const body = record(reply.json());
  for (const name of Object.keys(record(response["headers"]))) {
    const isThere = reply.headers[name.toLowerCase()] !== undefined;
    const isExpected = name !== "ETag" || body["debug"] === undefined;
    if (SOMETIMES.has(name)) continue;
    assert.equal(isThere, isExpected, `${reply.status} of ${path}: ${name}`);
  }
  assertDescribed(
    record(record(response["content"])["application/json"])["schema"],
    body,
    `${reply.status} of ${path}`,
  );
  return body;
}

function example(response: string, name: string): unknown {
  const path = `#/components/responses/${response}/content/application~1json/examples/${name}/value`;
  return at(path);
}

test("a field that the description does not name is found", () => {
  const right = { error: "Not Found", message: "…" };
  assertDescribed(schemaNamed("Error"), right, "the body");
  assert.throws(() => assertDescribed(schemaNamed("Error"), { ...right, stack: "…" }, "the body"), /additional/);
  assert.throws(() => assertDescribed(schemaNamed("Error"), { error: "Not Found" }, "the body"), /message/);
});

test("lists of every status, filter and order match the description", async () => {
  const queries = ["status=published", "status=approved", "status=pending", "offset=1000", "debug=true", "limit=3"];
  queries.push("category=brewing%20guides", "tag=sencha", "keyword=water", "q=water", "slug=water-for-tea");
  queries.push("updated_since=2026-01-01", "published_since=2026-01-01", "sort=-title", "sort=updated_at");
  for (const query of queries) {
    const body = assertAnswer(LIST, await service.get(`${LIST}?${query}`));
    assert.equal(body["debug"] !== undefined, query === "debug=true");
  }
});

test("every article that may be read is what the description says, with and without debug", async () => {
  const all = [...(await service.list()).articles, ...(await service.list("?status=approved")).articles];
  assert.ok(all.length > 10);
  for (const { id } of all) {
    for (const query of ["", "?debug=1"]) {
      const body = assertAnswer(`${LIST}/{id}`, await service.get(`${LIST}/${String(id)}${query}`));
      assert.equal(body["debug"] !== undefined, query !== "");
    }
  }
});

test("an article by its slug, and with chosen fields, is what the description says", async () => {
  const { articles: all } = await service.list("?fields=slug");
  for (const { slug } of all.slice(0, 3)) {
    for (const query of ["", "?fields=title,content&format=html,markdown,text&include=updated_at"]) {
      const path = `${LIST}/by-slug/${encodeURIComponent(String(slug))}${query}`;
      assertAnswer(`${LIST}/by-slug/{slug}`, await service.get(path));
    }
  }
  for (const query of [
    "include=content,updated_at",
    "fields=id,updated_at",
    "include=content&format=text",
    "include=toc,featured_image",
  ]) {
    assertAnswer(LIST, await service.get(`${LIST}?${query}`));
  }
});

test("redirects, and an article by an earlier slug, are what the description says", async () => {
  await using own = await startTestService({ ROSTRUM_RATE_LIMIT: "1000" });
  const input = { title: "A", content: "<p>One.</p>", slug: "first", status: "published" as const };
  const { article } = await articles.createArticle(own.app, own.website.id, input, CHIEF);
  await articles.updateArticle(own.app, article.id, { slug: "second" }, CHIEF);
  const body = assertAnswer("/api/public/redirects", await own.get("/api/public/redirects"));
  assert.equal(records(record(body["data"])["redirects"]).length, 1);
  for (const query of ["", "?fields=slug,previous_slugs"]) {
    const bySlug = assertAnswer(`${LIST}/by-slug/{slug}`, await own.get(`${LIST}/by-slug/first${query}`));
    assert.deepEqual(record(bySlug["data"])["moved_to"], { slug: "second", platform_url: null });
  }
});

test("neighbours, and the slug of what is gone, are what the description says", async () => {
  await using own = await startTestService({ ROSTRUM_RATE_LIMIT: "1000" });
  const ids: string[] = [];
  for (const slug of ["first", "second", "third"]) {
    const input = { title: slug, content: "<p>One.</p>", slug, status: "published" as const };
    ids.push((await articles.createArticle(own.app, own.website.id, input, CHIEF)).article.id);
  }
  assertAnswer(`${LIST}/{id}`, await own.get(`${LIST}/${ids[1]}?include=neighbours`));
  assertAnswer(`${LIST}/by-slug/{slug}`, await own.get(`${LIST}/by-slug/third?fields=neighbours`));
  await articles.deleteArticle(own.app, ids[1] ?? "", CHIEF);
  const gone = assertAnswer(`${LIST}/by-slug/{slug}`, await own.get(`${LIST}/by-slug/second`));
  const shown = record(example("Gone", "deleted"));
  assert.deepEqual({ ...gone, deleted_at: shown["deleted_at"] }, shown);
});

test("labels and related articles are what the description says", async () => {
  for (const name of ["tags", "categories"]) {
    const path = `/api/public/${name}`;
    assertAnswer(path, await service.get(`${path}?limit=2`));
  }
  for (const query of ["", "?fields=title&limit=2"]) {
    assertAnswer(`${LIST}/{id}/related`, await service.get(`${LIST}/${ids["published"]}/related${query}`));
  }
});

test("the state is what the description says", async () => {
  assertAnswer("/api/public/state", await service.get("/api/public/state"));
});

test("`fields` leaves exactly the fields that are named", async () => {
  const { articles } = await service.list("?fields=slug,title&limit=1");
  assert.deepEqual(Object.keys(articles[0] ?? {}), ["title", "slug"]);
});

test("events of all three kinds are what the description says", async () => {
  await using own = await startTestService({ ROSTRUM_RATE_LIMIT: "1000" });
  const input = { title: "A", content: "<p>One.</p>", status: "published" as const };
  const { article } = await articles.createArticle(own.app, own.website.id, input, CHIEF);
  await articles.updateArticle(own.app, article.id, { title: "B" }, CHIEF);
  await articles.deleteArticle(own.app, article.id, CHIEF);
  const body = assertAnswer(EVENTS, await own.get(EVENTS));
  const events = records(record(body["data"])["events"]);
  assert.deepEqual(
    events.map(({ event }) => event),
    ["article.published", "article.updated", "article.deleted"],
  );
});

test("the description is served without a key, as it stands", async () => {
  const reply = await service.get("/api/public/openapi.json", { "X-API-Key": undefined });
  assertAnswer("/api/public/openapi.json", reply);
  assert.deepEqual(reply.json(), at("#"));
});

/** The headers that do not differ from one request to the next. */
function lasting({ headers }: Reply) {
  const { date: _date, "x-request-id": _id, ratelimit: _limit, ...rest } = headers;
  return rest;
}

test("HEAD has the headers of GET and no body", async () => {
  for (const path of [LIST, `${LIST}/${ids["published"]}`, EVENTS, "/api/public/openapi.json"]) {
    const [head, get] = [await service.send(path, { method: "HEAD" }), await service.get(path)];
    assert.deepEqual({ status: head.status, headers: lasting(head) }, { status: 200, headers: lasting(get) });
    assert.equal(head.bytes.length, 0);
  }
});

test("an ETag sent back gives a 304 with the headers of the description", async () => {
  const named = Object.keys(record(at("#/components/responses/NotModified/headers")));
  for (const path of [LIST, `${LIST}/${ids["published"]}`, EVENTS]) {
    const { headers } = await service.get(path);
    const reply = await service.get(path, { "If-None-Match": headers.etag });
    assert.equal(reply.status, 304, path);
    assert.equal(reply.bytes.length, 0);
    for (const name of named) assert.ok(reply.headers[name.toLowerCase()] !== undefined, name);
  }
});

interface Refusal {
  of: [response: string, example: string];
  path: string;
  operation?: string;
  headers?: SendOptions["headers"];
}

/** Each error that the description shows, asked for. */
const BAD_REQUESTS: Refusal[] = [
  { of: ["BadRequest", "limit"], path: `${LIST}?limit=0` },
  { of: ["BadRequest", "offset"], path: `${LIST}?offset=-1` },
  { of: ["BadRequest", "status"], path: `${LIST}?status=draft` },
  { of: ["BadRequest", "debug"], path: `${LIST}?debug=yes` },
  { of: ["BadRequest", "twice"], path: `${LIST}?limit=1&limit=2` },
  { of: ["BadRequest", "id"], path: `${LIST}/latest`, operation: `${LIST}/{id}` },
  { of: ["BadRequest", "time"], path: `${LIST}?updated_since=yesterday` },
  { of: ["BadRequest", "version"], path: LIST, headers: { "Accept-Version": "v2" } },
  { of: ["Unauthorized", "missing"], path: LIST, headers: { "X-API-Key": undefined } },
  { of: ["Unauthorized", "unknown"], path: EVENTS, operation: EVENTS, headers: { "X-API-Key": "rs_unknown" } },
  { of: ["NotFound", "notFound"], path: `${LIST}/${NOWHERE}`, operation: `${LIST}/{id}` },
];

for (const { of, path, operation = LIST, headers = {} } of BAD_REQUESTS) {
  test(`${path} with ${JSON.stringify(headers)} is refused as in the example ${of.join(".")}`, async () => {
    const body = assertAnswer(operation, await service.get(path, headers));
    assert.deepEqual(body, example(...of));
  });
}

test("revoked and expired keys are refused as in the examples", async () => {
  const revoked = await service.newKey();
  await revokeKey(service.app, revoked.id, CLI_ORIGIN);
  const expired = await service.newKey({ expiresAt: 1 });
  for (const [name, { secret }] of Object.entries({ revoked, expired })) {
    const body = assertAnswer(LIST, await service.get(LIST, { "X-API-Key": secret }));
    assert.deepEqual(body, example("Unauthorized", name));
  }
});

test("what a key may not read is refused as in the examples", async () => {
  const { secret } = await service.newKey({ scope: "published" });
  const narrow = { "X-API-Key": secret };
  const scope = assertAnswer(LIST, await service.get(`${LIST}?status=pending`, narrow));
  assert.deepEqual(scope, example("StatusForbidden", "scope"));
  const pending = assertAnswer(`${LIST}/{id}`, await service.get(`${LIST}/${ids["pending"]}`));
  assert.deepEqual(pending, example("ArticleForbidden", "pending"));
  const approved = assertAnswer(`${LIST}/{id}`, await service.get(`${LIST}/${ids["approved"]}`, narrow));
  assert.deepEqual(approved, example("ArticleForbidden", "approved"));
});

test("other methods are refused as in the example", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const body = assertAnswer(LIST, await service.send(LIST, { method }));
    assert.deepEqual(body, example("MethodNotAllowed", "post"));
  }
});

test("a key above its limit is refused as in the example", async () => {
  const { secret } = await service.newKey({ rateLimit: 1 });
  const ask = () => service.get(LIST, { "X-API-Key": secret });
  const replies = [await ask(), await ask(), await ask()];
  const refused = replies.find(({ status }) => status === 429);
  assert.ok(refused !== undefined);
  assert.deepEqual(assertAnswer(LIST, refused), example("TooManyRequests", "key"));
});

function anyWait(message: unknown): string {
  return String(message).replace(/\d+ s/, "… s");
}

test("an address that tries too many unknown keys is refused as in the example", async () => {
  let reply: Reply | undefined;
  for (let tried = 0; tried < 110 && reply?.status !== 429; tried++) {
    reply = await service.send(LIST, { headers: { "X-API-Key": "rs_unknown" }, localAddress: "127.0.0.9" });
  }
  assert.equal(reply?.status, 429);
  const body = record(reply.json());
  assertDescribed(schemaNamed("Error"), body, "429");
  assert.equal(anyWait(body["message"]), anyWait(record(example("TooManyRequests", "address"))["message"]));
  assert.equal(reply.headers["retry-after"], /(\d+) s/.exec(String(body["message"]))?.[1]);
});

test("a broken store gives a 500 as in the example, and nothing of the cause", async () => {
  let isBroken = false;
  const wrap = (app: App): App => ({
    ...app,
    store: new Proxy(app.store, {
      get(store, name) {
        if (name === "read" && isBroken) return () => Promise.reject(new Error("secret cause"));
        const value: unknown = Reflect.get(store, name);
        return typeof value === "function" ? (value.bind(store) as unknown) : value;
      },
    }),
  });
  await using broken = await startTestService({}, wrap);
  isBroken = true;
  const reply = await broken.get(LIST);
  isBroken = false;
  const body = assertAnswer(LIST, reply);
  const details = `unexpected error; request ${String(reply.headers["x-request-id"])}`;
  assert.deepEqual(body, { ...record(example("InternalServerError", "unexpected")), details });
});

test("the service knows every parameter of the description, and warns that it ignores any other", async () => {
  const operation = record(at("#/paths/~1api~1public~1articles/get"));
  const names = records(operation["parameters"])
    .map(({ $ref }) => record(at(String($ref))))
    .filter((parameter) => parameter["in"] === "query" && parameter["name"] !== "debug");
  const query = names.map(({ name, examples }) => {
    const { value } = record(record(examples)["default"]);
    return `${String(name)}=${encodeURIComponent(String(value))}`;
  });
  assert.equal(query.length, 21);
  const { body } = await service.list(`?debug=true&${query.join("&")}`);
  assert.deepEqual(record(body["debug"])["warnings"], []);
  const other = await service.list("?debug=true&page=2&limit=1000");
  assert.deepEqual(record(other.body["debug"])["warnings"], [
    "Unknown parameter ignored: page",
    "limit is at most 100; 100 was applied",
  ]);
});

test("the limits of the description are those that are applied", async () => {
  const schema = record(at("#/components/parameters/limit/schema"));
  for (const path of [LIST, EVENTS]) {
    const applied = async (query: string) => {
      const body = record((await service.get(`${path}${query}`)).json());
      return record(record(body["data"])["pagination"])["limit"];
    };
    assert.equal(await applied(""), schema["default"]);
    assert.equal(await applied("?limit=5000"), schema["maximum"]);
  }
});
