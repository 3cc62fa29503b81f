/** docs/webhooks.md, "Answers, time-outs and retries": when a failed delivery is tried again, and what the receiver can say to it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { deleteEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { eventually, openQueue, type ScriptedAnswer, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What `Math.random` would give; 0.5 are waits as they are planned. */
let drawn = 0.5;
let queue: TestQueue;

before(async () => {
  queue = await openQueue();
  queue.start({ random: () => drawn });
});
after(() => queue[Symbol.asyncDispose]());

/** A receiver of all events from now on, that answers in this order and then with 204. */
async function answering(...answers: ScriptedAnswer[]) {
  drawn = 0.5;
  const receiver = await ScriptedReceiver.start((_request, index) => answers[index] ?? {});
  const { id } = await queue.endpoint(receiver);
  const first = async () => (await queue.deliveries(id))[0];
  return {
    receiver,
    id,
    /** Waits until this many attempts were recorded. @returns milliseconds until the next one; null if there is none. */
    waitAfter: async (attempts: number) => {
      await eventually(async () => (await first())?.attempts.length, attempts);
      const dueAt = (await first())?.delivery.nextAttemptAt ?? null;
      return dueAt === null ? null : dueAt - queue.app.now;
    },
    state: async () => (await first())?.delivery.state,
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await deleteEndpoint(queue.app, id, CLI_ORIGIN);
    },
  };
}

/** When it comes, the dispatcher has looked at everything that is due now. */
async function afterAnotherOne() {
  await using marker = await answering();
  await queue.publish("Marker");
  await marker.receiver.arrival(1);
}

test("retries are due 10 s, 2 min and 24 min after the failed attempt's end", async () => {
  await using hook = await answering({ status: 500 }, { status: 500 }, { status: 500 });
  await queue.publish("A");
  for (const [attempts, wait] of [
    [1, 10_000],
    [2, 2 * MINUTE],
    [3, 24 * MINUTE],
  ] as const) {
    assert.equal(await hook.waitAfter(attempts), wait);
    queue.app.now += wait;
  }
  assert.equal(await hook.waitAfter(4), null);
  assert.equal(await hook.state(), "delivered");
});

test("a wait begins at the end of the attempt, however long that took", async () => {
  const answer = Promise.withResolvers<ScriptedAnswer>();
  await using hook = await answering();
  hook.receiver.script = () => answer.promise;
  await queue.publish("A");
  await hook.receiver.arrival(1);
  queue.app.now += 9_000;
  answer.resolve({ status: 500 });
  assert.equal(await hook.waitAfter(1), 10_000);
});

test("a retry is not made a moment before it is due", async () => {
  // The marker fails here, too: a success would bring the retry forward.
  await using hook = await answering({ status: 500 }, { status: 500 });
  await queue.publish("A");
  const wait = await hook.waitAfter(1);
  assert.ok(wait !== null);
  queue.app.now += wait - 1;
  await afterAnotherOne();
  assert.equal(hook.receiver.header("webhook-attempt").filter((number) => number === "2").length, 0);
  queue.app.now += 1;
  await eventually(hook.state, "delivered");
});

test("each wait varies by a fifth in either direction", async () => {
  for (const [random, wait] of [
    [0, 8_000],
    [0.25, 9_000],
    [1 - Number.EPSILON, 12_000],
  ] as const) {
    await using hook = await answering({ status: 500 });
    drawn = random;
    await queue.publish("A");
    assert.equal(await hook.waitAfter(1), wait);
  }
});

for (const [status, value, wait] of [
  [429, "60", MINUTE],
  [503, "60", MINUTE],
  [503, "1", 10_000],
  [429, "86400", HOUR],
  [500, "60", 10_000],
  [429, "soon", 10_000],
] as const) {
  test(`Retry-After: ${value} with ${status} makes the next attempt due in ${wait / 1_000} s`, async () => {
    await using hook = await answering({ status, headers: { "Retry-After": value } });
    await queue.publish("A");
    assert.equal(await hook.waitAfter(1), wait);
  });
}

