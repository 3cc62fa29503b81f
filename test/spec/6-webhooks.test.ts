/** Sections 6.1 to 6.3, 6.7 and 8: webhooks as they reach a receiver. What their data holds is in 6-events.test.ts. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readConfig } from "../../src/process/settings/config.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { listDeliveries } from "../../src/operations/webhooks/deliveries.ts";
import { createEndpoint, loadEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { CHIEF, fullArticle, makeArticle } from "../helpers/articles.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import * as shapes from "../helpers/shapes.ts";
import { eventually, FAILS, LOOPBACK, openQueue, ScriptedReceiver } from "../helpers/webhooks.ts";

const DEFAULTS = readConfig({}, "/nowhere").webhooks;

let service: TestService;

before(async () => {
  service = await startTestService({
    ...LOOPBACK,
    ROSTRUM_WEBHOOK_RETRY_SECONDS: "0,0,0",
    ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: "2",
  });
});
after(() => service[Symbol.asyncDispose]());

/** A receiver with an endpoint on a website of its own. */
async function listening(script?: ScriptedReceiver["script"]) {
  const receiver = await ScriptedReceiver.start(script);
  const { id: websiteId } = await service.newWebsite();
  const { endpoint } = await createEndpoint(service.app, websiteId, { url: receiver.url }, CLI_ORIGIN);
  const publish = async (input = makeArticle()) =>
    (await createArticle(service.app, websiteId, { ...input, status: "published" }, CHIEF)).article.id;
  return {
    receiver,
    websiteId,
    endpointId: endpoint.id,
    publish,
    deliveries: async () => (await listDeliveries(service.app, endpoint.id, { limit: 100 })).toReversed(),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

test("6: an event is an HTTP POST to the configured URL", async () => {
  await using hook = await listening();
  await hook.publish();
  const { method, path } = await hook.receiver.arrival(1);
  assert.deepEqual([method, path], ["POST", "/hook"]);
});

test("6.1: an article's publication, modification and deletion are sent, each as its kind, in order", async () => {
  await using hook = await listening();
  const id = await hook.publish();
  await updateArticle(service.app, id, { title: "Another" }, CHIEF);
  await deleteArticle(service.app, id, CHIEF);
  await hook.receiver.arrival(3);
  assert.deepEqual(
    hook.receiver.received.map(({ event, data }) => [event["event"], data["article_id"]]),
    [
      ["article.published", id],
      ["article.updated", id],
      ["article.deleted", id],
    ],
  );
});

test("6.1: an article that is stored, approved or changed before its publication is not sent", async () => {
  await using hook = await listening();
  const { app } = service;
  await createArticle(app, hook.websiteId, makeArticle(), CHIEF);
  const { article } = await createArticle(app, hook.websiteId, makeArticle({ status: "approved" }), CHIEF);
  await updateArticle(app, article.id, { title: "Another" }, CHIEF);
  const published = await hook.publish();
  await hook.receiver.arrival(1);
  assert.deepEqual(
    (await hook.deliveries()).map(({ delivery }) => delivery.articleId),
    [published],
  );
});

test("6.2 Content-Type: is application/json, and the body is JSON", async () => {
  await using hook = await listening();
  await hook.publish();
  const { headers, body } = await hook.receiver.arrival(1);
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["content-length"], String(Buffer.byteLength(body)));
});

test("6.2 User-Agent: is a product token followed by -Webhooks/1.0", async () => {
  await using hook = await listening();
  await hook.publish();
  assert.match(String((await hook.receiver.arrival(1)).headers["user-agent"]), /^[A-Za-z]+-Webhooks\/1\.0$/);
});

test("6.3: the body is the envelope with event, timestamp, website_id and data, and nothing else", async () => {
  await using hook = await listening();
  const id = await hook.publish(fullArticle());
  await updateArticle(service.app, id, { title: "Another" }, CHIEF);
  await deleteArticle(service.app, id, CHIEF);
  await hook.receiver.arrival(3);
  const data = { published: shapes.publishedData, updated: shapes.updatedData, deleted: shapes.deletedData };
  for (const [index, check] of Object.values(data).entries()) {
    const event = hook.receiver.received[index]?.event;
    shapes.envelope(event, `request ${index}`);
    assert.equal(event?.["website_id"], hook.websiteId);
    check(event["data"], `data of request ${index}`);
  }
});

test("6.3: the body is byte for byte the event that the feed shows, whatever characters it has", async () => {
  await using hook = await listening();
  await hook.publish(makeArticle({ title: "Straße \u{1F375} 茶 \u2028 </script>" }));
  const { body } = await hook.receiver.arrival(1);
  const stored = await service.app.store.read((db) =>
    db.get("SELECT payload FROM events WHERE website_id = ?", hook.websiteId),
  );
  assert.equal(body, stored?.payload);
});

test("6.7 rule 1: a receiver that does not respond in time has failed, even when its 2xx comes later", async () => {
  const late = Promise.withResolvers<object>();
  await using hook = await listening((_request, index) => (index === 0 ? late.promise : {}));
  await hook.publish();
  await hook.receiver.arrival(2);
  late.resolve({});
  await eventually(
    async () => (await hook.deliveries())[0]?.attempts.map(({ outcome, error }) => [outcome, error]),
    [
      ["timeout", "No answer within 2 s."],
      ["success", null],
    ],
  );
  const took = (await hook.deliveries())[0]?.attempts[0]?.timings.total ?? 0;
  assert.ok(took >= 1_990, `the attempt took ${took} ms`);
});

test("6.7 rule 2: a failed delivery is tried four times in all, and then no more", async () => {
  await using hook = await listening((request) => ({ status: request.data["title"] === "Fails" ? 503 : 200 }));
  await hook.publish(makeArticle({ title: "Fails" }));
  await hook.receiver.arrival(4);
  await eventually(async () => (await hook.deliveries())[0]?.delivery.state, "exhausted");
  await hook.publish(makeArticle({ title: "Works" }));
  await hook.receiver.arrival(5);
  assert.deepEqual(hook.receiver.titles, ["Fails", "Fails", "Fails", "Fails", "Works"]);
  assert.deepEqual(hook.receiver.header("webhook-attempt"), ["1", "2", "3", "4", "1"]);
});

for (const status of [300, 304, 400, 404, 429, 500]) {
  test(`6.7 rule 2: a response of ${status} is a failure`, async () => {
    await using hook = await listening((_request, index) => (index === 0 ? { status } : { status: 202 }));
    await hook.publish();
    await eventually(async () => (await hook.deliveries())[0]?.attempts.map((one) => one.status), [status, 202]);
    assert.equal((await hook.deliveries())[0]?.delivery.state, "delivered");
  });
}

test("6.7 rule 2: the backoff is exponential", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(FAILS);
  const { id } = await queue.endpoint(receiver);
  await queue.publish("Fails");
  queue.start();
  const waits: number[] = [];
  for (const tries of [1, 2, 3]) {
    await eventually(async () => (await queue.deliveries(id))[0]?.attempts.length, tries);
    const dueAt = (await queue.deliveries(id))[0]?.delivery.nextAttemptAt ?? 0;
    waits.push(dueAt - queue.app.now);
    queue.app.now = dueAt;
  }
  await eventually(() => queue.states(id), ["exhausted"]);
  const [first = 0, second = 0, third = 0] = waits;
  assert.ok(first > 0);
  assert.deepEqual([second / first, third / second], [12, 12]);
});

