/** docs/webhooks.md: what is kept of each attempt and for how long, and what operators see at /metrics. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { type Log, openLog } from "../../src/process/log.ts";
import { createArticle } from "../../src/operations/articles/write/articles.ts";
import { createEndpoint, deleteEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { pruneHistory } from "../../src/operations/webhooks/queue-maintenance.ts";
import { redeliver, replaySince, stepReplays } from "../../src/operations/webhooks/replays.ts";
import { startService } from "../../src/service/service.ts";
import { CHIEF, DAY, makeArticle } from "../helpers/articles.ts";
import { closedPort } from "../helpers/receivers.ts";
import { record } from "../helpers/http.ts";
import { startTestService } from "../helpers/service.ts";
import { eventually, gate, LOOPBACK, openQueue, type ScriptedAnswer, ScriptedReceiver } from "../helpers/webhooks.ts";

/** The attempt of one delivery that is answered like this. */
async function attemptOf(answer: ScriptedAnswer) {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => answer);
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await eventually(async () => (await queue.deliveries(id))[0]?.attempts.length, 1);
  const attempt = (await queue.deliveries(id))[0]?.attempts[0];
  assert.ok(attempt !== undefined);
  return { attempt, startedAt: queue.app.now, request: receiver.received[0] };
}

test("the log keeps when each attempt began, the request's headers, the response and how long each part took", async () => {
  const headers = { "Content-Type": "text/plain", "Set-Cookie": "a=1", "X-Case": "Kept" };
  const { attempt, startedAt, request } = await attemptOf({ status: 418, headers, body: "I am a teapot" });
  assert.deepEqual(
    [attempt.number, attempt.startedAt, attempt.outcome, attempt.status, attempt.error],
    [1, startedAt, "client_error", 418, "The receiver answered 418."],
  );
  const sent = Object.fromEntries(
    Object.entries(attempt.requestHeaders).map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const [name, value] of Object.entries(sent)) assert.equal(request?.headers[name], value, name);
  for (const name of ["content-type", "user-agent", "webhook-id", "webhook-signature", "traceparent"]) {
    assert.ok(name in sent, name);
  }
  assert.deepEqual(
    attempt.responseHeaders.filter(([name]) => name in { "content-type": 1, "set-cookie": 1, "x-case": 1 }),
    [
      ["content-type", "text/plain"],
      ["set-cookie", "a=1"],
      ["x-case", "Kept"],
    ],
  );
  assert.equal(attempt.responseBody, "I am a teapot");
  const { connect, firstByte, total } = attempt.timings;
  assert.ok(connect !== null && firstByte !== null && connect <= firstByte && firstByte <= total);
});

test("the log keeps the first 8 KiB of a response's body", async () => {
  const { attempt } = await attemptOf({ status: 500, body: `${"a".repeat(8 * 1_024)}b` });
  assert.equal(attempt.responseBody, "a".repeat(8 * 1_024));
});

test("bytes that are no text are stored as the replacement character, and cause no error", async () => {
  const { attempt } = await attemptOf({ status: 500, body: "a\0b" });
  assert.equal(attempt.responseBody, "a\u{FFFD}b");
});

test("without a response the log says why, and has no status", async () => {
  await using queue = await openQueue();
  const { id } = await queue.endpoint({ url: await closedPort() });
  queue.start();
  await queue.publish("A");
  await eventually(async () => (await queue.deliveries(id))[0]?.attempts.length, 1);
  const attempt = (await queue.deliveries(id))[0]?.attempts[0];
  assert.deepEqual([attempt?.outcome, attempt?.status, attempt?.responseBody], ["refused", null, ""]);
  assert.match(String(attempt?.error), /refused/i);
  assert.equal((await queue.find(id)).lastError, attempt?.error);
});

test("an address that was forbidden after it was saved is not called", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await queue.app.store.write((db) => db.run("UPDATE endpoints SET url = 'http://10.0.0.1/' WHERE id = ?", id));
  queue.start();
  await queue.publish("A");
  await eventually(async () => (await queue.deliveries(id))[0]?.attempts[0]?.outcome, "blocked");
});

test("finished deliveries are deleted after the retention time, with their attempts; unfinished ones are kept", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(({ data }) => ({
    status: data["title"] === "Waits" ? 500 : 200,
  }));
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("Old");
  await queue.publish("Waits");
  await eventually(async () => (await queue.deliveries(id)).map(({ attempts }) => attempts.length), [1, 1]);
  await queue.app.store.write((db) => db.run("UPDATE delivery_queue SET ready_at = ready_at + ?", 90 * DAY));
  const oldAt = queue.app.now;
  queue.app.now += 1;
  await queue.publish("New");
  // The success of "New" has brought the retry of "Waits" forward once.
  await eventually(async () => (await queue.deliveries(id)).map(({ attempts }) => attempts.length), [1, 2, 1]);
  assert.equal(await pruneHistory(queue.app, oldAt), 0);
  assert.equal(await pruneHistory(queue.app, oldAt + 1), 1);
  assert.deepEqual(await queue.states(id), ["pending", "delivered"]);
  const left = await queue.app.store.read((db) => db.all("SELECT delivery_no FROM attempts ORDER BY delivery_no"));
  assert.equal(left.length, 3);
});

test("parked deliveries are deleted after the retention time, too", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await queue.publish("A");
  assert.equal(await pruneHistory(queue.app, queue.app.now + 1), 1);
  assert.deepEqual(await queue.states(id), []);
});

