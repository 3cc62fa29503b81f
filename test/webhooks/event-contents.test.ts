/** docs/api.md, "Content that was removed": events stay, but lose the content of deleted articles. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import type { ArticleEvent } from "../../src/domain/webhooks/event.ts";
import {
  createArticle,
  deleteArticle,
  publishArticle,
  unpublishArticle,
} from "../../src/operations/articles/write/articles.ts";
import { enableEndpoint } from "../../src/operations/webhooks/catch-up.ts";
import { readDelivery } from "../../src/operations/webhooks/deliveries.ts";
import { pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { removeContents } from "../../src/operations/webhooks/event-contents.ts";
import { redeliver, replaySince, stepReplays } from "../../src/operations/webhooks/replays.ts";
import { listEvents } from "../../src/store/webhooks/events.ts";
import { CHIEF, makeArticle } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { poison } from "../helpers/poison.ts";
import { startTestService } from "../helpers/service.ts";
import { eventually, FAILS, gate, OK, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const DAY = 86_400_000;
const SECRET = "Nobody may read this";

const events = ({ app, website }: TestQueue): Promise<ArticleEvent[]> =>
  app.store.read((db) => listEvents(db, website.id, { after: 0, limit: 1_000 }));

const dataOf = (event: ArticleEvent | undefined) => record(record(JSON.parse(event?.payload ?? ""))["data"]);

const removed = async (queue: TestQueue) => (await events(queue)).map((event) => event.isContentRemoved);

/** Published, changed and deleted; and another article that lives. */
async function deleted(queue: TestQueue): Promise<string> {
  const id = await queue.publish(SECRET, {
    content: `<p>${SECRET}</p>`,
    excerpt: SECRET,
    metaDescription: SECRET,
    tags: [SECRET],
    categories: [SECRET],
    seoKeywords: [SECRET],
    targetKeyword: SECRET,
    featuredImageUrl: "https://example.com/nobody-may-read-this.png",
    featuredImageAlt: SECRET,
  });
  await queue.retitle(id, `${SECRET}, either`);
  await queue.publish("Lives");
  await deleteArticle(queue.app, id, CHIEF);
  return id;
}

test("the earlier events of a deleted article lose their content and nothing else; other articles' events keep theirs", async () => {
  await using queue = await openQueue();
  const id = await deleted(queue);
  const before = await events(queue);
  assert.equal(await removeContents(queue.app, null), 2);
  const after = await events(queue);
  assert.deepEqual(
    after.map((event) => event.isContentRemoved),
    [true, true, false, false],
  );
  assert.doesNotMatch(JSON.stringify(after), /nobody.may.read/i);
  assert.deepEqual(after.slice(2), [before[2], { ...before[3], extension: null }]);
  for (const index of [0, 1]) {
    const [was, is] = [before[index], after[index]];
    const kept = { payload: "", extension: null, isContentRemoved: false };
    assert.deepEqual({ ...is, ...kept }, { ...was, ...kept });
    const [old, data] = [dataOf(was), dataOf(is)];
    assert.deepEqual(Object.keys(data).toSorted(), [...Object.keys(old), "content_removed"].toSorted());
    for (const [name, value] of Object.entries(old)) {
      if (typeof value === "string" && data[name] !== null) assert.equal(typeof data[name], "string", name);
      if (Array.isArray(value)) assert.ok(Array.isArray(data[name]), name);
    }
    assert.deepEqual(data["content"], { html: "", markdown: "", text: "" });
    for (const name of ["article_id", "api_url", "created_at", "user_id", "updated_fields", "published_at"]) {
      assert.deepEqual(data[name], old[name], name);
    }
    assert.deepEqual([data["slug"], data["content_removed"]], [id, true]);
  }
  assert.equal(await removeContents(queue.app, null), 0);
});

test("the events of an unpublished article lose their content, too; when it is published again, the new event has it", async () => {
  await using queue = await openQueue();
  const id = await queue.publish("A");
  await unpublishArticle(queue.app, id, CHIEF);
  await publishArticle(queue.app, id, CHIEF);
  assert.equal(await removeContents(queue.app, null), 1);
  assert.deepEqual(await removed(queue), [true, false, false]);
});

test("content is kept while a delivery waits, is being sent or is parked", async () => {
  await using queue = await openQueue();
  const held = gate();
  await using receiver = await ScriptedReceiver.start((request, index) => (index === 0 ? held.script(request, 0) : {}));
  const { id } = await queue.endpoint(receiver);
  await deleted(queue);
  assert.equal(await removeContents(queue.app, null), 0);
  const dispatcher = queue.start();
  await receiver.arrival(1);
  assert.equal(await removeContents(queue.app, null), 0);
  held.open();
  await eventually(async () => new Set(await queue.states(id)), new Set(["delivered"]));
  await dispatcher.stop(10_000);
  assert.ok(receiver.received.every(({ data }) => data["content_removed"] === undefined));
  assert.equal(await removeContents(queue.app, null), 2);
});

