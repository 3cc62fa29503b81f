/** docs/webhooks.md: endpoints that come and go while events are made, and articles that are published by their plan. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { openLog } from "../../src/process/log.ts";
import { createArticle, scheduleArticle } from "../../src/operations/articles/write/articles.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  pauseEndpoint,
} from "../../src/operations/webhooks/endpoints.ts";
import { pruneHistory } from "../../src/operations/webhooks/queue-maintenance.ts";
import { startService } from "../../src/service/service.ts";
import { CHIEF, DAY, makeArticle } from "../helpers/articles.ts";
import { startTestService } from "../helpers/service.ts";
import { eventually, gate, LOOPBACK, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";
import { wrapStore } from "../helpers/wrap-store.ts";
import { publishDueArticles } from "../../src/operations/articles/write/schedule.ts";

async function scheduled({ app, website }: TestQueue, title: string, at: number): Promise<string> {
  const input = makeArticle({ title, status: "approved" });
  const { article } = await createArticle(app, website.id, input, CHIEF);
  await scheduleArticle(app, article.id, at, CHIEF);
  return article.id;
}

test("a scheduled publication is sent once, at its time", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  queue.start();
  const at = queue.app.now + DAY;
  await scheduled(queue, "Planned", at);
  queue.app.now = at - 1;
  await publishDueArticles(queue.app, 100);
  assert.deepEqual(await queue.states(id), []);
  queue.app.now = at;
  await publishDueArticles(queue.app, 100);
  await publishDueArticles(queue.app, 100);
  await eventually(() => queue.states(id), ["delivered"]);
  assert.deepEqual(
    receiver.received.map(({ event, data }) => [event["event"], data["title"], data["published_at"]]),
    [["article.published", "Planned", new Date(at).toISOString()]],
  );
});

test("articles that became due while no service ran are published and sent once at the next start", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  // Long ago by the clock on the wall, which the service goes by.
  await scheduled(queue, "Overdue", queue.app.now + 1);
  for (const _start of [1, 2]) {
    await using _ = await startService({ ...queue.app, clock: Date.now }, openLog("silent"));
    await eventually(() => queue.states(id), ["delivered"]);
  }
  assert.deepEqual(receiver.titles, ["Overdue"]);
});

test("an endpoint gets the events since its creation", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  queue.start();
  await queue.publish("Before");
  const { id } = await queue.endpoint(receiver);
  await queue.publish("After");
  await eventually(() => queue.states(id), ["delivered"]);
  assert.deepEqual(receiver.titles, ["After"]);
});

test("a change that is rolled back sends nothing", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  const refused = new Error("refused");
  const { store } = queue.app;
  const refusing = wrapStore(store, {
    write: (work) =>
      store.write(async (db) => {
        await work(db);
        throw refused;
      }),
  });
  const input = makeArticle({ title: "Lost", status: "published" });
  await assert.rejects(createArticle({ ...queue.app, store: refusing }, queue.website.id, input, CHIEF), refused);
  queue.start();
  await queue.publish("Kept");
  await eventually(() => queue.states(id), ["delivered"]);
  assert.deepEqual(receiver.titles, ["Kept"]);
});

test("a deleted endpoint gets nothing more, and attempts in progress leave no trace", async () => {
  await using queue = await openQueue();
  const held = gate();
  await using receiver = await ScriptedReceiver.start(held.script);
  await using other = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  queue.start();
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  await receiver.arrival(1);
  await deleteEndpoint(queue.app, id, CLI_ORIGIN);
  held.open({ status: 500 });
  await eventually(() => queue.recorded.map(({ result }) => result), ["lost"]);
  const { id: otherId } = await queue.endpoint(other);
  queue.app.now += DAY;
  await queue.retitle(article, "A3");
  await eventually(() => queue.states(otherId), ["delivered"]);
  assert.deepEqual(receiver.titles, ["A1"]);
  assert.deepEqual(
    (await listEndpoints(queue.app, queue.website.id)).map((endpoint) => endpoint.id),
    [otherId],
  );
  await pruneHistory(queue.app, 0);
  assert.deepEqual(await queue.states(otherId), ["delivered"]);
  assert.deepEqual(queue.errors, []);
});

test("an endpoint whose history was deleted during an attempt causes no error", async () => {
  await using queue = await openQueue();
  const held = gate();
  await using receiver = await ScriptedReceiver.start(held.script);
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await receiver.arrival(1);
  await deleteEndpoint(queue.app, id, CLI_ORIGIN);
  await pruneHistory(queue.app, 0);
  held.open();
  await eventually(() => queue.recorded.map(({ result }) => result), ["lost"]);
  assert.deepEqual(queue.errors, []);
});

test("actions on a deleted endpoint are refused", async () => {
  await using queue = await openQueue();
  const { id } = await queue.endpoint({ url: "http://127.0.0.1:1/" });
  await deleteEndpoint(queue.app, id, CLI_ORIGIN);
  await assert.rejects(deleteEndpoint(queue.app, id, CLI_ORIGIN), { code: "not_found" });
  await assert.rejects(pauseEndpoint(queue.app, id, CLI_ORIGIN), { code: "not_found" });
});

test("the first endpoint of a running service gets events at once", async () => {
  await using service = await startTestService(LOOPBACK);
  await using receiver = await ScriptedReceiver.start();
  await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
  const input = makeArticle({ title: "First", status: "published" });
  await createArticle(service.app, service.website.id, input, CHIEF);
  await receiver.arrival(1);
  assert.deepEqual([receiver.titles, service.log.failures], [["First"], []]);
});
