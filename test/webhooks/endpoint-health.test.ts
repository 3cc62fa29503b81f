/** docs/webhooks.md, "Disabled, and catching up": when a receiver that fails is warned of, asked gently and disabled. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { parkStopped } from "../../src/operations/webhooks/queue-maintenance.ts";
import { redeliver } from "../../src/operations/webhooks/replays.ts";
import { eventually, FAILS, gate, OK, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

let queue: TestQueue;
let receiver: ScriptedReceiver;
let id: string;

/** One attempt a delivery, so that each failure counts. */
const ABORTS = () => ({ status: 500, headers: { "webhook-delivery": "abort-message" } });

before(async () => {
  receiver = await ScriptedReceiver.start();
});
after(() => receiver[Symbol.asyncDispose]());

async function fresh(settings: Record<string, string> = {}): Promise<TestQueue> {
  receiver.received.length = 0;
  receiver.script = ABORTS;
  receiver.mostUnderWay = 0;
  queue = await openQueue(settings);
  ({ id } = await queue.endpoint(receiver));
  queue.start();
  return queue;
}

/** Publishes one article after the other; each is at its end before the next, whatever pause was put in between. */
async function publishAndEnd(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    await queue.publish("A");
    await eventually(async () => {
      // What the endpoint is let rest between two probes is not what is looked at here.
      queue.app.now += 1_000;
      return (await queue.states(id)).includes("pending");
    }, false);
  }
}

const warnings = () => queue.recorded.flatMap(({ warning }) => warning ?? []);

test("the tenth delivery in a row that ends exhausted disables the endpoint, with its cause and the time", async () => {
  await using _ = await fresh();
  await publishAndEnd(9);
  assert.deepEqual([(await queue.find(id)).state, (await queue.find(id)).consecutiveFailures], ["sending", 9]);
  await publishAndEnd(1);
  const endpoint = await queue.find(id);
  assert.equal(endpoint.state, "disabled");
  assert.equal(endpoint.disabledReason, "10 deliveries in a row failed. The last error: The receiver answered 500.");
  assert.ok(endpoint.disabledAt !== null && endpoint.disabledAt <= queue.app.now);
  assert.equal(queue.recorded.filter(({ hasDisabled }) => hasDisabled).length, 1);
});

test("the third and the fifth consecutive failure are each reported once", async () => {
  await using _ = await fresh();
  await publishAndEnd(10);
  assert.deepEqual(warnings(), [3, 5]);
});

test("any 2xx restarts the count", async () => {
  await using _ = await fresh();
  await publishAndEnd(9);
  receiver.script = OK;
  await publishAndEnd(1);
  assert.equal((await queue.find(id)).consecutiveFailures, 0);
  receiver.script = ABORTS;
  await publishAndEnd(9);
  assert.deepEqual([(await queue.find(id)).state, warnings()], ["sending", [3, 5, 3, 5]]);
});

test("a failed attempt does not count while its delivery has retries left", async () => {
  await using _ = await fresh();
  receiver.script = FAILS;
  for (let count = 0; count < 12; count++) await queue.publish("A");
  await eventually(async () => {
    // 10 s are never over: no second attempts.
    queue.app.now += 100;
    return (await queue.deliveries(id)).filter(({ attempts }) => attempts.length > 0).length >= 5;
  }, true);
  const { consecutiveFailures, failedAttempts } = await queue.find(id);
  assert.equal(consecutiveFailures, 0);
  assert.ok(failedAttempts >= 5);
});

test("ROSTRUM_WEBHOOK_DISABLE_COUNTS=attempt counts every failed attempt", async () => {
  await using _ = await fresh({ ROSTRUM_WEBHOOK_DISABLE_COUNTS: "attempt", ROSTRUM_WEBHOOK_DISABLE_AFTER: "4" });
  receiver.script = FAILS;
  await queue.publish("A");
  await eventually(async () => {
    queue.app.now += 60_000;
    return (await queue.find(id)).state;
  }, "disabled");
  assert.equal(receiver.received.length, 4);
});

test("ROSTRUM_WEBHOOK_DISABLE_AFTER sets how many failures disable an endpoint", async () => {
  await using _ = await fresh({ ROSTRUM_WEBHOOK_DISABLE_AFTER: "2" });
  await publishAndEnd(1);
  assert.equal((await queue.find(id)).state, "sending");
  await publishAndEnd(1);
  assert.equal((await queue.find(id)).state, "disabled");
});

