/** docs/webhooks.md, "Disabled, and catching up": what an endpoint has missed, whether it was parked or exhausted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { countMissedByEndpoint, enableEndpoint } from "../../src/operations/webhooks/catch-up.ts";
import { pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { testEndpoint } from "../../src/operations/webhooks/deliveries.ts";
import { redeliver, stepReplays } from "../../src/operations/webhooks/replays.ts";
import type { Snapshot } from "../../src/store/store.ts";
import { eventually, FAILS, missedHook, OK, openQueue, ScriptedReceiver } from "../helpers/webhooks.ts";

/** Before: "Early" arrived. Then A1, A2 and B1 failed for good, which disabled the endpoint, and A3 was parked. */
function disabled() {
  const settings = { ROSTRUM_WEBHOOK_RETRY_SECONDS: "0", ROSTRUM_WEBHOOK_DISABLE_AFTER: "3" };
  return missedHook(settings, async ({ queue, receiver, id }) => {
    const dispatcher = queue.start();
    await queue.publish("Early");
    await eventually(() => queue.states(id), ["delivered"]);
    receiver.script = FAILS;
    queue.app.now += 1_000;
    const a = await queue.publish("A1");
    const ended = async (count: number) =>
      eventually(async () => (await queue.states(id)).filter((state) => state === "exhausted").length, count);
    const passTime = setInterval(() => (queue.app.now += 1_000), 20);
    await ended(1);
    await queue.retitle(a, "A2");
    await ended(2);
    await queue.publish("B1");
    await ended(3);
    clearInterval(passTime);
    await eventually(async () => (await queue.find(id)).state, "disabled");
    await queue.retitle(a, "A3");
    await dispatcher.stop(10_000);
    receiver.script = OK;
    receiver.received.length = 0;
    queue.app.now += 1_000;
    return {};
  });
}

const MISSED = ["delivered", "exhausted", "exhausted", "exhausted", "parked"];

test("deliveries exhausted since the last success are counted with the parked ones, and no others are", async () => {
  await using hook = await disabled();
  assert.deepEqual(await hook.queue.states(hook.id), MISSED);
  assert.deepEqual(await countMissedByEndpoint(hook.queue.app, hook.id), { events: 4, articles: 2 });
});

test("latest: the newest event of each article is sent, also if it was exhausted and not parked", async () => {
  await using hook = await disabled();
  await hook.enable("latest");
  await hook.replay(2);
  hook.queue.start({ worker: "later" });
  await eventually(() => hook.queue.states(hook.id), ["delivered", "coalesced", "coalesced", "delivered", "delivered"]);
  assert.deepEqual(hook.receiver.titles.toSorted(), ["A3", "B1"]);
});

test("all: everything missed is sent, in order per article, with its original webhook-id", async () => {
  await using hook = await disabled();
  const [, ...missed] = await hook.ids();
  await hook.enable("all");
  await hook.replay(1);
  hook.queue.start({ worker: "later" });
  await eventually(
    () => hook.queue.states(hook.id),
    Array.from({ length: 5 }, () => "delivered"),
  );
  assert.deepEqual(
    hook.receiver.titles.filter((title) => title.startsWith("A")),
    ["A1", "A2", "A3"],
  );
  assert.deepEqual(new Set(hook.receiver.header("webhook-id")), new Set(missed));
});

test("none: nothing is sent, and what was declined is not counted as missed later", async () => {
  await using hook = await disabled();
  await hook.enable("none");
  await hook.replay();
  assert.deepEqual(await hook.queue.states(hook.id), ["delivered", "exhausted", "exhausted", "exhausted", "skipped"]);
  await pauseEndpoint(hook.queue.app, hook.id, CLI_ORIGIN);
  await hook.queue.publish("C");
  assert.deepEqual(await countMissedByEndpoint(hook.queue.app, hook.id), { events: 1, articles: 1 });
  await hook.enable("all");
  await hook.replay();
  hook.queue.start({ worker: "later" });
  await eventually(async () => (await hook.queue.states(hook.id)).at(-1), "delivered");
  assert.deepEqual(hook.receiver.titles, ["C"]);
});

