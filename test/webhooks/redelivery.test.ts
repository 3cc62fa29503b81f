/** docs/webhooks.md: sending again what was sent (one delivery, a range), and sending a test. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { listDeliveries, testEndpoint } from "../../src/operations/webhooks/deliveries.ts";
import { createEndpoint, loadEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { redeliver, replaySince, stepReplays } from "../../src/operations/webhooks/replays.ts";
import { DAY } from "../helpers/articles.ts";
import * as shapes from "../helpers/shapes.ts";
import { assertSigned, eventually, gate, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const ABORTS = () => ({ status: 500, headers: { "webhook-delivery": "abort-message" } });
const UNKNOWN = "00000000-0000-7000-8000-000000000000";

/** An endpoint to which A, B and C were delivered, a day apart. */
async function delivered() {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue());
  const receiver = opened.use(await ScriptedReceiver.start());
  const { id, secret } = await queue.endpoint(receiver);
  queue.start();
  const start = queue.app.now;
  for (const title of ["A", "B", "C"]) {
    await queue.publish(title);
    // Different articles are sent side by side: only one that has arrived comes before the next.
    await eventually(async () => (await queue.states(id)).at(-1), "delivered");
    queue.app.now += DAY;
  }
  const owned = opened.move();
  return { queue, receiver, id, secret, start, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function replay({ app }: TestQueue, limit = 100): Promise<void> {
  while (await stepReplays(app, limit));
}

test("a redelivery is a delivery of its own, with the webhook-id and the body of the first", async () => {
  await using hook = await delivered();
  const [first] = await hook.queue.deliveries(hook.id);
  const id = await redeliver(hook.queue.app, first?.delivery.id ?? "", CLI_ORIGIN);
  const again = await hook.receiver.arrival(4);
  assert.equal(again.headers["webhook-id"], hook.receiver.received[0]?.headers["webhook-id"]);
  assert.equal(again.body, hook.receiver.received[0]?.body);
  assert.equal(again.headers["webhook-attempt"], "1");
  await eventually(async () => (await hook.queue.states(hook.id)).length, 4);
  const last = (await hook.queue.deliveries(hook.id)).at(-1)?.delivery;
  assert.deepEqual([last?.id, last?.origin, last?.eventId], [id, "redelivery", first?.delivery.eventId]);
});

test("an exhausted delivery can be sent again; one that is still being sent, or is unknown, cannot", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(ABORTS);
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await eventually(() => queue.states(id), ["exhausted"]);
  const held = gate();
  receiver.script = held.script;
  const again = await redeliver(queue.app, (await queue.deliveries(id))[0]?.delivery.id ?? "", CLI_ORIGIN);
  await assert.rejects(redeliver(queue.app, again, CLI_ORIGIN), { code: "conflict", message: /still being sent/ });
  await assert.rejects(redeliver(queue.app, UNKNOWN, CLI_ORIGIN), { code: "not_found" });
  held.open();
  await eventually(() => queue.states(id), ["exhausted", "delivered"]);
});

test("a range sends the events since then again, with their original webhook-ids", async () => {
  await using hook = await delivered();
  assert.equal(await replaySince(hook.queue.app, hook.id, hook.start + DAY, CLI_ORIGIN), 2);
  await replay(hook.queue);
  await hook.receiver.arrival(5);
  const { titles } = hook.receiver;
  const ids = hook.receiver.header("webhook-id");
  assert.deepEqual(titles.slice(3).toSorted(), ["B", "C"]);
  for (const [index, title] of titles.entries()) assert.equal(ids[index], ids[titles.indexOf(title)]);
  assert.deepEqual(
    (await hook.queue.deliveries(hook.id)).map(({ delivery }) => delivery.origin),
    ["event", "event", "event", "replay", "replay"],
  );
});

test("a range has the events before the request, of the kinds that the endpoint subscribes to", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  const { id } = await queue.endpoint(receiver, { events: ["article.updated"] });
  assert.equal(await replaySince(queue.app, id, 0, CLI_ORIGIN), 1);
  await queue.retitle(article, "A3");
  await replay(queue, 1);
  queue.start();
  await eventually(() => queue.states(id), ["delivered", "delivered"]);
  assert.deepEqual(receiver.titles, ["A3", "A2"]);
});

