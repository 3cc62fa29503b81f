/** docs/webhooks.md, "Duplicates and order": first in, first out for each endpoint and article; everything else side by side. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { deleteArticle } from "../../src/operations/articles/write/articles.ts";
import { deleteEndpoint, type NewEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { claim, listWaiting } from "../../src/store/webhooks/claims.ts";
import { CHIEF } from "../helpers/articles.ts";
import { eventually, gate, openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const MINUTE = 60_000;

let queue: TestQueue;

before(async () => {
  queue = await openQueue();
  queue.start();
});
after(() => queue[Symbol.asyncDispose]());

async function listening(settings: Partial<NewEndpoint> = {}) {
  const receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver, settings);
  return {
    id,
    receiver,
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await deleteEndpoint(queue.app, id, CLI_ORIGIN);
    },
  };
}

/** Delivers this many, so that the endpoint's window grows by one. */
async function warmUp({ id, receiver }: { id: string; receiver: ScriptedReceiver }, count: number): Promise<void> {
  for (let made = 0; made < count; made++) await queue.publish("Warm-up");
  await eventually(async () => (await queue.find(id)).window, count + 1);
  receiver.received.length = 0;
  receiver.mostUnderWay = 0;
}

test("events of one article arrive one at a time, in the order of their creation", async () => {
  await using hook = await listening();
  await warmUp(hook, 4);
  const id = await queue.publish("Edit 0");
  for (let edit = 1; edit < 10; edit++) await queue.retitle(id, `Edit ${edit}`);
  await deleteArticle(queue.app, id, CHIEF);
  await hook.receiver.arrival(11);
  assert.deepEqual(hook.receiver.titles, [...Array.from({ length: 10 }, (_, edit) => `Edit ${edit}`), id]);
  assert.equal(hook.receiver.mostUnderWay, 1);
  const sequences = hook.receiver.header("webhook-sequence").map(Number);
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  );
});

test("while one event of an article waits for its retry, the article's later events wait behind it, and other articles' do not", async () => {
  await using hook = await listening();
  await warmUp(hook, 2);
  hook.receiver.script = ({ data }, index) => ({ status: index === 0 && data["title"] === "A1" ? 500 : 200 });
  const id = await queue.publish("A1");
  await hook.receiver.arrival(1);
  await queue.retitle(id, "A2");
  await queue.publish("B");
  // The retry is made as soon as B has arrived.
  await hook.receiver.arrival(4);
  assert.deepEqual(hook.receiver.titles, ["A1", "B", "A1", "A2"]);
});

for (const [name, settings] of [
  ["thin", { payload: "thin" }],
  ["coalescing", { coalesceMs: 1 }],
] as const) {
  test(`on a ${name} endpoint a newer event replaces one that waits for its retry`, async () => {
    await using hook = await listening(settings);
    hook.receiver.script = (_request, index) => ({ status: index === 0 ? 500 : 200 });
    const id = await queue.publish("A1");
    queue.app.now += 1;
    await eventually(async () => (await queue.deliveries(hook.id))[0]?.attempts.length, 1);
    await queue.retitle(id, "A2");
    queue.app.now += 1;
    await eventually(() => queue.states(hook.id), ["coalesced", "delivered"]);
    assert.deepEqual(hook.receiver.header("webhook-attempt"), ["1", "1"]);
  });

  test(`on a ${name} endpoint an event that fails while a newer one waits behind it is not retried`, async () => {
    await using hook = await listening(settings);
    const held = gate();
    hook.receiver.script = (request, index) => (index === 0 ? held.script(request, index) : {});
    const id = await queue.publish("A1");
    queue.app.now += 1;
    await hook.receiver.arrival(1);
    await queue.retitle(id, "A2");
    queue.app.now += 1;
    held.open({ status: 500 });
    await eventually(() => queue.states(hook.id), ["coalesced", "delivered"]);
    assert.equal(queue.recorded.filter(({ result }) => result === "coalesced").length > 0, true);
  });

  test(`a dead ${name} endpoint is disabled even though newer events replace every retry`, async () => {
    await using failing = await openQueue({
      ROSTRUM_WEBHOOK_RETRY_SECONDS: "3600,3600",
      ROSTRUM_WEBHOOK_DISABLE_AFTER: "2",
    });
    await using receiver = await ScriptedReceiver.start(() => ({ status: 500 }));
    const { id } = await failing.endpoint(receiver, settings);
    failing.start();
    const article = await failing.publish("A");
    const failed = async () => {
      failing.app.now += 1_000;
      return (await failing.deliveries(id)).at(-1)?.attempts.length;
    };
    await eventually(failed, 1);
    for (const [edit, state] of ["sending", "sending", "sending", "sending", "disabled"].entries()) {
      // All retries take two hours.
      failing.app.now += 30 * MINUTE;
      await failing.retitle(article, `A${edit}`);
      await eventually(failed, 1);
      assert.equal((await failing.find(id)).state, state);
    }
  });
}

