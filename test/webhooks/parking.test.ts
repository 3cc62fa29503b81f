/** docs/webhooks.md, "Disabled, and catching up": what is parked, and what becomes of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createArticle, deleteArticle, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { listDeliveries } from "../../src/operations/webhooks/deliveries.ts";
import { enableEndpoint } from "../../src/operations/webhooks/catch-up.ts";
import { createEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { parkStopped } from "../../src/operations/webhooks/queue-maintenance.ts";
import { redeliver, replaySince, stepReplays } from "../../src/operations/webhooks/replays.ts";
import { CHIEF } from "../helpers/articles.ts";
import { startTestService } from "../helpers/service.ts";
import {
  eventually,
  gate,
  LOOPBACK,
  missedHook,
  OK,
  openQueue,
  ScriptedReceiver,
  type TestQueue,
} from "../helpers/webhooks.ts";

/** A paused endpoint for which five events of two articles are parked: A1, A2, B1, A3, B2. */
function parked() {
  return missedHook({}, async ({ queue, id }) => {
    await pauseEndpoint(queue.app, id, CLI_ORIGIN);
    const a = await queue.publish("A1");
    await queue.retitle(a, "A2");
    const b = await queue.publish("B1");
    await queue.retitle(a, "A3");
    await queue.retitle(b, "B2");
    return { a, b };
  });
}

const FIVE_PARKED = ["parked", "parked", "parked", "parked", "parked"];

test("a paused endpoint is sent nothing, and its events are parked", async () => {
  await using hook = await parked();
  assert.deepEqual(await hook.queue.states(hook.id), FIVE_PARKED);
  hook.queue.start();
  await using marker = await ScriptedReceiver.start();
  await hook.queue.endpoint(marker);
  await hook.queue.publish("Marker");
  await marker.arrival(1);
  assert.equal(hook.receiver.received.length, 0);
});

test("pausing parks waiting deliveries: retries, and those behind them", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => ({ status: 500 }));
  const { id } = await queue.endpoint(receiver);
  queue.start();
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  await eventually(async () => (await queue.deliveries(id))[0]?.attempts.length, 1);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  assert.equal(await parkStopped(queue.app), 2);
  assert.deepEqual(await queue.states(id), ["parked", "parked"]);
});

test("pausing twice changes nothing; a disabled endpoint cannot be paused, nor an enabled one enabled", async () => {
  await using hook = await parked();
  assert.equal((await pauseEndpoint(hook.queue.app, hook.id, CLI_ORIGIN)).state, "paused");
  await hook.enable("none");
  await assert.rejects(hook.enable("all"), { code: "conflict" });
  hook.receiver.script = () => ({ status: 410 });
  hook.queue.start();
  await hook.queue.publish("C");
  await eventually(async () => (await hook.queue.find(hook.id)).state, "disabled");
  await assert.rejects(pauseEndpoint(hook.queue.app, hook.id, CLI_ORIGIN), { code: "conflict" });
});

test("latest: the newest event of each article is sent, and the others end as coalesced", async () => {
  await using hook = await parked();
  await hook.enable("latest");
  await hook.replay();
  hook.queue.start();
  await hook.receiver.arrival(2);
  assert.deepEqual(hook.receiver.titles.toSorted(), ["A3", "B2"]);
  const ended = ["coalesced", "coalesced", "coalesced", "delivered", "delivered"];
  await eventually(() => hook.queue.states(hook.id), ended);
});

test("latest: if the article was deleted meanwhile, the deletion is sent", async () => {
  await using hook = await parked();
  await deleteArticle(hook.queue.app, hook.a, CHIEF);
  await hook.enable("latest");
  await hook.replay();
  hook.queue.start();
  await hook.receiver.arrival(2);
  const kinds = new Map(hook.receiver.received.map(({ event, data }) => [data["article_id"], event["event"]]));
  assert.deepEqual([kinds.get(hook.a), kinds.get(hook.b)], ["article.deleted", "article.updated"]);
});

test("all: every parked event is sent, in order per article, with its original webhook-id", async () => {
  await using hook = await parked();
  const ids = await hook.ids();
  await hook.enable("all");
  await hook.replay();
  hook.queue.start();
  await hook.receiver.arrival(5);
  const { titles } = hook.receiver;
  assert.deepEqual(
    titles.filter((title) => title.startsWith("A")),
    ["A1", "A2", "A3"],
  );
  assert.deepEqual(
    titles.filter((title) => title.startsWith("B")),
    ["B1", "B2"],
  );
  assert.deepEqual(new Set(hook.receiver.header("webhook-id")), new Set(ids));
  await eventually(
    () => hook.queue.states(hook.id),
    Array.from({ length: 5 }, () => "delivered"),
  );
});