test("6.7 rule 3: ten consecutive failures disable the webhook, and nothing is sent to it from then on", async () => {
  await using hook = await listening(FAILS);
  for (let count = 0; count < 9; count++) await hook.publish();
  const read = () => service.app.store.read((db) => loadEndpoint(db, hook.endpointId));
  await eventually(async () => (await read()).consecutiveFailures, 9);
  assert.equal((await read()).state, "sending");
  await hook.publish();
  await eventually(async () => (await read()).state, "disabled");
  assert.equal(hook.receiver.received.length, 40);
  await hook.publish();
  await using other = await listening();
  await other.publish();
  await other.receiver.arrival(1);
  assert.equal(hook.receiver.received.length, 40);
});

test("6.7 rule 3: failures with a success between them are not consecutive", async () => {
  await using hook = await listening(({ data }) => ({ status: data["title"] === "Works" ? 200 : 500 }));
  const read = () => service.app.store.read((db) => loadEndpoint(db, hook.endpointId));
  for (let count = 0; count < 9; count++) await hook.publish();
  await eventually(async () => (await read()).consecutiveFailures, 9);
  await hook.publish(makeArticle({ title: "Works" }));
  await eventually(async () => (await read()).consecutiveFailures, 0);
  await hook.publish();
  await eventually(async () => (await read()).consecutiveFailures, 1);
  assert.equal((await read()).state, "sending");
});

test("6.7 rule 4: a repeated delivery has the same webhook-id and the same body each time", async () => {
  await using hook = await listening((_request, index) => ({ status: index === 0 ? 500 : 200 }));
  await hook.publish();
  await hook.publish();
  await hook.receiver.arrival(3);
  const byId = Map.groupBy(hook.receiver.received, ({ headers }) => headers["webhook-id"]);
  assert.equal(byId.size, 2);
  for (const requests of byId.values()) assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
  for (const id of byId.keys()) assert.match(String(id), /^msg_[0-9a-f-]{36}$/);
});

test("8: by default a receiver has 10 seconds, 3 retries, and 10 consecutive failures", () => {
  assert.equal(DEFAULTS.timeoutMs, 10_000);
  assert.equal(DEFAULTS.waitsMs.length, 3);
  assert.deepEqual([DEFAULTS.disableAfter, DEFAULTS.counts], [10, "delivery"]);
});

test("no error was logged while all of this was sent", () => {
  assert.deepEqual(service.log.failures, []);
});