test("parked events keep their content until they are replayed", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await deleted(queue);
  assert.equal(await removeContents(queue.app, null), 0);
  await enableEndpoint(queue.app, id, "all", CLI_ORIGIN);
  while (await stepReplays(queue.app, 1)) assert.equal(await removeContents(queue.app, null), 0);
  queue.start();
  await eventually(async () => new Set(await queue.states(id)), new Set(["delivered"]));
  assert.ok(receiver.titles.includes(SECRET));
  assert.equal(await removeContents(queue.app, null), 2);
});

test("an event without content is not sent again: not by hand, by a range, or by enabling", async () => {
  await using queue = await openQueue({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" });
  await using receiver = await ScriptedReceiver.start(FAILS);
  const { id } = await queue.endpoint(receiver);
  const dispatcher = queue.start();
  const article = await deleted(queue);
  const passTime = setInterval(() => (queue.app.now += 1_000), 20);
  await eventually(async () => new Set(await queue.states(id)), new Set(["exhausted"]));
  clearInterval(passTime);
  await dispatcher.stop(10_000);
  assert.equal(await removeContents(queue.app, null), 2);
  const [first] = await queue.deliveries(id);
  assert.equal((await readDelivery(queue.app, first?.delivery.id ?? "")).payload, null);
  await assert.rejects(redeliver(queue.app, first?.delivery.id ?? "", CLI_ORIGIN), { code: "conflict" });
  receiver.script = OK;
  receiver.received.length = 0;
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await enableEndpoint(queue.app, id, "all", CLI_ORIGIN);
  while (await stepReplays(queue.app, 100));
  queue.start({ worker: "later" });
  await eventually(() => queue.states(id), ["exhausted", "exhausted", "delivered", "delivered"]);
  await replaySince(queue.app, id, 0, CLI_ORIGIN);
  while (await stepReplays(queue.app, 100));
  await receiver.arrival(4);
  assert.deepEqual(new Set(receiver.titles), new Set(["Lives", article]));
});

test("with a number of days set, every event loses its content at that age, and its article is still readable", async () => {
  await using queue = await openQueue();
  const id = await queue.publish("Old");
  queue.app.now += 40 * DAY;
  await queue.retitle(id, "Newer");
  queue.app.now += 30 * DAY;
  assert.equal(await removeContents(queue.app, null), 0);
  assert.equal(await removeContents(queue.app, 60 * DAY), 1);
  assert.deepEqual(await removed(queue), [true, false]);
  queue.app.now += 40 * DAY;
  assert.equal(await removeContents(queue.app, 60 * DAY), 1);
  assert.deepEqual(await removed(queue), [true, true]);
});

test("old content is removed in batches until none is left", async () => {
  await using queue = await openQueue();
  const id = await queue.publish("0");
  for (let count = 1; count < 250; count++) await queue.retitle(id, String(count));
  queue.app.now += 61 * DAY;
  await queue.publish("New");
  assert.equal(await removeContents(queue.app, 60 * DAY), 250);
  assert.equal((await removed(queue)).filter((is) => !is).length, 1);
});

test("content that cannot be removed does not block the rest", async () => {
  await using queue = await openQueue();
  const ids = [await queue.publish("A"), await queue.publish("B"), await queue.publish("C")];
  for (const id of ids) await deleteArticle(queue.app, id, CHIEF);
  await poison(queue.app.store, "UPDATE", "events", "sequence", 2);
  const errors: string[] = [];
  assert.equal(await removeContents(queue.app, null, (_, message) => errors.push(message)), 2);
  assert.equal(await removeContents(queue.app, null, (_, message) => errors.push(message)), 0);
  assert.equal(errors.length, 1);
});

test("the feed shows an event without content in the same shape, and says that its content was removed", async () => {
  await using service = await startTestService();
  const { app, website } = service;
  const { article } = await createArticle(app, website.id, makeArticle({ title: SECRET, status: "published" }), CHIEF);
  await deleteArticle(app, article.id, CHIEF);
  await removeContents(app, null);
  const { events: shown } = await service.events();
  assert.deepEqual(
    shown.map((event) => [event["sequence"], event["event"], record(event["data"])["content_removed"]]),
    [
      [1, "article.published", true],
      [2, "article.deleted", undefined],
    ],
  );
  assert.equal(record(shown[0]?.["data"])["article_id"], article.id);
});
