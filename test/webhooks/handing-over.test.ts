/** Deliveries of idle webhooks are stored under a lease of their process's dispatcher, which sends them without claiming them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "../../src/process/log.ts";
import { publishArticle } from "../../src/operations/articles/write/articles.ts";
import { startService } from "../../src/service/service.ts";
import { claim, type LeasedDelivery, toHandOverToken } from "../../src/store/webhooks/claims.ts";
import type { LocalDispatcher, OfferedLease } from "../../src/store/store.ts";
import { SharedLiveness } from "../../src/store/system/shared-liveness.ts";
import type { NewEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { ENGINE } from "../helpers/database.ts";
import { until } from "../helpers/until.ts";
import { eventually, gate, isSignedBy, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const WORKER = "test";
const LEASE_MS = 30_000;
const BEAT_EVERY_MS = 50;
const NS_PER_MS = 1_000_000n;

/** A process whose dispatcher is idle, and what is handed over to it. `ageMs`: how old its leases are. */
async function openIdle({ ageMs = 0 } = {}) {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue());
  const { store } = queue.app;
  const handedOver: [LeasedDelivery[], boolean][] = [];
  const liveness = new SharedLiveness();
  const beating = setInterval(() => liveness.beat(), BEAT_EVERY_MS);
  opened.defer(() => clearInterval(beating));
  liveness.beat();
  let count = 0;
  const offerLease = (): OfferedLease => ({
    token: toHandOverToken(String(++count)),
    until: queue.app.now + LEASE_MS,
    worker: WORKER,
    offeredAt: process.hrtime.bigint() - BigInt(ageMs) * NS_PER_MS,
  });
  const dispatcher: LocalDispatcher = {
    id: WORKER,
    liveness,
    offerLease,
    takeOver: (deliveries, maySend) => void handedOver.push([[...deliveries] as LeasedDelivery[], maySend]),
  };
  store.setDispatcher(dispatcher);
  opened.use(await store.follow((error) => assert.fail(String(error))));
  if (ENGINE === "postgres") await until("its row is renewed", () => liveness.mayHandOver());
  const receiver = opened.use(await ScriptedReceiver.start());
  const owned = opened.move();
  return { queue, receiver, handedOver, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The leases of queued deliveries, oldest first. */
async function workers({ app }: TestQueue): Promise<(string | null)[]> {
  const rows = await app.store.read((db) => db.all("SELECT worker FROM delivery_queue ORDER BY delivery_no"));
  return rows.map(({ worker }) => worker);
}

test("what is published for an idle webhook is leased with its commit, handed over after it, and claimed by nobody else", async () => {
  await using hook = await openIdle();
  const { queue, handedOver, receiver } = hook;
  const { id } = await queue.endpoint(receiver);
  const articleId = await queue.publish("A");
  assert.deepEqual(await workers(queue), [WORKER]);
  await eventually(
    () => handedOver.map(([deliveries, maySend]) => [deliveries[0]?.claim.articleId, maySend]),
    [[articleId, true]],
  );
  const lease = { token: "other", until: queue.app.now + LEASE_MS, worker: "other" };
  const claimed = await queue.app.store.write((db) =>
    claim(db, [{ endpointId: id, most: 10 }], 10, queue.app.now, lease),
  );
  assert.deepEqual(claimed, []);
});

test("what is published while a delivery of the webhook is under way waits behind it or for a claim", async () => {
  await using hook = await openIdle();
  const { queue, handedOver, receiver } = hook;
  await queue.endpoint(receiver);
  const articleId = await queue.publish("A");
  await queue.retitle(articleId, "A again");
  await queue.publish("B");
  assert.deepEqual(await workers(queue), [WORKER, null, null]);
  await eventually(() => handedOver.length, 1);
});

const NOT_IDLE: [string, Partial<NewEndpoint>, string][] = [
  ["that collects events", { coalesceMs: 1_000 }, ""],
  ["that is paused", {}, "state = 'paused'"],
  ["that is catching up", {}, "replaying = 1"],
  ["whose last attempt failed", {}, "failed_attempts = 1"],
  ["that is probed later", {}, "not_before = 253402300799999"],
];

for (const [which, settings, set] of NOT_IDLE) {
  test(`what is published for a webhook ${which} is not handed over`, async () => {
    await using hook = await openIdle();
    const { queue, handedOver, receiver } = hook;
    const { id } = await queue.endpoint(receiver, settings);
    if (set !== "") await queue.app.store.write((db) => db.run(`UPDATE endpoints SET ${set} WHERE id = ?`, id));
    await queue.publish("A");
    await using other = await ScriptedReceiver.start();
    const idle = await queue.endpoint(other);
    await queue.publish("B");
    await eventually(
      () => handedOver.flatMap(([all]) => all.map(({ claim: { endpointId } }) => endpointId)),
      [idle.id],
    );
  });
}

test("of more idle webhooks than may be handed over, and of a long text, the rest is left to claims", async () => {
  await using hook = await openIdle();
  const { queue, receiver } = hook;
  for (let count = 0; count < 18; count++) await queue.endpoint(receiver);
  await queue.publish("A");
  const leased = (await workers(queue)).filter((worker) => worker !== null);
  assert.equal(leased.length, 16);
  await queue.app.store.write((db) => db.run("DELETE FROM delivery_queue"));
  await queue.publish("Long", { content: `<p>${"word ".repeat(60_000)}</p>` });
  assert.deepEqual(new Set(await workers(queue)), new Set([null]));
});

test("a transaction that is rolled back hands over nothing", async () => {
  await using hook = await openIdle();
  const { queue, handedOver, receiver } = hook;
  await queue.endpoint(receiver);
  const articleId = await queue.publish("A", { status: "approved" });
  const { store } = queue.app;
  const failing = Object.assign(Object.create(store) as typeof store, {
    write: <T>(work: Parameters<typeof store.write<T>>[0]) =>
      store.write(async (db) => {
        await work(db);
        throw new Error("the disk is full");
      }),
  });
  const publishing = publishArticle({ ...queue.app, store: failing }, articleId, { id: "chief", mayApprove: true });
  await assert.rejects(publishing, /disk is full/);
  await publishArticle(queue.app, articleId, { id: "chief", mayApprove: true });
  await eventually(() => handedOver.length, 1);
});

test("the dispatcher sends what it takes over, signed, and records it under its lease", async () => {
  await using hook = await openIdle();
  const { queue, handedOver, receiver } = hook;
  const { id, secret } = await queue.endpoint(receiver);
  await queue.publish("A");
  await until("it is handed over", () => handedOver.length === 1);
  const dispatcher = queue.start({ worker: WORKER });
  await until("it may send", () => dispatcher.stepMs < Number.POSITIVE_INFINITY);
  dispatcher.takeOver(...(handedOver[0] ?? assert.fail()));
  await eventually(() => queue.states(id), ["delivered"]);
  assert.deepEqual(receiver.titles, ["A"]);
  assert.equal(isSignedBy(receiver.received[0] ?? assert.fail(), secret), true);
  assert.deepEqual(await workers(queue), []);
});

for (const [which, ageMs, maySend] of [
  ["comes too late", 60_000, true],
  ["other processes have not seen", 0, false],
] as const) {
  test(`what ${which} is released and claimed again, and sent once`, async () => {
    await using hook = await openIdle({ ageMs });
    const { queue, handedOver, receiver } = hook;
    const { id } = await queue.endpoint(receiver);
    await queue.publish("A");
    await until("it is handed over", () => handedOver.length === 1);
    const dispatcher = queue.start({ worker: WORKER });
    dispatcher.takeOver(handedOver[0]?.[0] ?? [], maySend);
    await eventually(() => queue.states(id), ["delivered"]);
    assert.deepEqual(receiver.titles, ["A"]);
    assert.equal(await wasClaimed(queue, id), true);
  });
}

/** A claim records when the endpoint was served. */
async function wasClaimed({ app }: TestQueue, id: string): Promise<boolean> {
  const row = await app.store.read((db) => db.get("SELECT served_at FROM endpoints WHERE id = ?", id));
  return row?.served_at !== 0;
}

test("a service sends what is published for an idle webhook without a claim, and later events of the article after it", async () => {
  await using queue = await openQueue();
  queue.app.now = Date.now();
  const held = gate();
  let isHolding = false;
  await using receiver = await ScriptedReceiver.start((request, index) =>
    isHolding ? held.script(request, index) : {},
  );
  const { id } = await queue.endpoint(receiver);
  await using _ = await startService(queue.app, openLog("silent"));
  // One that is handed over too late is claimed: the thread starts, or the machine is busy.
  await until("one is sent without a claim", async () => {
    await queue.app.store.write((db) => db.run("UPDATE endpoints SET served_at = 0 WHERE id = ?", id));
    queue.app.now = Date.now();
    await queue.publish("First");
    await until("the queue is empty", async () => (await workers(queue)).length === 0);
    return !(await wasClaimed(queue, id));
  });
  const earlier = receiver.titles.length;
  isHolding = true;
  const articleId = await queue.publish("A");
  await receiver.arrival(earlier + 1);
  await queue.retitle(articleId, "A again");
  held.open();
  await until("both are delivered", async () => (await workers(queue)).length === 0);
  assert.deepEqual(receiver.titles.slice(earlier), ["A", "A again"]);
  assert.deepEqual(new Set(await queue.states(id)), new Set(["delivered"]));
});

if (ENGINE === "postgres") {
  test("nothing is handed over while another process answers readers, which has to see the change first", async () => {
    await using hook = await openIdle();
    const { queue, handedOver, receiver } = hook;
    await queue.endpoint(receiver);
    const other = await queue.reopen();
    const following = await other.store.follow((error) => assert.fail(String(error)));
    await until("the other is known", async () => {
      await queue.publish("A");
      return (await workers(queue)).at(-1) === null;
    });
    const before = handedOver.flatMap(([all]) => all).length;
    await queue.app.store.write((db) => db.run("DELETE FROM delivery_queue"));
    await queue.publish("B");
    assert.deepEqual(await workers(queue), [null]);
    await following[Symbol.asyncDispose]();
    assert.equal(handedOver.flatMap(([all]) => all).length, before);
  });
}