test("a range without events is empty", async () => {
  await using hook = await delivered();
  assert.equal(await replaySince(hook.queue.app, hook.id, hook.start + 10 * DAY, CLI_ORIGIN), 0);
  await replay(hook.queue);
  assert.equal((await hook.queue.states(hook.id)).length, 3);
});

test("a range continues after a restart where it stopped, and sends nothing twice", async () => {
  await using hook = await delivered();
  await replaySince(hook.queue.app, hook.id, 0, CLI_ORIGIN);
  assert.equal(await stepReplays(hook.queue.app, 1), true);
  const after = await hook.queue.reopen();
  while (await stepReplays(after, 1));
  await eventually(async () => (await hook.queue.states(hook.id)).filter((state) => state === "delivered").length, 6);
  assert.deepEqual(hook.receiver.titles.toSorted(), ["A", "A", "B", "B", "C", "C"]);
});

test("a test is sent at once, signed, whatever the endpoint's state, and shows its attempt", async () => {
  await using hook = await delivered();
  await pauseEndpoint(hook.queue.app, hook.id, CLI_ORIGIN);
  // The independent check looks at the clock on the wall.
  hook.queue.app.now = Date.now();
  const { delivery, attempts } = await testEndpoint(hook.queue.app, hook.id, CLI_ORIGIN);
  const request = await hook.receiver.arrival(4);
  assertSigned(request, hook.secret);
  shapes.envelope(request.event, "the body");
  shapes.publishedData(request.data, "data");
  assert.equal(request.data["title"], "C");
  assert.equal(request.headers["webhook-sequence"], undefined);
  assert.deepEqual([delivery.origin, delivery.state], ["test", "delivered"]);
  assert.deepEqual(
    attempts.map(({ outcome, status }) => [outcome, status]),
    [["success", 204]],
  );
});

test("a test of a website without published articles reports the deletion of an article that never existed", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await testEndpoint(queue.app, id, CLI_ORIGIN);
  shapes.deletedData((await receiver.arrival(1)).data, "data");
  assert.equal(receiver.received[0]?.event["event"], "article.deleted");
});

test("a test affects neither health nor events, and is tried once", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => ({ status: 410 }));
  const { id } = await queue.endpoint(receiver);
  const before = await queue.find(id);
  const { delivery } = await testEndpoint(queue.app, id, CLI_ORIGIN);
  assert.equal(delivery.state, "exhausted");
  assert.deepEqual(await queue.find(id), before);
  const { n } = (await queue.app.store.read((db) => db.get("SELECT COUNT(*) AS n FROM events"))) ?? {};
  assert.equal(n, 0);
  const { queued } = (await queue.app.store.read((db) => db.get("SELECT COUNT(*) AS queued FROM delivery_queue"))) ?? {
    queued: undefined,
  };
  assert.equal(queued, 0);
});

test("a test is in the history, and cannot be sent again", async () => {
  await using hook = await delivered();
  const { delivery } = await testEndpoint(hook.queue.app, hook.id, CLI_ORIGIN);
  const [newest] = await listDeliveries(hook.queue.app, hook.id, { limit: 1 });
  assert.equal(newest?.delivery.id, delivery.id);
  await assert.rejects(redeliver(hook.queue.app, delivery.id, CLI_ORIGIN), {
    code: "conflict",
    message: /another test/,
  });
});

test("requests for an unknown endpoint are refused", async () => {
  await using queue = await openQueue();
  await assert.rejects(testEndpoint(queue.app, UNKNOWN, CLI_ORIGIN), { code: "not_found" });
  await assert.rejects(replaySince(queue.app, UNKNOWN, 0, CLI_ORIGIN), { code: "not_found" });
  await assert.rejects(pauseEndpoint(queue.app, UNKNOWN, CLI_ORIGIN), { code: "not_found" });
  await assert.rejects(listDeliveries(queue.app, UNKNOWN, { limit: 1 }), { code: "not_found" });
  await assert.rejects(
    queue.app.store.read((db) => loadEndpoint(db, UNKNOWN)),
    { code: "not_found" },
  );
  await assert.rejects(createEndpoint(queue.app, UNKNOWN, { url: "http://127.0.0.1:1/" }, CLI_ORIGIN), {
    code: "not_found",
  });
});