test("everything of a deleted endpoint is deleted, whatever its age", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  for (let count = 0; count < 3; count++) await queue.publish("A");
  await deleteEndpoint(queue.app, id, CLI_ORIGIN);
  assert.equal(await pruneHistory(queue.app, 0), 3);
  for (const table of ["deliveries", "delivery_queue", "endpoint_secrets"]) {
    assert.deepEqual(await queue.app.store.read((db) => db.all(`SELECT 1 AS found FROM ${table}`)), [], table);
  }
});

test("events outlive the history of deliveries: a range can still be replayed", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await eventually(() => queue.states(id), ["delivered"]);
  const deliveryId = (await queue.deliveries(id))[0]?.delivery.id ?? "";
  await pruneHistory(queue.app, queue.app.now + 1);
  await assert.rejects(redeliver(queue.app, deliveryId, CLI_ORIGIN), { code: "not_found" });
  await replaySince(queue.app, id, 0, CLI_ORIGIN);
  while (await stepReplays(queue.app, 100));
  await receiver.arrival(2);
  assert.equal(receiver.header("webhook-id")[1], receiver.header("webhook-id")[0]);
});

test("/metrics counts attempts and deliveries, and shows the queue and the endpoints by state", async () => {
  await using service = await startTestService({ ...LOOPBACK, ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" });
  const held = gate();
  await using receiver = await ScriptedReceiver.start((request) => {
    if (request.data["title"] === "Gone") return { status: 410 };
    if (request.data["title"] === "Held") return held.script(request, 0);
    return { status: request.data["title"] === "Fails" ? 500 : 200 };
  });
  const { id: other } = await service.newWebsite();
  const { endpoint } = await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
  await createEndpoint(service.app, other, { url: receiver.url }, CLI_ORIGIN);
  const publish = (title: string, websiteId = service.website.id) =>
    createArticle(service.app, websiteId, makeArticle({ title, status: "published" }), CHIEF);
  const metric = async (name: string) => {
    const { text } = await service.get("/metrics");
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };
  await publish("Works");
  await publish("Fails");
  await eventually(() => metric('rostrum_webhook_deliveries_total{result="exhausted"}'), 1);
  assert.equal(await metric('rostrum_webhook_attempts_total{outcome="success"}'), 1);
  assert.equal(await metric('rostrum_webhook_attempts_total{outcome="server_error"}'), 2);
  assert.equal(await metric('rostrum_webhook_deliveries_total{result="delivered"}'), 1);
  assert.equal(await metric("rostrum_webhook_attempt_duration_seconds_count"), 3);
  assert.equal(await metric("rostrum_webhook_queue_depth"), 0);
  assert.equal(await metric("rostrum_webhook_queue_oldest_seconds"), 0);
  assert.equal(await metric('rostrum_webhook_endpoints{state="enabled"}'), 2);
  assert.ok(Number(await metric("rostrum_dispatcher_heartbeat_seconds")) < 10);
  assert.equal(await metric("rostrum_dispatcher_restarts_total"), 0);
  const { dispatcher } = record((await service.get("/readyz")).json());
  assert.deepEqual([record(dispatcher)["state"], record(dispatcher)["restarts"]], ["running", 0]);
  await publish("Held");
  await eventually(() => metric("rostrum_webhook_queue_depth"), 1);
  await eventually(async () => ((await metric("rostrum_webhook_queue_oldest_seconds")) ?? 0) > 0, true);
  held.open();
  await publish("Gone", other);
  await eventually(() => metric("rostrum_webhook_endpoints_disabled_total"), 1);
  await eventually(() => metric("rostrum_webhook_queue_depth"), 0);
  await pauseEndpoint(service.app, endpoint.id, CLI_ORIGIN);
  assert.deepEqual(
    [
      await metric('rostrum_webhook_endpoints{state="enabled"}'),
      await metric('rostrum_webhook_endpoints{state="paused"}'),
      await metric('rostrum_webhook_endpoints{state="disabled"}'),
    ],
    [0, 1, 1],
  );
});

test("the service's log has a line for each failed attempt, each warning and the disabling, and no secret in any", async () => {
  await using queue = await openQueue({ ROSTRUM_WEBHOOK_DISABLE_AFTER: "2", ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" });
  await using receiver = await ScriptedReceiver.start(() => ({ status: 500, body: "details" }));
  const { id, secret } = await queue.endpoint(receiver, { headers: { "X-Token": "hush-hush" } });
  const lines: [string, object][] = [];
  const log: Log = {
    ...openLog("silent"),
    warn: (facts, message) => lines.push([message, facts]),
    attempt: (facts) => lines.push(["attempt", facts]),
    error: (error, message) => lines.push([message, { error }]),
  };
  await using _ = await startService(queue.app, log);
  await queue.publish("A");
  await queue.publish("B");
  await eventually(() => lines.at(-1)?.[0], "webhook disabled");
  assert.equal(lines.filter(([message]) => message === "attempt").length, 4);
  assert.deepEqual(
    lines.filter(([message]) => message !== "attempt"),
    [
      ["webhook keeps failing", { endpointId: id, consecutiveFailures: 1 }],
      [
        "webhook disabled",
        { endpointId: id, reason: "2 deliveries in a row failed. The last error: The receiver answered 500." },
      ],
    ],
  );
  for (const hidden of [secret, "hush-hush", "details"]) assert.ok(!JSON.stringify(lines).includes(hidden), hidden);
});
