/** docs/webhooks.md, "Options of a webhook": event kinds, thin bodies, custom headers, coalescing, rotated secrets. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import {
  createEndpoint,
  DEFAULT_OVERLAP_MS,
  deleteEndpoint,
  type NewEndpoint,
  rotateSecret,
} from "../../src/operations/webhooks/endpoints.ts";
import { redeliver } from "../../src/operations/webhooks/replays.ts";
import { createWebsite } from "../../src/operations/website/websites.ts";
import { CHIEF, DAY, makeArticle } from "../helpers/articles.ts";
import { eventually, gate, isSignedBy, OK, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

let queue: TestQueue;

before(async () => {
  queue = await openQueue();
  queue.start();
});
after(() => queue[Symbol.asyncDispose]());

async function listening(settings: Partial<NewEndpoint> = {}, script = OK) {
  const receiver = await ScriptedReceiver.start(script);
  const { id, secret } = await queue.endpoint(receiver, settings);
  return {
    id,
    secret,
    receiver,
    states: () => queue.states(id),
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await deleteEndpoint(queue.app, id, CLI_ORIGIN);
    },
  };
}

test("an endpoint gets the kinds of events that it subscribes to, and no others", async () => {
  await using hook = await listening({ events: ["article.deleted", "article.published"] });
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  await deleteArticle(queue.app, article, CHIEF);
  await eventually(hook.states, ["delivered", "delivered"]);
  assert.deepEqual(
    hook.receiver.received.map(({ event }) => event["event"]),
    ["article.published", "article.deleted"],
  );
});

test("events of other websites are not sent", async () => {
  await using hook = await listening();
  await using other = await ScriptedReceiver.start();
  const { id } = await createWebsite(
    queue.app,
    { name: "Other", url: "https://other.example.com", urlPattern: null },
    CLI_ORIGIN,
  );
  const { endpoint } = await createEndpoint(queue.app, id, { url: other.url }, CLI_ORIGIN);
  await createArticle(queue.app, id, makeArticle({ title: "Elsewhere", status: "published" }), CHIEF);
  await queue.publish("Here");
  await Promise.all([hook.receiver.arrival(1), other.arrival(1)]);
  await eventually(hook.states, ["delivered"]);
  await eventually(() => queue.states(endpoint.id), ["delivered"]);
  assert.deepEqual([hook.receiver.titles, other.titles], [["Here"], ["Elsewhere"]]);
  await deleteEndpoint(queue.app, endpoint.id, CLI_ORIGIN);
});

test("a thin body is the envelope with only article_id and api_url, and the signature covers that body", async () => {
  await using hook = await listening({ payload: "thin" });
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  await deleteArticle(queue.app, article, CHIEF);
  await hook.receiver.arrival(3);
  for (const request of hook.receiver.received) {
    assert.deepEqual(Object.keys(request.event), ["event", "timestamp", "website_id", "data"]);
    assert.deepEqual(request.data, { article_id: article, api_url: `/api/public/articles/${article}` });
    assert.ok(isSignedBy(request, hook.secret));
  }
});

test("an endpoint's own headers are sent with every message; their values are stored sealed and never shown", async () => {
  const headers = { Authorization: "Bearer hush-hush", "X-Tenant": "caf\u00e9 7" };
  await using hook = await listening({ headers });
  await queue.publish("A");
  const request = await hook.receiver.arrival(1);
  assert.equal(request.headers.authorization, "Bearer hush-hush");
  assert.equal(request.headers["x-tenant"], "caf\u00e9 7");
  await eventually(hook.states, ["delivered"]);
  const shown = (await queue.deliveries(hook.id))[0]?.attempts[0]?.requestHeaders;
  assert.deepEqual([shown?.["Authorization"], shown?.["X-Tenant"]], ["(hidden)", "(hidden)"]);
  assert.equal(shown?.["webhook-id"], request.headers["webhook-id"]);
  const everything = await queue.app.store.read(async (db) => [
    await db.all("SELECT * FROM endpoints"),
    await db.all("SELECT * FROM attempts"),
    await db.all("SELECT * FROM endpoint_secrets"),
  ]);
  assert.ok(!JSON.stringify(everything).includes("hush-hush"));
  assert.ok(!JSON.stringify(everything).includes(hook.secret.slice("whsec_".length)));
});

test("an extended body adds the list's fields, and what the article's slug and labels were before", async () => {
  await using hook = await listening({ payload: "extended" });
  const authors = [{ name: "Ada", url: null }];
  const first = { slug: "first", tags: ["a"], categories: ["b"], excerpt: "Short.", authors, language: "de" };
  const article = await queue.publish("A1", first);
  await updateArticle(queue.app, article, { slug: "second", tags: ["c"] }, CHIEF);
  await deleteArticle(queue.app, article, CHIEF);
  await hook.receiver.arrival(3);
  const [published, updated, deleted] = hook.receiver.received.map(({ data }) => data);
  const written = {
    authors,
    meta_title: null,
    canonical_url: null,
    aliases: [],
    language: "de",
    translation_group: null,
  };
  const counted = { word_count: published?.["word_count"], reading_time: 1 };
  const listed = { excerpt: "Short.", ...counted, platform_url: null, ...written };
  assert.ok(Number(published?.["word_count"]) > 0);
  assert.deepEqual({ ...published, ...listed, slug: "first", platform_post_id: null }, published);
  const kept = { categories: ["b"], language: "de", platform_url: null, status: "published" };
  const previous = { slug: "first", tags: ["a"], ...kept };
  const { published_at } = published ?? {};
  assert.deepEqual({ ...updated, ...listed, slug: "second", published_at, previous }, updated);
  assert.deepEqual({ ...deleted, slug: "second", previous: { slug: "second", tags: ["c"], ...kept } }, deleted);
  assert.deepEqual(new Set(hook.receiver.header("webhook-payload")), new Set(["extended"]));
  for (const request of hook.receiver.received) assert.ok(isSignedBy(request, hook.secret));
});

test("an extended body describes the time of the event: retries and redeliveries have the same bytes", async () => {
  await using hook = await listening({ payload: "extended" }, (_request, index) => ({
    status: index === 0 ? 500 : 200,
  }));
  const article = await queue.publish("A1", { slug: "then" });
  await eventually(async () => (await queue.deliveries(hook.id))[0]?.attempts.length, 1);
  await updateArticle(queue.app, article, { slug: "now", excerpt: "Another." }, CHIEF);
  queue.app.now += 10_000;
  await hook.receiver.arrival(3);
  const [delivery] = await queue.deliveries(hook.id);
  await redeliver(queue.app, delivery?.delivery.id ?? "", CLI_ORIGIN);
  await hook.receiver.arrival(4);
  const [attempt, retry, , again] = hook.receiver.received.map(({ body }) => body);
  assert.deepEqual([retry, again], [attempt, attempt]);
});

test("an extended body of an event whose additions are gone has null in their fields", async () => {
  await using hook = await listening({ payload: "extended" }, (_request, index) => ({
    status: index === 0 ? 500 : 200,
  }));
  await queue.publish("A1");
  await eventually(async () => (await queue.deliveries(hook.id))[0]?.attempts.length, 1);
  await queue.app.store.write((db) => db.run("UPDATE events SET extension = NULL"));
  queue.app.now += 10_000;
  const { data } = await hook.receiver.arrival(2);
  assert.deepEqual([data["excerpt"], data["word_count"], data["title"]], [null, null, "A1"]);
});

test("a full body is what the specification describes, and says that it is full", async () => {
  await using hook = await listening();
  await queue.publish("A1");
  const { data, headers } = await hook.receiver.arrival(1);
  assert.equal(headers["webhook-payload"], "full");
  assert.ok(!("excerpt" in data) && !("previous" in data));
});

test("coalescing sends only the newest event of an article within its time, when the first one was due", async () => {
  await using hook = await listening({ coalesceMs: 60_000 });
  const start = queue.app.now;
  const article = await queue.publish("A1");
  for (const edit of [2, 3, 4]) {
    queue.app.now += 10_000;
    await queue.retitle(article, `A${edit}`);
  }
  await queue.publish("B1");
  assert.deepEqual(await hook.states(), ["coalesced", "coalesced", "coalesced", "pending", "pending"]);
  assert.equal((await queue.deliveries(hook.id))[3]?.delivery.nextAttemptAt, start + 60_000);
  queue.app.now = start + 60_000;
  await hook.receiver.arrival(1);
  queue.app.now = start + 90_000;
  await hook.receiver.arrival(2);
  assert.deepEqual(hook.receiver.titles, ["A4", "B1"]);
});

test("coalescing also replaces waiting retries", async () => {
  await using hook = await listening({ coalesceMs: 1_000 }, (_request, index) => ({ status: index === 0 ? 500 : 200 }));
  const article = await queue.publish("A1");
  queue.app.now += 1_000;
  await eventually(async () => (await queue.deliveries(hook.id))[0]?.attempts.length, 1);
  await queue.retitle(article, "A2");
  await queue.retitle(article, "A3");
  queue.app.now += 20_000;
  await eventually(hook.states, ["coalesced", "coalesced", "delivered"]);
  assert.deepEqual(hook.receiver.titles, ["A1", "A3"]);
});

test("coalescing does not affect attempts under way", async () => {
  const held = gate();
  await using hook = await listening({ coalesceMs: 1_000 }, (request, index) =>
    index === 0 ? held.script(request, 0) : {},
  );
  const article = await queue.publish("A1");
  queue.app.now += 1_000;
  await hook.receiver.arrival(1);
  await queue.retitle(article, "A2");
  assert.deepEqual(await hook.states(), ["pending", "pending"]);
  held.open();
  queue.app.now += 1_000;
  await eventually(hook.states, ["delivered", "delivered"]);
});

test("without coalescing every event is sent", async () => {
  await using hook = await listening();
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  await queue.retitle(article, "A3");
  await hook.receiver.arrival(3);
  assert.deepEqual(hook.receiver.titles, ["A1", "A2", "A3"]);
});

test("rotation: both secrets sign during the overlap, and from its end on only the new one", async () => {
  await using hook = await listening();
  const { secret, previousUntil } = await rotateSecret(queue.app, hook.id, DEFAULT_OVERLAP_MS, CLI_ORIGIN);
  assert.equal(previousUntil, queue.app.now + DAY);
  assert.notEqual(secret, hook.secret);
  const signers = async (count: number) => {
    await queue.publish("A");
    const request = await hook.receiver.arrival(count);
    const length = String(request.headers["webhook-signature"]).split(" ").length;
    return [isSignedBy(request, secret), isSignedBy(request, hook.secret), length];
  };
  assert.deepEqual(await signers(1), [true, true, 2]);
  queue.app.now += DAY - 1;
  assert.deepEqual(await signers(2), [true, true, 2]);
  queue.app.now += 1;
  assert.deepEqual(await signers(3), [true, false, 1]);
});

test("after a rotation without an overlap the earlier secret no longer signs", async () => {
  await using hook = await listening();
  const { secret } = await rotateSecret(queue.app, hook.id, 0, CLI_ORIGIN);
  await queue.publish("A");
  const request = await hook.receiver.arrival(1);
  assert.deepEqual([isSignedBy(request, secret), isSignedBy(request, hook.secret)], [true, false]);
});

test("rotating again does not give the first secret more time", async () => {
  await using hook = await listening();
  const second = await rotateSecret(queue.app, hook.id, 1_000, CLI_ORIGIN);
  const third = await rotateSecret(queue.app, hook.id, DAY, CLI_ORIGIN);
  queue.app.now += 1_000;
  await queue.publish("A");
  const request = await hook.receiver.arrival(1);
  assert.deepEqual(
    [hook.secret, second.secret, third.secret].map((secret) => isSignedBy(request, secret)),
    // The second stops with the overlap of the third.
    [false, true, true],
  );
});

test("an overlap lasts 0 to 7 days", async () => {
  await using hook = await listening();
  for (const ms of [-1, 7 * DAY + 1, Number.NaN]) {
    await assert.rejects(rotateSecret(queue.app, hook.id, ms, CLI_ORIGIN), { code: "invalid", field: "overlap" });
  }
  assert.equal((await rotateSecret(queue.app, hook.id, 7 * DAY, CLI_ORIGIN)).previousUntil, queue.app.now + 7 * DAY);
});

test("an invalid setting is refused, and nothing is saved", async () => {
  for (const [wish, field] of [
    [{ url: "ftp://127.0.0.1/" }, "url"],
    [{ url: "http://10.0.0.1/" }, "url"],
    [{ events: ["article.exploded"] }, "events"],
    [{ headers: { "webhook-id": "x" } }, "headers"],
    [{ coalesceMs: -1 }, "coalesce_ms"],
    [{ ca: "no certificate" }, "ca"],
  ] as const) {
    const input = { url: "http://127.0.0.1:1/", ...wish };
    await assert.rejects(createEndpoint(queue.app, queue.website.id, input, CLI_ORIGIN), { code: "invalid", field });
  }
  const { n } = (await queue.app.store.read((db) =>
    db.get("SELECT COUNT(*) AS n FROM endpoints WHERE deleted_at IS NULL"),
  )) ?? { n: -1 };
  assert.equal(n, 0);
});

test("no error was logged while all of this was sent", () => {
  assert.deepEqual(queue.errors, []);
});