test("a replay continues after a restart where it stopped, and sends nothing twice", async () => {
  for (let steps = 1; steps <= 6; steps++) {
    await using hook = await disabled();
    await hook.enable("all");
    for (let count = 0; count < steps; count++) await stepReplays(hook.queue.app, 1);
    const after = await hook.queue.reopen();
    while (await stepReplays(after, 1));
    hook.queue.start({ worker: "later", app: after });
    await eventually(
      () => hook.queue.states(hook.id),
      Array.from({ length: 5 }, () => "delivered"),
    );
    assert.equal(hook.receiver.received.length, 4);
  }
});

test("a newer event that is created while exhausted ones are queued arrives after them", async () => {
  await using hook = await disabled();
  await hook.enable("all");
  await stepReplays(hook.queue.app, 1);
  const article = (await hook.queue.deliveries(hook.id)).at(-1)?.delivery.articleId ?? "";
  await hook.queue.retitle(article, "A4");
  await hook.replay(1);
  hook.queue.start({ worker: "later" });
  await eventually(async () => hook.receiver.titles.includes("A4"), true);
  assert.deepEqual(
    hook.receiver.titles.filter((title) => title.startsWith("A")),
    ["A1", "A2", "A3", "A4"],
  );
});

test("latest goes by the event, not by the delivery: an old event sent again is not the latest", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  const dispatcher = queue.start();
  const article = await queue.publish("Old");
  await queue.retitle(article, "New");
  await eventually(() => queue.states(id), ["delivered", "delivered"]);
  await dispatcher.stop(10_000);
  queue.app.now += 1_000;
  await queue.retitle(article, "Newest");
  await redeliver(queue.app, (await queue.deliveries(id))[0]?.delivery.id ?? "", CLI_ORIGIN);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await enableEndpoint(queue.app, id, "latest", CLI_ORIGIN);
  while (await stepReplays(queue.app, 100));
  queue.start({ worker: "later" });
  await eventually(() => queue.states(id), ["delivered", "delivered", "delivered", "coalesced"]);
  assert.equal(receiver.titles.at(-1), "Newest");
});

test("a failed test does not count as missed", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start(FAILS);
  const { id } = await queue.endpoint(receiver);
  await testEndpoint(queue.app, id, CLI_ORIGIN);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  assert.deepEqual(await countMissedByEndpoint(queue.app, id), { events: 0, articles: 0 });
  await enableEndpoint(queue.app, id, "all", CLI_ORIGIN);
  while (await stepReplays(queue.app, 100));
  assert.deepEqual(await queue.states(id), ["exhausted"]);
});

test("a long queue is parked in batches before the endpoint is enabled", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  const article = await queue.publish("1");
  // As many changes would take minutes.
  await queue.app.store.write(async (db) => {
    for (let count = 0; count < 1_200; count++) {
      await db.run(
        `INSERT INTO deliveries (id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
           attempts, created_at)
         SELECT 'copy-' || CAST(? AS TEXT), website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
           attempts, created_at FROM deliveries WHERE id = (SELECT MIN(id) FROM deliveries WHERE id NOT LIKE 'copy-%')`,
        String(count),
      );
    }
    await db.run(
      `INSERT INTO delivery_queue (delivery_no, website_id, endpoint_id, article_id, tries)
       SELECT no, website_id, endpoint_id, article_id, 0 FROM deliveries WHERE id LIKE 'copy-%'`,
    );
  });
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  let mostRows = 0;
  let rows = 0;
  const { store } = queue.app;
  const deps = {
    ...queue.app,
    store: Object.assign(Object.create(store) as typeof store, {
      read: store.read.bind(store),
      write: async <T>(work: Parameters<typeof store.write<T>>[0]) => {
        rows = await store.read(waiting);
        const result = await store.write(work);
        mostRows = Math.max(mostRows, rows - (await store.read(waiting)));
        return result;
      },
    }),
  };
  await enableEndpoint(deps, id, "latest", CLI_ORIGIN);
  assert.ok(mostRows > 0 && mostRows <= 500, `${mostRows} at once`);
  while (await stepReplays(queue.app, 500));
  queue.start();
  await receiver.arrival(1);
  assert.deepEqual(receiver.titles, ["1"]);
  assert.ok(article !== "");
});

const waiting = async (db: Snapshot) => (await db.get("SELECT COUNT(*) AS n FROM delivery_queue"))?.n ?? 0;