test("none: parked events end as skipped, and new events are sent", async () => {
  await using hook = await parked();
  await hook.enable("none");
  hook.queue.start();
  await hook.queue.retitle(hook.a, "A4");
  await hook.receiver.arrival(1);
  await hook.replay(2);
  assert.deepEqual(hook.receiver.titles, ["A4"]);
  await eventually(() => hook.queue.states(hook.id), [...Array.from({ length: 5 }, () => "skipped"), "delivered"]);
});

test("an event created during a replay arrives after the parked ones of its article", async () => {
  for (const replay of ["all", "latest"] as const) {
    await using hook = await parked();
    await hook.enable(replay);
    assert.equal(await stepReplays(hook.queue.app, 2), true);
    hook.queue.start();
    await hook.queue.retitle(hook.a, "A4");
    assert.equal((await hook.queue.states(hook.id)).at(-1), "parked");
    await hook.replay(2);
    await hook.queue.retitle(hook.a, "A5");
    await eventually(async () => hook.receiver.titles.includes("A5"), true);
    const expected = replay === "all" ? ["A1", "A2", "A3", "A4", "A5"] : ["A4", "A5"];
    assert.deepEqual(
      hook.receiver.titles.filter((title) => title.startsWith("A")),
      expected,
    );
  }
});

test("after a replay, new events are sent at once again", async () => {
  await using hook = await parked();
  await hook.enable("latest");
  await hook.replay();
  assert.equal((await hook.queue.find(hook.id)).state, "sending");
  await hook.queue.publish("C");
  assert.equal((await hook.queue.states(hook.id)).at(-1), "pending");
});

test("a replay continues after a restart where it stopped, and sends nothing twice", async () => {
  await using hook = await parked();
  await hook.enable("all");
  assert.equal(await stepReplays(hook.queue.app, 2), true);
  const after = await hook.queue.reopen();
  while (await stepReplays(after, 2));
  hook.queue.start({ app: after });
  await hook.receiver.arrival(5);
  await eventually(
    () => hook.queue.states(hook.id),
    Array.from({ length: 5 }, () => "delivered"),
  );
  assert.equal(hook.receiver.received.length, 5);
  assert.equal(new Set(hook.receiver.header("webhook-id")).size, 5);
});

test("pausing stops a replay, and the rest stays parked", async () => {
  await using hook = await parked();
  await hook.enable("all");
  await stepReplays(hook.queue.app, 2);
  await pauseEndpoint(hook.queue.app, hook.id, CLI_ORIGIN);
  await parkStopped(hook.queue.app);
  assert.deepEqual(await hook.queue.states(hook.id), FIVE_PARKED);
  await hook.enable("all");
  await hook.replay();
  hook.queue.start();
  await hook.receiver.arrival(5);
  assert.deepEqual(
    hook.receiver.titles.filter((title) => title.startsWith("A")),
    ["A1", "A2", "A3"],
  );
});

for (const [name, stop] of [
  ["pausing", (queue: TestQueue, id: string) => pauseEndpoint(queue.app, id, CLI_ORIGIN)],
  ["being disabled", disable],
] as const) {
  test(`${name} ends a replay; choosing none afterwards sends none of its events`, async () => {
    await using hook = await parked();
    await hook.enable("all");
    hook.receiver.script = () => ({ status: 410 });
    await stepReplays(hook.queue.app, 2);
    await stop(hook.queue, hook.id);
    const sent = hook.receiver.received.length;
    hook.receiver.script = OK;
    await hook.enable("none");
    await hook.replay();
    hook.queue.start({ worker: "later" });
    await hook.queue.publish("C");
    await hook.receiver.arrival(sent + 1);
    await eventually(
      async () => (await hook.queue.states(hook.id)).slice(2),
      ["skipped", "skipped", "skipped", "delivered"],
    );
    assert.deepEqual(hook.receiver.titles.slice(sent), ["C"]);
  });
}

async function disable(queue: TestQueue, id: string): Promise<void> {
  const dispatcher = queue.start();
  await eventually(async () => (await queue.find(id)).state, "disabled");
  await dispatcher.stop(10_000);
}

test("what was declined is not sent by a later replay of everything, however soon that follows", async () => {
  await using hook = await parked();
  await hook.enable("none");
  await stepReplays(hook.queue.app, 1);
  await pauseEndpoint(hook.queue.app, hook.id, CLI_ORIGIN);
  await hook.queue.retitle(hook.a, "A4");
  await hook.enable("all");
  await hook.replay(1);
  hook.queue.start();
  await eventually(async () => (await hook.queue.states(hook.id)).includes("pending"), false);
  assert.deepEqual(hook.receiver.titles, ["A4"]);
});

