/** The outbox: who may work on a delivery, and what becomes of it when that one is gone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openLog } from "../../src/process/log.ts";
import { type AttemptRecord, recordAttempts } from "../../src/operations/webhooks/record-attempts.ts";
import { saveReceipt } from "../../src/operations/articles/lists/receipts.ts";
import { reclaimLeases } from "../../src/operations/webhooks/queue-maintenance.ts";
import { startService } from "../../src/service/service.ts";
import { type Claim, claim } from "../../src/store/webhooks/claims.ts";
import { releaseUnused } from "../../src/store/webhooks/leases.ts";
import { ENGINE } from "../helpers/database.ts";
import { until } from "../helpers/until.ts";
import {
  eventually,
  FAILS,
  gate,
  openQueue,
  renewDispatcher,
  ScriptedReceiver,
  type TestQueue,
} from "../helpers/webhooks.ts";

const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;
/** So many quick answers, and a receiver is known to be quick although the first took their time: work is claimed ahead. */
const QUICK = 60;
const LOOKS_IN_VAIN_MS = 300;
/** By then it counts as dead (store/system/liveness.ts). */
const SILENT_MS = 1_900;
/** How much the clocks of several machines may differ (operations/webhooks/queue-maintenance.ts). */
const CLOCKS_DIFFER_MS = ENGINE === "postgres" ? 60_000 : 0;

