/** docs/webhooks.md, "What is set aside": what always fails by itself never stops the others. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { listDeadLetters } from "../../src/operations/system/set-aside.ts";
import { makeAuthority, makeCertificate } from "../helpers/certificates.ts";
import { poison } from "../helpers/poison.ts";
import { until } from "../helpers/until.ts";
import { eventually, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

/** Two receivers, and a queue whose dispatcher runs. */
async function two() {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue());
  const first = opened.use(await ScriptedReceiver.start());
  const second = opened.use(await ScriptedReceiver.start());
  const a = await queue.endpoint(first);
  const b = await queue.endpoint(second);
  const owned = opened.move();
  return { queue, first, second, a, b, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const letters = async (queue: TestQueue) =>
  (await listDeadLetters(queue.app, 100)).map(({ kind, subjectId }) => ({ kind, subjectId }));

const nos = (queue: TestQueue, endpointId: string) =>
  queue.app.store.read((db) => db.all("SELECT no, id FROM deliveries WHERE endpoint_id = ? ORDER BY no", endpointId));

test("a certificate for a name with NUL in it fails its own delivery, readably, and no other", async () => {
  const authority = makeAuthority("Private");
  const tls = createServer(makeCertificate({ hosts: [], name: "foo\0bar", issuer: authority }), (_, response) => {
    response.end();
  });
  tls.listen(0, "127.0.0.1");
  await once(tls, "listening");
  try {
    // The name that a URL gives may have both addresses.
    await using queue = await openQueue({ ROSTRUM_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32,::1/128" });
    await using receiver = await ScriptedReceiver.start();
    const { port } = tls.address() as AddressInfo;
    const bad = await queue.endpoint({ url: `https://localhost:${port}/` }, { ca: authority.cert });
    const good = await queue.endpoint(receiver);
    queue.start();
    await queue.publish("A");
    await eventually(() => queue.states(good.id), ["delivered"]);
    await eventually(async () => (await queue.deliveries(bad.id))[0]?.attempts.length, 1);
    const [attempt] = (await queue.deliveries(bad.id))[0]?.attempts ?? [];
    assert.equal(attempt?.outcome, "tls");
    assert.match(attempt?.error ?? "", /foo\uFFFDbar/);
    await queue.publish("B");
    await eventually(() => queue.states(good.id), ["delivered", "delivered"]);
    assert.deepEqual(queue.errors, []);
    assert.deepEqual(await letters(queue), []);
  } finally {
    tls.closeAllConnections();
    tls.close();
  }
});

test("an attempt whose details cannot be saved is recorded without them, once, and those of others are complete", async () => {
  await using hook = await two();
  hook.first.script = () => ({ body: "strange" });
  await poison(hook.queue.app.store, "INSERT", "attempts", "response_body", "strange");
  hook.queue.start();
  const article = await hook.queue.publish("A1");
  await hook.queue.retitle(article, "A2");
  await eventually(() => hook.queue.states(hook.a.id), ["delivered", "delivered"]);
  await eventually(() => hook.queue.states(hook.b.id), ["delivered", "delivered"]);
  const [one] = await hook.queue.deliveries(hook.a.id);
  assert.deepEqual([one?.attempts[0]?.status, one?.attempts[0]?.responseBody], [200, ""]);
  assert.deepEqual(hook.first.titles, ["A1", "A2"]);
  assert.ok(hook.queue.errors.length > 0);
});

test("a delivery whose result cannot be recorded is set aside, sent once, and the article's next one follows", async () => {
  await using hook = await two();
  const article = await hook.queue.publish("A1");
  await hook.queue.retitle(article, "A2");
  const [bad] = await nos(hook.queue, hook.a.id);
  await poison(hook.queue.app.store, "INSERT", "attempts", "delivery_no", bad?.no ?? 0);
  hook.queue.start();
  await eventually(() => hook.queue.states(hook.a.id), ["delivered", "delivered"]);
  await eventually(() => hook.queue.states(hook.b.id), ["delivered", "delivered"]);
  assert.deepEqual(hook.first.titles, ["A1", "A2"]);
  assert.deepEqual(await letters(hook.queue), [{ kind: "delivery", subjectId: bad?.id }]);
});

test("a delivery whose state cannot be changed leaves the queue", async () => {
  await using hook = await two();
  const article = await hook.queue.publish("A1");
  await hook.queue.retitle(article, "A2");
  const [bad] = await nos(hook.queue, hook.a.id);
  await poison(hook.queue.app.store, "UPDATE", "deliveries", "no", bad?.no ?? 0);
  hook.queue.start();
  await eventually(() => hook.queue.states(hook.a.id), ["pending", "delivered"]);
  assert.deepEqual(hook.first.titles, ["A1", "A2"]);
  assert.deepEqual(await letters(hook.queue), [{ kind: "delivery", subjectId: bad?.id }]);
});

test("a delivery that cannot leave the queue is not claimed again", async () => {
  await using hook = await two();
  await hook.queue.publish("A");
  const [bad] = await nos(hook.queue, hook.a.id);
  await poison(hook.queue.app.store, "DELETE", "delivery_queue", "delivery_no", bad?.no ?? 0);
  hook.queue.start();
  await eventually(() => letters(hook.queue), [{ kind: "delivery", subjectId: bad?.id }]);
  hook.queue.app.now += 3_600_000;
  await hook.queue.publish("B");
  await eventually(async () => hook.first.titles.length, 2);
  assert.deepEqual(hook.first.titles, ["A", "B"]);
});

test("a delivery that cannot be claimed is set aside; the others of its endpoint are sent", async () => {
  await using hook = await two();
  await hook.queue.publish("A");
  await hook.queue.publish("B");
  const [bad] = await nos(hook.queue, hook.a.id);
  await poison(hook.queue.app.store, "UPDATE", "delivery_queue", "delivery_no", bad?.no ?? 0);
  hook.queue.start();
  await eventually(() => hook.queue.states(hook.a.id), ["exhausted", "delivered"]);
  await eventually(() => hook.queue.states(hook.b.id), ["delivered", "delivered"]);
  assert.deepEqual(hook.first.titles, ["B"]);
  assert.deepEqual(await letters(hook.queue), [{ kind: "delivery", subjectId: bad?.id }]);
});

test("an endpoint whose row cannot be written waits alone", async () => {
  await using hook = await two();
  await poison(hook.queue.app.store, "UPDATE", "endpoints", "id", hook.a.id);
  hook.queue.start();
  await hook.queue.publish("A");
  await hook.queue.publish("B");
  await eventually(() => hook.queue.states(hook.b.id), ["delivered", "delivered"]);
});

test("an endpoint whose row cannot be read waits alone", async () => {
  await using hook = await two();
  await hook.queue.publish("A");
  await hook.queue.app.store.write((db) =>
    db.run("UPDATE endpoints SET headers = 'no seal', events = 'no JSON' WHERE id = ?", hook.a.id),
  );
  hook.queue.start();
  await eventually(() => hook.queue.states(hook.b.id), ["delivered"]);
});

test("an event whose message cannot be built is set aside and sent to nobody, and the article's next one is sent", async () => {
  await using hook = await two();
  await using thin = await ScriptedReceiver.start();
  const { id } = await hook.queue.endpoint(thin, { payload: "thin" });
  const article = await hook.queue.publish("A1");
  await hook.queue.app.store.write((db) => db.run("UPDATE events SET payload = '{' WHERE article_id = ?", article));
  await hook.queue.publish("B");
  hook.first.script = () => ({});
  hook.queue.start();
  await eventually(() => hook.queue.states(id), ["exhausted", "delivered"]);
  assert.equal(thin.received.length, 1);
  assert.equal((await hook.queue.find(id)).consecutiveFailures, 0);
});

test("while nothing can be sent, few deliveries are given up, and the others are sent afterwards", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver, { payload: "thin" });
  for (let number = 1; number <= 30; number++) await queue.publish(`Article ${number}`);
  const { store } = queue.app;
  const events = await store.read((db) => db.all("SELECT id, payload FROM events"));
  await store.write((db) => db.run("UPDATE events SET payload = '{'"));
  const dispatcher = queue.start();
  const count = async (state: string) => (await queue.states(id)).filter((one) => one === state).length;
  // Each one given up is logged, and then that the webhook waits.
  await until("it was told that the others wait", () => queue.errors.length > 20);
  await eventually(async () => [await count("exhausted"), await count("pending")], [20, 10]);
  for (const { id: event, payload } of events) {
    await store.write((db) => db.run("UPDATE events SET payload = ? WHERE id = ?", payload, event));
  }
  queue.app.now += 60_000;
  dispatcher.wake();
  await eventually(async () => [await count("exhausted"), await count("delivered")], [20, 10]);
});

test("while no result can be recorded, few deliveries are given up; the others wait, are not sent again, and are recorded afterwards", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => ({ status: 299 }));
  const { id } = await queue.endpoint(receiver);
  const heal = await poison(queue.app.store, "INSERT", "attempts", "status", 299);
  for (let number = 1; number <= 24; number++) await queue.publish(`Article ${number}`);
  const dispatcher = queue.start();
  const count = async (state: string) => (await queue.states(id)).filter((one) => one === state).length;
  const isTold = () => queue.errors.some((error) => String(error).includes("poison"));
  // Twenty given up, each logged; the batch; and that the webhook waits.
  await until("the log says that the others wait", () => isTold() && queue.errors.length === 22);
  await eventually(async () => [await count("delivered"), await count("pending")], [20, 4]);
  assert.equal(receiver.received.length, 21);
  // Another webhook is served, and what it gets is recorded.
  await using healthy = await ScriptedReceiver.start();
  const other = await queue.endpoint(healthy);
  await queue.publish("Meanwhile");
  await eventually(() => queue.states(other.id), ["delivered"]);
  assert.deepEqual([receiver.received.length, await count("delivered"), queue.errors.length], [21, 20, 22]);
  await heal();
  queue.app.now += 6_000;
  dispatcher.wake();
  await eventually(() => count("delivered"), 25);
  assert.equal(receiver.received.length, 25);
  assert.equal(new Set(receiver.titles).size, 25);
  assert.equal((await letters(queue)).length, 20);
});

test("dead letters stay set aside after a restart, and other deliveries are sent", async () => {
  await using hook = await two();
  await hook.queue.publish("A");
  const [bad] = await nos(hook.queue, hook.a.id);
  await poison(hook.queue.app.store, "UPDATE", "delivery_queue", "delivery_no", bad?.no ?? 0);
  const dispatcher = hook.queue.start();
  await eventually(() => hook.queue.states(hook.a.id), ["exhausted"]);
  await dispatcher.stop(1_000);
  const reopened = await hook.queue.reopen();
  hook.queue.start({ worker: "later", app: reopened });
  await hook.queue.publish("B");
  await eventually(() => hook.queue.states(hook.a.id), ["exhausted", "delivered"]);
  assert.deepEqual(await letters(hook.queue), [{ kind: "delivery", subjectId: bad?.id }]);
});
