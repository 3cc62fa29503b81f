/** docs/specification.md, 4.3: the events of a website, in order, without a gap. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record } from "../helpers/http.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { createArticle, deleteArticle } from "../../src/operations/articles/write/articles.ts";
import type { Website } from "../../src/domain/system/website.ts";

const TOTAL = 130;

let service: TestService;
let other: Website;
const published: string[] = [];

before(async () => {
  service = await startTestService();
  other = await service.newWebsite();
  for (let count = 0; count < TOTAL; count++) {
    const input = makeArticle({ status: "published" });
    published.push((await createArticle(service.app, service.website.id, input, CHIEF)).article.id);
    if (count % 10 === 0) {
      await createArticle(service.app, other.id, makeArticle({ status: "published" }), CHIEF);
    }
  }
});
after(() => service[Symbol.asyncDispose]());

test("following next_after from 0 gives every event once, in order, and then none", async () => {
  for (const limit of [1, 7, 50, 100]) {
    const seen: Json[] = [];
    let after = 0;
    for (;;) {
      const { events, pagination } = await service.events(`?after=${after}&limit=${limit}`);
      assert.deepEqual([pagination["after"], pagination["limit"]], [after, limit]);
      assert.equal(pagination["latest_sequence"], TOTAL);
      seen.push(...events);
      assert.equal(pagination["has_more"], seen.length < TOTAL);
      after = Number(pagination["next_after"]);
      if (events.length === 0) break;
      assert.ok(events.length <= limit);
    }
    assert.deepEqual(
      seen.map((one) => one["sequence"]),
      Array.from({ length: TOTAL }, (_none, index) => index + 1),
    );
    assert.deepEqual(
      seen.map((one) => record(one["data"])["article_id"]),
      published,
    );
    assert.equal(new Set(seen.map((one) => one["id"])).size, TOTAL);
  }
});

test("a page has fifty events by default, and never more than a hundred", async () => {
  assert.equal((await service.events()).events.length, 50);
  const { events, pagination } = await service.events("?limit=1000");
  assert.deepEqual([events.length, pagination["limit"]], [100, 100]);
});

test("after the last event the page is empty and next_after stays the same", async () => {
  for (const after of [TOTAL, TOTAL + 1, 9_007_199_254_740_991]) {
    const { events, pagination } = await service.events(`?after=${after}`);
    assert.deepEqual([events, pagination["next_after"], pagination["has_more"]], [[], after, false]);
  }
});

test("each website has its own events, numbered from 1", async () => {
  const { secret } = await service.newKey({}, other.id);
  const reply = await service.get("/api/public/events", { "X-API-Key": secret });
  const data = record(record(reply.json())["data"]);
  assert.equal(record(data["pagination"])["latest_sequence"], 13);
  assert.ok(!reply.text.includes(service.website.id));
});

test("a new event is in the very next response, which has another ETag", async () => {
  const before = await service.get(`/api/public/events?after=${TOTAL}`);
  const condition = { "If-None-Match": String(before.headers.etag) };
  assert.equal((await service.get(`/api/public/events?after=${TOTAL}`, condition)).status, 304);
  await deleteArticle(service.app, published[0] ?? "", CHIEF);
  const reply = await service.get(`/api/public/events?after=${TOTAL}`, condition);
  assert.equal(reply.status, 200);
  assert.match(reply.text, /article\.deleted/);
});

test("an event's body is byte for byte what webhooks send, after its id and sequence", async () => {
  const stored = await service.app.store.read((db) =>
    db.get("SELECT id, payload FROM events WHERE website_id = ? AND sequence = 3", service.website.id),
  );
  const { text } = await service.get("/api/public/events?after=2&limit=1");
  assert.ok(text.includes(`{"id":"msg_${stored?.id}","sequence":3,${stored?.payload.slice(1)}`));
});