test("Retry-After may be a date", async () => {
  const at = new Date(queue.app.now + 5 * MINUTE).toUTCString();
  await using hook = await answering({ status: 503, headers: { "Retry-After": at } });
  await queue.publish("A");
  assert.equal(await hook.waitAfter(1), 5 * MINUTE);
});

test("Retry-After does not add an attempt to the four", async () => {
  const later = { status: 429, headers: { "Retry-After": "3600" } };
  await using hook = await answering(later, later, later, later);
  await queue.publish("A");
  for (const attempts of [1, 2, 3]) {
    assert.equal(await hook.waitAfter(attempts), HOUR);
    queue.app.now += HOUR;
  }
  await eventually(hook.state, "exhausted");
});

test("410 ends the delivery at once and disables the endpoint", async () => {
  await using hook = await answering({ status: 410 });
  await queue.publish("A");
  await eventually(hook.state, "exhausted");
  const endpoint = await queue.find(hook.id);
  assert.deepEqual(
    [endpoint.state, endpoint.disabledReason, endpoint.disabledAt],
    ["disabled", "The receiver answered 410: the address is gone.", queue.app.now],
  );
  assert.equal(hook.receiver.received.length, 1);
});

test("webhook-delivery: disable ends the delivery and disables the endpoint, and names the cause", async () => {
  await using hook = await answering({ status: 500, headers: { "Webhook-Delivery": "disable" } });
  await queue.publish("A");
  await eventually(hook.state, "exhausted");
  const { state, disabledReason } = await queue.find(hook.id);
  assert.equal(state, "disabled");
  assert.match(String(disabledReason), /webhook-delivery: disable/);
});

test("webhook-delivery: disable beside a 2xx disables the endpoint, and the delivery stays delivered", async () => {
  await using hook = await answering({ status: 200, headers: { "webhook-delivery": "disable" } });
  await queue.publish("A");
  await eventually(async () => (await queue.find(hook.id)).state, "disabled");
  assert.equal(await hook.state(), "delivered");
});

test("webhook-delivery: abort-message ends this delivery, and the next one is sent", async () => {
  await using hook = await answering({ status: 500, headers: { "webhook-delivery": "abort-message" } });
  await queue.publish("A");
  await eventually(hook.state, "exhausted");
  await queue.publish("B");
  await eventually(() => queue.states(hook.id), ["exhausted", "delivered"]);
  assert.equal((await queue.find(hook.id)).state, "sending");
});

test("an unknown directive is ignored", async () => {
  await using hook = await answering({ status: 500, headers: { "webhook-delivery": "explode" } });
  await queue.publish("A");
  assert.equal(await hook.waitAfter(1), 10_000);
});

test("a redirect is not followed", async () => {
  await using elsewhere = await ScriptedReceiver.start();
  await using hook = await answering({ status: 307, headers: { Location: elsewhere.url } });
  await queue.publish("A");
  assert.equal(await hook.waitAfter(1), 10_000);
  assert.equal(elsewhere.received.length, 0);
  assert.equal((await queue.deliveries(hook.id))[0]?.attempts[0]?.outcome, "redirect");
});

test("each attempt is signed at its own time, with its number", async () => {
  await using hook = await answering({ status: 500 });
  await queue.publish("A");
  const startedAt = queue.app.now;
  queue.app.now += (await hook.waitAfter(1)) ?? 0;
  await hook.receiver.arrival(2);
  assert.deepEqual(hook.receiver.header("webhook-attempt"), ["1", "2"]);
  assert.deepEqual(hook.receiver.header("webhook-timestamp"), [
    String(startedAt / 1_000),
    String(startedAt / 1_000 + 10),
  ]);
  assert.equal(new Set(hook.receiver.header("webhook-signature")).size, 2);
});

test("no error was logged while all of this was sent", () => {
  assert.deepEqual(queue.errors, []);
});