test("a redelivery that fails does not count", async () => {
  await using _ = await fresh();
  await publishAndEnd(1);
  const [first] = await queue.deliveries(id);
  await redeliver(queue.app, first?.delivery.id ?? "", CLI_ORIGIN);
  await eventually(() => queue.states(id), ["exhausted", "exhausted"]);
  assert.equal((await queue.find(id)).consecutiveFailures, 1);
});

test("disabling parks waiting deliveries, and every later event", async () => {
  await using _ = await fresh();
  receiver.script = FAILS;
  await queue.publish("Waits");
  await eventually(async () => (await queue.deliveries(id))[0]?.attempts.length, 1);
  receiver.script = () => ({ status: 410 });
  await queue.publish("Ends");
  await eventually(async () => (await queue.find(id)).state, "disabled");
  await parkStopped(queue.app);
  await queue.publish("Later");
  assert.deepEqual(await queue.states(id), ["parked", "exhausted", "parked"]);
  queue.app.now += 86_400_000;
  await using marker = await ScriptedReceiver.start();
  await queue.endpoint(marker);
  await queue.publish("Marker");
  await marker.arrival(1);
  assert.deepEqual(receiver.titles, ["Waits", "Ends"]);
});

test("an attempt that fails after its endpoint was disabled is parked, and stays in the log", async () => {
  await using _ = await fresh();
  receiver.script = OK;
  await publishAndEnd(1);
  const held = gate();
  receiver.script = (request) => (request.data["title"] === "Held" ? held.script(request, 0) : { status: 410 });
  await queue.publish("Held");
  await queue.publish("Gone");
  await eventually(async () => (await queue.find(id)).state, "disabled");
  held.open({ status: 500 });
  await eventually(() => queue.states(id), ["delivered", "parked", "exhausted"]);
  assert.equal((await queue.deliveries(id))[1]?.attempts.length, 1);
});

test("the window allows one attempt at a time at first, up to eight while all goes well, and half as many after a failure", async () => {
  await using _ = await fresh();
  receiver.script = OK;
  assert.equal((await queue.find(id)).window, 1);
  await publishAndEnd(1);
  assert.equal((await queue.find(id)).window, 2);
  await publishAndEnd(9);
  assert.equal((await queue.find(id)).window, 8);
  const held = gate();
  receiver.script = held.script;
  for (let count = 0; count < 12; count++) await queue.publish("A");
  await eventually(() => receiver.underWay, 8);
  held.open();
  await eventually(async () => (await queue.states(id)).includes("pending"), false);
  assert.equal(receiver.mostUnderWay, 8);
  receiver.script = ABORTS;
  await publishAndEnd(1);
  assert.equal((await queue.find(id)).window, 4);
});

test("a dead endpoint is probed one at a time, with pauses of 1, 2, 4 s up to the first wait", async () => {
  await using _ = await fresh();
  await publishAndEnd(4);
  const pauses: number[] = [];
  for (let probe = 1; probe <= 5; probe++) {
    await queue.publish("A");
    await eventually(() => receiver.received.length, 4 + probe);
    await eventually(async () => (await queue.states(id)).includes("pending"), false);
    const { notBefore } = await queue.find(id);
    pauses.push(notBefore - queue.app.now);
    queue.app.now = notBefore;
  }
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 10_000]);
  assert.equal(receiver.mostUnderWay, 1);
});

async function countTried(): Promise<number> {
  return (await queue.deliveries(id)).filter(({ attempts }) => attempts.length > 0).length;
}

/** Publishes and lets the first attempt of each fail, however the endpoint is paused between them. */
async function publishFailing(count: number): Promise<void> {
  const before = await countTried();
  for (let made = 1; made <= count; made++) {
    await queue.publish(`Waits ${made}`);
    queue.app.now = Math.max(queue.app.now, (await queue.find(id)).notBefore);
    await eventually(countTried, before + made);
  }
}