/** An event that waits, and nobody who sends it. */
async function waiting(script?: ScriptedReceiver["script"]) {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue());
  const receiver = opened.use(await ScriptedReceiver.start(script));
  const { id } = await queue.endpoint(receiver);
  await queue.publish("A");
  const owned = opened.move();
  return { queue, receiver, id, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function claimAs({ queue: { app }, id }: { queue: TestQueue; id: string }, worker: string): Promise<Claim[]> {
  const lease = { token: `token of ${worker}`, until: app.now + LEASE_MS, worker };
  return app.store.write((db) => claim(db, [{ endpointId: id, most: 10 }], 10, app.now, lease));
}

function recordOf(claimed: Claim, status: number): AttemptRecord {
  const isOk = status < 300;
  return {
    claim: claimed,
    url: "https://x.example/",
    attempt: {
      number: claimed.attempts + 1,
      startedAt: 0,
      outcome: isOk ? "success" : "server_error",
      status,
      error: isOk ? null : `The receiver answered ${status}.`,
      requestHeaders: {},
      responseHeaders: [],
      responseBody: "",
      timings: { dns: null, connect: null, firstByte: null, total: 1 },
    },
    answer: {
      retryAfterMs: null,
      directive: null,
      receipt: { platformUrl: "https://x.example/", platformPostId: null },
    },
  };
}

/** The worker counts as alive for the next minute, however busy this machine is. On SQLite its process is looked at instead. */
async function keepAlive({ queue: { app } }: { queue: TestQueue }, worker: string): Promise<void> {
  if (ENGINE === "postgres") await renewDispatcher(app, worker, MINUTE_MS);
}

async function write({ queue: { app } }: { queue: TestQueue }, record: AttemptRecord) {
  const options = { policy: app.config.webhooks, random: () => 0.5, saveReceipt, worker: "test" };
  const [recorded] = await app.store.write((db) => recordAttempts(db, app, [record], options));
  assert.ok(recorded !== undefined);
  return recorded;
}

/** Everything that an attempt could change. */
function snapshot({ app }: TestQueue) {
  return app.store.read(async (db) => ({
    deliveries: await db.all("SELECT * FROM deliveries"),
    queue: await db.all("SELECT * FROM delivery_queue"),
    attempts: await db.all("SELECT * FROM attempts"),
    endpoints: await db.all("SELECT * FROM endpoints"),
    articles: await db.all("SELECT * FROM articles"),
  }));
}

async function leases({ app }: TestQueue): Promise<(string | null)[]> {
  const rows = await app.store.read((db) => db.all("SELECT worker FROM delivery_queue ORDER BY delivery_no"));
  return rows.map(({ worker }) => worker);
}

test("claimed deliveries cannot be claimed by another worker", async () => {
  await using hook = await waiting();
  assert.equal((await claimAs(hook, "one")).length, 1);
  assert.equal((await claimAs(hook, "two")).length, 0);
});

for (const status of [200, 500]) {
  test(`the result of an attempt (${status}) that is recorded after its lease was lost changes nothing`, async () => {
    await using hook = await waiting();
    const [first] = await claimAs(hook, "one");
    hook.queue.app.now += LEASE_MS + CLOCKS_DIFFER_MS + 1;
    assert.equal(await reclaimLeases(hook.queue.app, () => true), 1);
    await claimAs(hook, "two");
    assert.ok(first !== undefined);
    const before = await snapshot(hook.queue);
    assert.equal((await write(hook, recordOf(first, status))).result, "lost");
    assert.deepEqual(await snapshot(hook.queue), before);
  });
}

test("the result of an attempt that is recorded twice counts once", async () => {
  await using hook = await waiting();
  const [first] = await claimAs(hook, "one");
  assert.ok(first !== undefined);
  assert.equal((await write(hook, recordOf(first, 200))).result, "delivered");
  const before = await snapshot(hook.queue);
  assert.equal((await write(hook, recordOf(first, 200))).result, "lost");
  assert.deepEqual(await snapshot(hook.queue), before);
});

test("a lease is reclaimed when it expires, and no earlier", async () => {
  await using hook = await waiting();
  await keepAlive(hook, "one");
  await claimAs(hook, "one");
  hook.queue.app.now += LEASE_MS + CLOCKS_DIFFER_MS;
  assert.equal(await reclaimLeases(hook.queue.app, () => true), 0);
  hook.queue.app.now += 1;
  assert.equal(await reclaimLeases(hook.queue.app, () => true), 1);
  assert.equal((await claimAs(hook, "two")).length, 1);
});

test("leases of dead workers are reclaimed at once, those of living ones are kept", async () => {
  await using hook = await waiting();
  await claimAs(hook, "dead");
  await using receiver = await ScriptedReceiver.start();
  const { id } = await hook.queue.endpoint(receiver);
  await hook.queue.publish("B");
  await keepAlive(hook, "living");
  assert.equal((await claimAs({ queue: hook.queue, id }, "living")).length, 1);
  assert.equal(await reclaimLeases(hook.queue.app, (worker) => worker === "living"), 1);
  assert.deepEqual(
    (await leases(hook.queue)).filter((worker) => worker !== null),
    ["living"],
  );
});

test("deliveries of a killed process are sent soon after the next start, before their leases expire", async () => {
  await using hook = await waiting();
  const child = spawn(process.execPath, ["--eval", ""]);
  await once(child, "exit");
  // Time as on the wall: the lease has half a minute to go.
  hook.queue.app.now = Date.now();
  const killed = `${child.pid}--killed`;
  if (ENGINE === "postgres") await renewDispatcher(hook.queue.app, killed);
  await claimAs(hook, killed);
  await wait(ENGINE === "postgres" ? SILENT_MS : 0);
  await using _ = await startService(hook.queue.app, openLog("silent"));
  await until("it is sent", () => hook.receiver.received.length === 1, LEASE_MS / 2);
});

test("deliveries leased by another living process are left alone", async () => {
  await using hook = await waiting();
  hook.queue.app.now = Date.now();
  const living = `${process.ppid}--living`;
  await keepAlive(hook, living);
  await claimAs(hook, living);
  await using another = await ScriptedReceiver.start();
  await hook.queue.endpoint(another);
  await using _ = await startService(hook.queue.app, openLog("silent"));
  await hook.queue.publish("B");
  await another.arrival(1);
  // Of workers that share a PostgreSQL, the one that holds leases of an endpoint has all of it.
  const others = ENGINE === "postgres" ? [] : ["B"];
  await eventually(() => hook.receiver.titles, others);
  assert.deepEqual((await leases(hook.queue))[0], living);
});

test("released deliveries are sent soon, even by a process that waits for a slow receiver", async () => {
  await using hook = await waiting();
  hook.queue.app.now = Date.now();
  const living = `${process.ppid}--living`;
  await keepAlive(hook, living);
  const claims = await claimAs(hook, living);
  const held = gate();
  await using slow = await ScriptedReceiver.start(held.script);
  await hook.queue.endpoint(slow);
  await hook.queue.publish("B");
  await using _ = await startService(hook.queue.app, openLog("silent"));
  await slow.arrival(1);
  await wait(LOOKS_IN_VAIN_MS);
  await hook.queue.app.store.write((db) => releaseUnused(db, claims), { notify: false });
  await until("it is sent", () => hook.receiver.titles.includes("A"), LEASE_MS / 2);
  held.open();
});

test("a process without capacity claims nothing", async () => {
  await using hook = await waiting();
  const lease = { token: "none", until: hook.queue.app.now + LEASE_MS, worker: "nobody" };
  const claims = await hook.queue.app.store.write((db) => claim(db, [], 10, hook.queue.app.now, lease));
  assert.deepEqual(claims, []);
});

test("a graceful stop waits for attempts under way, records them, and releases the rest", async () => {
  const held = gate();
  await using hook = await waiting(held.script);
  const dispatcher = hook.queue.start();
  await hook.receiver.arrival(1);
  await hook.queue.publish("B");
  const stopped = dispatcher.stop(10_000);
  held.open();
  await stopped;
  assert.deepEqual(await hook.queue.states(hook.id), ["delivered", "pending"]);
  assert.deepEqual(await leases(hook.queue), [null]);
  assert.deepEqual(hook.receiver.titles, ["A"]);
});

test("a stop that times out aborts attempts, and the next process sends them again as the same attempts", async () => {
  await using hook = await waiting((_request, index) => (index === 0 ? new Promise(() => undefined) : {}));
  const dispatcher = hook.queue.start();
  await hook.receiver.arrival(1);
  await dispatcher.stop(20);
  assert.deepEqual(await hook.queue.states(hook.id), ["pending"]);
  assert.deepEqual(await leases(hook.queue), [null]);
  const { failedAttempts, lastError } = await hook.queue.find(hook.id);
  assert.deepEqual([failedAttempts, lastError], [0, null]);
  hook.queue.start({ worker: "next" });
  await eventually(() => hook.queue.states(hook.id), ["delivered"]);
  assert.deepEqual(hook.receiver.header("webhook-attempt"), ["1", "1"]);
  assert.equal(new Set(hook.receiver.header("webhook-id")).size, 1);
});

test("a stop releases deliveries claimed ahead of the window", async () => {
  await using hook = await waiting();
  const { app } = hook.queue;
  // The receiver counts as quick, however busy this machine is: only for quick receivers is more claimed than their window.
  const post: typeof app.post = async (...args) => {
    const result = await app.post(...args);
    return { ...result, timings: { ...result.timings, total: 1 } };
  };
  const dispatcher = hook.queue.start({ app: { ...app, post, clock: () => app.now } });
  for (let count = 0; count < QUICK; count++) await hook.queue.publish("Quick");
  await eventually(async () => (await hook.queue.states(hook.id)).includes("pending"), false);
  const held = gate();
  hook.receiver.script = held.script;
  for (let count = 0; count < 40; count++) await hook.queue.publish("Held");
  await eventually(() => hook.receiver.underWay, 8);
  await eventually(async () => (await leases(hook.queue)).filter((worker) => worker === "test").length > 8, true);
  const stopped = dispatcher.stop(10_000);
  held.open();
  await stopped;
  const states = await hook.queue.states(hook.id);
  assert.equal(states.filter((state) => state === "delivered").length, 1 + QUICK + 8);
  assert.deepEqual(new Set(await leases(hook.queue)), new Set([null]));
});

test("a stopping service finishes attempts under way", async () => {
  const held = gate();
  await using hook = await waiting(held.script);
  const service = await startService(hook.queue.app, openLog("silent"));
  await hook.receiver.arrival(1);
  const stopped = service[Symbol.asyncDispose]();
  held.open();
  await stopped;
  assert.deepEqual(await hook.queue.states(hook.id), ["delivered"]);
});

test("a failure that is recorded late waits from then on", async () => {
  await using hook = await waiting(FAILS);
  const [first] = await claimAs(hook, "one");
  assert.ok(first !== undefined);
  hook.queue.app.now += LEASE_MS - 1;
  assert.equal((await write(hook, recordOf(first, 500))).result, "retried");
  assert.equal((await hook.queue.deliveries(hook.id))[0]?.delivery.nextAttemptAt, hook.queue.app.now + 10_000);
});

test("a delivery claimed ahead for a receiver that became slow is not sent after its lease ended, but claimed anew", async () => {
  await using hook = await waiting();
  hook.queue.start();
  for (let count = 0; count < QUICK; count++) await hook.queue.publish("Quick");
  await eventually(async () => (await hook.queue.states(hook.id)).includes("pending"), false);
  const held = gate();
  hook.receiver.script = held.script;
  for (let count = 0; count < 30; count++) await hook.queue.publish("Slow");
  await eventually(() => hook.receiver.underWay, 8);
  await eventually(async () => (await leases(hook.queue)).filter((worker) => worker === "test").length > 8, true);
  const underWay = new Set(hook.receiver.header("webhook-id").slice(-8));
  hook.queue.app.now += LEASE_MS + CLOCKS_DIFFER_MS + 1;
  await reclaimLeases(hook.queue.app, () => true);
  held.open();
  await eventually(async () => (await hook.queue.states(hook.id)).includes("pending"), false);
  const ids = hook.receiver.header("webhook-id");
  const again = ids.filter((id, index) => ids.indexOf(id) !== index && !underWay.has(id));
  assert.deepEqual(again, []);
});

test("if a receiver may take 60 seconds, an attempt that takes them is recorded", async () => {
  await using queue = await openQueue({ ROSTRUM_WEBHOOK_TIMEOUT_SECONDS: "60" });
  const held = gate();
  await using receiver = await ScriptedReceiver.start(held.script);
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await receiver.arrival(1);
  queue.app.now += 61_000;
  assert.equal(await reclaimLeases(queue.app, () => true), 0);
  held.open();
  await eventually(() => queue.states(id), ["delivered"]);
  assert.equal(receiver.received.length, 1);
});
