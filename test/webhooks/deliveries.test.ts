import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { DELIVERY_STATES } from "../../src/domain/webhooks/delivery.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { listDeliveries, testEndpoint } from "../../src/operations/webhooks/deliveries.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { type DeliveryRange, listDeliveries as listRows } from "../../src/store/webhooks/delivery-history.ts";
import { EVENT_KINDS } from "../../src/domain/webhooks/event.ts";
import { eventsSince } from "../../src/store/webhooks/events.ts";
import type { Snapshot } from "../../src/store/store.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { type Json, record, records } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { eventually, LOOPBACK, openQueue, type Script, ScriptedReceiver } from "../helpers/webhooks.ts";
import { people } from "../people/dashboard.ts";

const HOSTILE = `<script>alert("1")</script> & \u2028 ' "; DROP TABLE deliveries; --`;
const UNKNOWN = "01a1fdf4-0000-7000-8000-000000000000";

/** A service whose website has a webhook that sends to a receiver. */
async function listening(script: Script, settings: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService({ ...LOOPBACK, ...settings }));
  const receiver = opened.use(await ScriptedReceiver.start(script));
  const all = opened.use(people(service));
  const owner = await all.owner();
  const { app, website } = service;
  const wishes = { url: receiver.url, headers: { "X-Token": "t0psecret" } };
  const { endpoint } = await createEndpoint(app, website.id, wishes, CLI_ORIGIN);
  const owned = opened.move();
  return {
    service,
    app,
    receiver,
    all,
    owner,
    id: endpoint.id,
    publish: async (title: string) =>
      (await createArticle(app, website.id, makeArticle({ title, status: "published" }), CHIEF)).article.id,
    page: async (query = "") => {
      const { deliveries, next_cursor } = await owner.json("GET", `/webhooks/${endpoint.id}/deliveries${query}`);
      return { deliveries: records(deliveries), next: typeof next_cursor === "string" ? next_cursor : null };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("each attempt is shown in full; responses are text, and the values of our headers are hidden", async () => {
  const script: Script = (_request, index) =>
    index === 0 ? { status: 500, body: HOSTILE, headers: { "x-hostile": "<b>&</b>", "set-cookie": "a=b" } } : {};
  await using set = await listening(script, { ROSTRUM_WEBHOOK_RETRY_SECONDS: "0,0,0" });
  const articleId = await set.publish("Green");
  await eventually(async () => (await set.page()).deliveries[0]?.["state"], "delivered");
  const { deliveries, next } = await set.page();
  assert.equal(next, null);
  const [delivery] = deliveries;
  const { attempts, created_at, finished_at, id, ...rest } = record(delivery);
  assert.deepEqual(rest, {
    webhook_id: set.id,
    event_id: set.receiver.header("webhook-id")[0],
    event: "article.published",
    article_id: articleId,
    article_title: "Green",
    origin: "event",
    state: "delivered",
    next_attempt_at: null,
  });
  assert.ok(Date.parse(String(finished_at)) >= Date.parse(String(created_at)));
  const [failed, delivered] = records(attempts);
  assert.deepEqual(
    [failed?.["number"], failed?.["outcome"], failed?.["status"], failed?.["response_body"]],
    [1, "server_error", 500, HOSTILE],
  );
  const headers = records(failed?.["response_headers"]).map(({ name, value }) => `${String(name)}: ${String(value)}`);
  assert.ok(headers.includes("x-hostile: <b>&</b>") && headers.includes("set-cookie: a=b"), headers.join("\n"));
  assert.equal(typeof failed?.["error"], "string");
  assert.deepEqual([delivered?.["number"], delivered?.["status"], delivered?.["error"]], [2, 204, null]);
  assert.equal(typeof record(delivered?.["timings"])["total"], "number");
  assert.equal(record(delivered?.["request_headers"])["webhook-attempt"], "2");
  assert.equal(JSON.stringify(deliveries).includes("t0psecret"), false);

  const one = await set.owner.json("GET", `/deliveries/${String(id)}`);
  assert.deepEqual(one["delivery"], delivery);
  assert.equal(one["payload"], set.receiver.received[0]?.body, "byte for byte");
});

test("a finished delivery can be sent again as a new one; a test, or one being sent, cannot", async () => {
  await using set = await listening(() => ({}));
  await set.publish("Green");
  await eventually(async () => (await set.page()).deliveries[0]?.["state"], "delivered");
  const [first] = (await set.page()).deliveries;
  const again = await set.owner.json("POST", `/deliveries/${String(first?.["id"])}/redeliver`, {}, 201);
  assert.deepEqual([again["origin"], again["event_id"]], ["redelivery", first?.["event_id"]]);
  await set.receiver.arrival(2);
  assert.equal(set.receiver.received[0]?.body, set.receiver.received[1]?.body);
  const { delivery } = await set.owner.json("POST", `/webhooks/${set.id}/test`, {});
  const tested = record(delivery);
  assert.equal((await set.owner.send("POST", `/deliveries/${String(tested["id"])}/redeliver`, {})).status, 409);
  assert.equal((await set.owner.json("GET", `/deliveries/${String(tested["id"])}`))["payload"], null);
  const { entries } = await set.owner.json("GET", "/audit");
  const noted = records(entries).find(({ action }) => action === "webhook.redelivered");
  assert.equal(record(noted?.["detail"])["delivery"], again["id"]);
  assert.equal(record(noted?.["target"])["id"], set.id);
});

test("titles are current, even in the trash, and null if there never was an article", async () => {
  await using set = await listening(() => ({}));
  await set.owner.json("POST", `/webhooks/${set.id}/test`, {});
  assert.equal((await set.page()).deliveries[0]?.["article_title"], null);
  const articleId = await set.publish("Before");
  await updateArticle(set.app, articleId, { title: HOSTILE }, CHIEF);
  await deleteArticle(set.app, articleId, CHIEF);
  const titles = (await set.page()).deliveries.map(({ article_title }) => article_title);
  assert.deepEqual(titles, [HOSTILE, HOSTILE, HOSTILE, null]);
});

test("deliveries of another website are not found", async () => {
  await using set = await listening(() => ({}));
  await set.publish("Green");
  await set.receiver.arrival(1);
  const [one] = (await set.page()).deliveries;
  const other = await set.service.newWebsite({ name: "Other" });
  const stranger = await set.all.person("owner", other.id, "other@example.com");
  const approver = await set.all.person("approver", set.service.website.id);
  for (const [method, path, body] of [
    ["GET", ""],
    ["POST", "/redeliver", {}],
  ] as [string, string, Json?][]) {
    const reply = await stranger.send(method, `/deliveries/${String(one?.["id"])}${path}`, body);
    const unknown = await stranger.send(method, `/deliveries/${UNKNOWN}${path}`, body);
    assert.deepEqual([reply.status, reply.text], [404, unknown.text]);
    assert.equal((await approver.send(method, `/deliveries/${String(one?.["id"])}${path}`, body)).status, 403);
  }
});

test("a history is read page by page, in each state, and nothing is repeated or left out", async () => {
  await using queue = await openQueue();
  const { endpoint } = await createEndpoint(queue.app, queue.website.id, { url: "http://127.0.0.1:1/" }, CLI_ORIGIN);
  const other = await createEndpoint(queue.app, queue.website.id, { url: "http://127.0.0.1:2/" }, CLI_ORIGIN);
  // More than is looked through at once; the newest are all of other states than the oldest.
  await fill(queue, endpoint.id, 1, 500, "CASE WHEN i % 2 = 0 THEN 'delivered' ELSE 'exhausted' END");
  await fill(queue, other.endpoint.id, 501, 1_500, "'delivered'");
  await fill(queue, endpoint.id, 1_501, 14_000, "CASE WHEN i % 1000 = 0 THEN 'skipped' ELSE 'coalesced' END");
  await fill(queue, endpoint.id, 14_001, 20_500, "'parked'");
  await fill(queue, endpoint.id, 20_501, 20_520, "'pending'");
  const { store } = queue.app;
  for (const state of [undefined, ...DELIVERY_STATES]) {
    const expected = await store.read((db) => numbers(db, endpoint.id, state));
    const found: number[] = [];
    let before: number | null = Number.MAX_SAFE_INTEGER;
    let pages = 0;
    while (before !== null) {
      const range: DeliveryRange = { before, limit: 997, ...(state === undefined ? {} : { state }) };
      const page: Awaited<ReturnType<typeof listRows>> = await store.read((db) => listRows(db, endpoint.id, range));
      assert.ok(page.deliveries.length <= 997);
      assert.ok(page.deliveries.every((one) => state === undefined || one.state === state));
      found.push(...page.deliveries.map(({ no }) => no));
      assert.ok(page.next === null || page.next < before);
      before = page.next;
      assert.ok(++pages < 60, "it comes to an end");
    }
    assert.deepEqual(found, expected, String(state));
    // A command asks for a number, and gets at most as many as exist.
    const some = await listDeliveries(queue.app, endpoint.id, {
      limit: 300,
      ...(state === undefined ? {} : { state }),
    });
    assert.equal(some.length, Math.min(300, expected.length), String(state));
  }
});

test("the route's pages follow each other by their cursor", async () => {
  await using set = await listening(() => ({}));
  for (const title of ["A", "B", "C", "D", "E"]) await set.publish(title);
  await eventually(async () => (await set.page("?state=delivered")).deliveries.length, 5);
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { deliveries, next }: Awaited<ReturnType<typeof set.page>> = await set.page(
      `?limit=2&state=delivered${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    seen.push(...deliveries.map(({ article_title }) => String(article_title)));
    cursor = next;
  }
  assert.deepEqual(seen.toSorted(), ["A", "B", "C", "D", "E"]);
  assert.equal((await set.page("?state=exhausted")).deliveries.length, 0);
  for (const query of ["?cursor=x", "?cursor=-1", "?limit=0", "?limit=101", "?state=lost", "?offset=2"]) {
    assert.equal((await set.owner.send("GET", `/webhooks/${set.id}/deliveries${query}`)).status, 400, query);
  }
});

test("a test for a website without articles is recorded with its outcome, and counted nowhere", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => ({ status: 500 }));
  const { id } = await queue.endpoint(receiver);
  const tested = await testEndpoint(queue.app, id, { actor: "somebody", address: "192.0.2.7" });
  assert.deepEqual([tested.delivery.state, tested.title, tested.attempts.length], ["exhausted", null, 1]);
  assert.equal(tested.payload, receiver.received[0]?.body);
  assert.equal((await queue.find(id)).consecutiveFailures, 0);
  const noted = await queue.app.store.read((db) =>
    db.get("SELECT actor, address, detail FROM audit_log WHERE action = 'webhook.tested'"),
  );
  assert.deepEqual([noted?.actor, noted?.address], ["somebody", "192.0.2.7"]);
  const { at, ...outcome } = record(JSON.parse(String(noted?.detail)));
  assert.deepEqual(outcome, { outcome: "server_error", status: 500 });
  assert.equal(at, new URL(receiver.url).host);
});

test("the number of events since a time is found without reading them all, even with gaps between them", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const since = (at: number) => app.store.read((db) => eventsSince(db, website.id, at, EVENT_KINDS));
  assert.equal(await since(0), null);
  const add = (from: number, to: number) =>
    app.store.write((db) =>
      db.run(
        `WITH RECURSIVE numbers (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
         INSERT INTO events (website_id, sequence, id, kind, article_id, created_at, payload)
         SELECT CAST(? AS TEXT), i, CAST(i AS TEXT), 'article.updated', 'a', i * 10, '{}' FROM numbers`,
        from,
        to,
        website.id,
      ),
    );
  await add(1, 9);
  // As after a backup was put back.
  await add(1_000_010, 1_000_012);
  for (const [at, expected] of [
    [0, { count: 12, first: 1, last: 1_000_012 }],
    [10, { count: 12, first: 1, last: 1_000_012 }],
    [11, { count: 11, first: 2, last: 1_000_012 }],
    [90, { count: 4, first: 9, last: 1_000_012 }],
    [91, { count: 3, first: 1_000_010, last: 1_000_012 }],
    [10_000_120, { count: 1, first: 1_000_012, last: 1_000_012 }],
    [10_000_121, null],
  ] as const) {
    assert.deepEqual(await since(at), expected, String(at));
  }
  await add(2_000_000, 2_025_000);
  assert.deepEqual(await since(20_000_000), { count: 25_001, first: 2_000_000, last: 2_025_000 });
});

/** Makes deliveries with the numbers; `state` is SQL, `i` the number. */
async function fill(
  { app, website }: Awaited<ReturnType<typeof openQueue>>,
  endpointId: string,
  from: number,
  to: number,
  state: string,
): Promise<void> {
  await app.store.write(async (db) => {
    await db.run(
      `WITH RECURSIVE numbers (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
       INSERT INTO deliveries (no, id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
         attempts, created_at)
       SELECT i, CAST(i AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), 'e', i, 'article.updated', CAST(i % 100 AS TEXT), 'event',
         ${state}, 0, 1 FROM numbers`,
      from,
      to,
      website.id,
      endpointId,
    );
    await db.run(
      `INSERT INTO delivery_queue (delivery_no, website_id, endpoint_id, article_id, tries, ready_at)
       SELECT no, website_id, endpoint_id, article_id, 0, 9e15 FROM deliveries WHERE no >= ? AND no <= ? AND state = 'pending'`,
      from,
      to,
    );
  });
}

async function numbers(db: Snapshot, endpointId: string, state: string | undefined): Promise<number[]> {
  const all = await db.all("SELECT no, state FROM deliveries WHERE endpoint_id = ? ORDER BY no DESC", endpointId);
  return all.filter((row) => state === undefined || row.state === state).map(({ no }) => no);
}