test("an endpoint that neither coalesces nor sends thin bodies gets every event, in order", async () => {
  await using hook = await listening();
  hook.receiver.script = (_request, index) => ({ status: index === 0 ? 500 : 200 });
  const id = await queue.publish("A1");
  await eventually(async () => (await queue.deliveries(hook.id))[0]?.attempts.length, 1);
  await queue.retitle(id, "A2");
  queue.app.now += MINUTE;
  await eventually(() => queue.states(hook.id), ["delivered", "delivered"]);
  assert.deepEqual(hook.receiver.titles, ["A1", "A1", "A2"]);
});

test("after an exhausted event the article's next one is sent", async () => {
  await using hook = await listening();
  await warmUp(hook, 2);
  hook.receiver.script = ({ data }) =>
    data["title"] === "A1" ? { status: 500, headers: { "webhook-delivery": "abort-message" } } : {};
  const id = await queue.publish("A1");
  await queue.retitle(id, "A2");
  await hook.receiver.arrival(2);
  assert.deepEqual(hook.receiver.titles, ["A1", "A2"]);
});

test("events of different articles are sent at the same time", async () => {
  await using hook = await listening();
  await warmUp(hook, 3);
  const held = gate();
  hook.receiver.script = held.script;
  for (const title of ["A", "B", "C"]) await queue.publish(title);
  await eventually(() => hook.receiver.underWay, 3);
  held.open();
});

test("a hanging endpoint does not delay another one, even for the same article", async () => {
  await using hanging = await listening();
  await using quick = await listening();
  const held = gate();
  hanging.receiver.script = held.script;
  const id = await queue.publish("A1");
  await queue.retitle(id, "A2");
  await queue.publish("B");
  await quick.receiver.arrival(3);
  assert.equal(hanging.receiver.received.length, 1);
  held.open();
  await hanging.receiver.arrival(3);
});

test("an endpoint with a long queue does not delay one with a single event", async () => {
  await using long = await listening();
  const held = gate();
  long.receiver.script = held.script;
  for (let count = 0; count < 30; count++) await queue.publish("Long");
  await using late = await listening();
  await queue.publish("Late");
  await late.receiver.arrival(1);
  held.open();
  await eventually(async () => (await queue.states(long.id)).includes("pending"), false);
});

test("the endpoint that has waited longest for its turn is served first", async () => {
  await using idle = await openQueue();
  const ids = [];
  for (const port of [1, 2, 3]) ids.push((await idle.endpoint({ url: `http://127.0.0.1:${port}/` })).id);
  const [first = "", second = "", third = ""] = ids;
  await idle.publish("A");
  await idle.publish("B");
  for (const id of [second, first, third]) {
    idle.app.now += 1;
    const lease = { token: id, until: idle.app.now, worker: "test" };
    await idle.app.store.write((db) => claim(db, [{ endpointId: id, most: 1 }], 1, idle.app.now, lease));
  }
  const waiting = await idle.app.store.read((db) => listWaiting(db, "test", idle.app.now));
  assert.deepEqual(
    waiting.map(({ id }) => id),
    [second, first, third],
  );
});

test("events that were created while no service ran are delivered at the next start, the oldest first", async () => {
  await using idle = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  await idle.endpoint(receiver);
  const id = await idle.publish("A1");
  await idle.publish("B1");
  await idle.retitle(id, "A2");
  idle.app.now += 60 * MINUTE;
  idle.start();
  await receiver.arrival(3);
  // Until the first one has been answered the endpoint is sent one message at a time, then several side by side.
  assert.equal(receiver.titles[0], "A1");
  assert.deepEqual(receiver.titles.toSorted(), ["A1", "A2", "B1"]);
});

test("two dispatchers on one store send each event once", async () => {
  await using shared = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await shared.endpoint(receiver);
  shared.start({ worker: "one" });
  shared.start({ worker: "two", app: await shared.reopen() });
  for (let count = 0; count < 20; count++) await shared.publish(`A${count}`);
  await eventually(async () => (await shared.states(id)).every((state) => state === "delivered"), true);
  assert.equal(receiver.received.length, 20);
  assert.deepEqual(shared.errors, []);
});

test("no error was logged while all of this was sent", () => {
  assert.deepEqual(queue.errors, []);
});