test("after any failure, waiting retries are sent at once when another message arrives", async () => {
  for (const failures of [1, 4, 6]) {
    await using _ = await fresh({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "3600,3600" });
    receiver.script = FAILS;
    const start = queue.app.now;
    await publishFailing(failures);
    receiver.script = OK;
    await queue.publish("Arrives");
    queue.app.now = Math.max(queue.app.now, (await queue.find(id)).notBefore);
    await eventually(
      () => queue.states(id),
      Array.from({ length: failures + 1 }, () => "delivered"),
    );
    assert.ok(queue.app.now - start < 10_000, "long before a retry was planned");
  }
});

test("a retry that was brought forward and fails returns to its plan and keeps its attempts", async () => {
  await using _ = await fresh({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "3600,3600" });
  receiver.script = ({ data }) => ({ status: data["title"] === "Broken" ? 500 : 204 });
  const start = queue.app.now;
  const broken = async () => (await queue.deliveries(id))[0];
  const attempts = async () => (await broken())?.attempts.length;
  await queue.publish("Broken");
  await eventually(attempts, 1);
  for (const count of [1, 2, 3]) {
    await queue.publish(`Arrives ${count}`);
    await eventually(async () => (await queue.states(id)).filter((state) => state === "delivered").length, count);
    await eventually(attempts, 2);
  }
  assert.equal((await broken())?.delivery.nextAttemptAt, start + 3_600_000);
  for (const [waitMs, count] of [
    [3_600_000, 3],
    [3_600_000, 4],
  ] as const) {
    queue.app.now += waitMs;
    await eventually(attempts, count);
  }
  assert.equal((await broken())?.delivery.state, "exhausted");
  assert.deepEqual(
    receiver.received.filter(({ data }) => data["title"] === "Broken").map(({ headers }) => headers["webhook-attempt"]),
    ["1", "2", "3", "4"],
  );
});

test("when a recovered endpoint fails again, expedited retries return to their planned times", async () => {
  await using _ = await fresh({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "3600,3600" });
  receiver.script = FAILS;
  const start = queue.app.now;
  await publishFailing(12);
  receiver.script = ({ data }) => ({ status: data["title"] === "Arrives" ? 200 : 500 });
  await queue.publish("Arrives");
  queue.app.now = (await queue.find(id)).notBefore;
  await eventually(async () => (await queue.find(id)).failedAttempts, 5);
  const deliveries = await queue.deliveries(id);
  const tried = deliveries.slice(0, -1).filter(({ attempts }) => attempts.length === 2);
  assert.ok(tried.length >= 5 && tried.length < 12, `${tried.length} were tried`);
  for (const { delivery } of deliveries.slice(0, -1)) {
    assert.equal(delivery.state, "pending");
    assert.ok((delivery.nextAttemptAt ?? 0) >= start + 3_600_000);
  }
  // All of them, those that failed early too, are sent when the endpoint answers.
  receiver.script = OK;
  await queue.publish("Arrives");
  queue.app.now = (await queue.find(id)).notBefore;
  await eventually(async () => new Set(await queue.states(id)), new Set(["delivered"]));
  assert.ok(queue.app.now < start + 3_600_000);
});

test("a retry that the receiver delayed is expedited to that time only", async () => {
  await using _ = await fresh({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "3600" });
  const asks = { status: 503, headers: { "Retry-After": "60" } };
  receiver.script = ({ data }) => (data["title"] === "Waits" ? asks : {});
  const start = queue.app.now;
  await queue.publish("Waits");
  await eventually(async () => (await queue.deliveries(id))[0]?.attempts.length, 1);
  await queue.publish("Arrives");
  await eventually(async () => (await queue.deliveries(id))[0]?.delivery.nextAttemptAt, start + 60_000);
  receiver.script = OK;
  queue.app.now = start + 60_000;
  await eventually(() => queue.states(id), ["delivered", "delivered"]);
});

test("a dead endpoint is disabled while new events keep coming, because its retries get their turns", async () => {
  await using _ = await fresh({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "10,10", ROSTRUM_WEBHOOK_DISABLE_AFTER: "2" });
  receiver.script = FAILS;
  // So many that they alone would take all probes for an hour.
  for (let made = 0; made < 30; made++) await queue.publish("A");
  let probes = 0;
  await eventually(async () => {
    const { state, notBefore } = await queue.find(id);
    probes = receiver.received.length;
    queue.app.now = Math.max(queue.app.now, notBefore);
    return state;
  }, "disabled");
  assert.ok(probes <= 34, `${probes} attempts were made`);
});
