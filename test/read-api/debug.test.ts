/** docs/specification.md, 4.1: `debug=true`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record } from "../helpers/http.ts";
import { LIST, startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";

let service: TestService;
let id: string;

before(async () => {
  service = await startTestService();
  const input = makeArticle({ status: "published" });
  id = (await createArticle(service.app, service.website.id, input, CHIEF)).article.id;
});
after(() => service[Symbol.asyncDispose]());

const number: (value: unknown, at: string) => void = (value, at) =>
  assert.ok(typeof value === "number" && value >= 0 && Number.isFinite(value), `${at} is ${String(value)}`);

const debugShape = (query: (value: unknown, at: string) => void) =>
  shapes.shape({
    request_id: shapes.string,
    api_version: shapes.oneOf("v1"),
    node: shapes.string,
    query,
    timing_ms: shapes.shape({ total: number, auth: number, database: number, serialize: number }),
    cache: shapes.oneOf("hit", "miss"),
    content_version: shapes.integer,
    api_key: shapes.shape({ name: shapes.oneOf("test"), prefix: shapes.oneOf(service.key.slice(0, 7)) }),
    warnings: shapes.list(shapes.string),
  });

async function debugOf(path: string): Promise<{ debug: Json; requestId: unknown; text: string }> {
  const reply = await service.get(path);
  assert.equal(reply.status, 200);
  const body = record(reply.json());
  assert.deepEqual(Object.keys(body), ["success", "data", "debug"]);
  return { debug: record(body["debug"]), requestId: reply.headers["x-request-id"], text: reply.text };
}

test("the list's debug object has all its fields, and names this request", async () => {
  const { debug, requestId } = await debugOf(`${LIST}?debug=true`);
  debugShape(shapes.object)(debug, "debug");
  assert.equal(debug["request_id"], requestId);
});

test("the detail's debug object has all its fields, too", async () => {
  const { debug } = await debugOf(`${LIST}/${id}?debug=1`);
  debugShape(shapes.oneOf(null))(debug, "debug");
});

for (const [query, applied] of [
  ["", { status: "published", limit: 50, offset: 0, sort: "-published_at" }],
  ["&status=pending", { status: "pending", limit: 50, offset: 0, sort: "-created_at" }],
  ["&status=approved&limit=500&offset=7", { status: "approved", limit: 100, offset: 7, sort: "-created_at" }],
  ["&sort=title", { status: "published", limit: 50, offset: 0, sort: "title" }],
] as const) {
  test(`debug.query says what was applied: ${query}`, async () => {
    assert.deepEqual((await debugOf(`${LIST}?debug=true${query}`)).debug["query"], applied);
  });
}

test("debug.content_version is the website's counter, and rises with every change", async () => {
  const before = (await debugOf(`${LIST}?debug=true`)).debug["content_version"];
  await createArticle(service.app, service.website.id, makeArticle(), CHIEF);
  const after = (await debugOf(`${LIST}?debug=true`)).debug["content_version"];
  assert.equal(Number(after), Number(before) + 1);
});

test('debug.cache is "miss" the first time and "hit" when the response comes from memory', async () => {
  const path = `${LIST}?debug=true&limit=13&tag=nothing`;
  assert.equal((await debugOf(path)).debug["cache"], "miss");
  assert.equal((await debugOf(path)).debug["cache"], "hit");
});

test("the debug object contains no secret and no SQL", async () => {
  for (const path of [`${LIST}?debug=true&q=article`, `${LIST}/${id}?debug=true`]) {
    const { text } = await debugOf(path);
    assert.ok(!text.includes(service.key.slice(7)));
    assert.doesNotMatch(text, /SELECT|FROM articles/);
  }
});

test("debug=0 and debug=false leave the debug object out", async () => {
  for (const value of ["0", "false"]) {
    for (const path of [LIST, `${LIST}/${id}`]) {
      const reply = await service.get(`${path}?debug=${value}`);
      assert.deepEqual(Object.keys(record(reply.json())), ["success", "data"]);
    }
  }
});