test("enabling right after pausing offers the same choice for events that were not parked yet", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  const article = await queue.publish("A1");
  await queue.retitle(article, "A2");
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await enableEndpoint(queue.app, id, "latest", CLI_ORIGIN);
  while (await stepReplays(queue.app, 100));
  queue.start();
  await eventually(() => queue.states(id), ["coalesced", "delivered"]);
  assert.deepEqual(receiver.titles, ["A2"]);
});

test("a replayed event gets all its attempts, whatever it had before, and its failure does not count", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => ({ status: 500 }));
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  const attempts = async () => (await queue.deliveries(id))[0]?.attempts.length;
  await eventually(attempts, 1);
  queue.app.now += 10_000;
  await eventually(attempts, 2);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await parkStopped(queue.app);
  await enableEndpoint(queue.app, id, "all", CLI_ORIGIN);
  await stepReplays(queue.app, 10);
  for (const count of [3, 4, 5, 6]) {
    await eventually(attempts, count);
    queue.app.now += 24 * 60_000;
  }
  await eventually(() => queue.states(id), ["exhausted"]);
  assert.deepEqual(receiver.header("webhook-attempt"), ["1", "2", "3", "4", "5", "6"]);
  assert.equal((await queue.find(id)).consecutiveFailures, 0);
});

test("enabling resets an endpoint's health, and keeps its history", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(() => ({ status: 410 }));
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await eventually(async () => (await queue.find(id)).state, "disabled");
  const before = await queue.find(id);
  const enabled = await enableEndpoint(queue.app, id, "none", CLI_ORIGIN);
  assert.deepEqual(
    [enabled.state, enabled.disabledReason, enabled.disabledAt, enabled.consecutiveFailures, enabled.failedAttempts],
    ["sending", null, null, 0, 0],
  );
  assert.deepEqual([enabled.lastError, enabled.lastFailureAt], [before.lastError, before.lastFailureAt]);
});

test("an attempt in progress when its endpoint was paused ends before its article's events are replayed", async () => {
  await using queue = await openQueue();
  const held = gate();
  await using receiver = await ScriptedReceiver.start((request, index) => (index === 0 ? held.script(request, 0) : {}));
  const { id } = await queue.endpoint(receiver);
  queue.start();
  const article = await queue.publish("A1");
  await receiver.arrival(1);
  await queue.retitle(article, "A2");
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await parkStopped(queue.app);
  await enableEndpoint(queue.app, id, "all", CLI_ORIGIN);
  await stepReplays(queue.app, 10);
  await queue.publish("B");
  assert.deepEqual(receiver.titles, ["A1"]);
  held.open({ status: 500 });
  await eventually(() => queue.states(id), ["delivered", "delivered", "delivered"]);
  assert.deepEqual(
    receiver.titles.filter((title) => title.startsWith("A")),
    ["A1", "A1", "A2"],
  );
});

test("until a replay is done, redelivery and replaying a range are refused", async () => {
  await using hook = await parked();
  const [first] = await hook.queue.deliveries(hook.id);
  const refusals = async (message: RegExp) => {
    await assert.rejects(redeliver(hook.queue.app, first?.delivery.id ?? "", CLI_ORIGIN), {
      code: "conflict",
      message,
    });
    await assert.rejects(replaySince(hook.queue.app, hook.id, 0, CLI_ORIGIN), { code: "conflict", message });
  };
  await refusals(/enable it first/);
  await hook.enable("all");
  await refusals(/still receiving its parked events/);
});

test("the running service parks and replays by itself", async () => {
  await using service = await startTestService(LOOPBACK);
  await using receiver = await ScriptedReceiver.start(() => ({ status: 500 }));
  const { endpoint } = await createEndpoint(service.app, service.website.id, { url: receiver.url }, CLI_ORIGIN);
  const input = { title: "A1", content: "<p>A</p>", status: "published" } as const;
  const { article } = await createArticle(service.app, service.website.id, input, CHIEF);
  await updateArticle(service.app, article.id, { title: "A2" }, CHIEF);
  await receiver.arrival(1);
  await pauseEndpoint(service.app, endpoint.id, CLI_ORIGIN);
  const states = async () =>
    (await listDeliveries(service.app, endpoint.id, { limit: 10 })).map(({ delivery }) => delivery.state);
  await eventually(states, ["parked", "parked"]);
  receiver.script = OK;
  await enableEndpoint(service.app, endpoint.id, "all", CLI_ORIGIN);
  await eventually(states, ["delivered", "delivered"]);
  assert.deepEqual(receiver.titles, ["A1", "A1", "A2"]);
  assert.deepEqual(service.log.failures, []);
});
