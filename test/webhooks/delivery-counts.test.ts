/** Deliveries are counted by the hour, in the transaction that writes their attempts down. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS, startOfHour } from "../../src/domain/system/time.ts";
import { removeOld } from "../../src/operations/website/retention.ts";
import { addDeliveryCounts, deliveriesByHour, firstDeliveryAt } from "../../src/store/webhooks/attempts.ts";
import { TODAY } from "../helpers/articles.ts";
import { eventually, FAILS, OK, openQueue, type ScriptedAnswer, ScriptedReceiver } from "../helpers/webhooks.ts";

test("delivered, exhausted and retried deliveries are counted per hour", async () => {
  await using queue = await openQueue({ ROSTRUM_WEBHOOK_RETRY_SECONDS: "0" });
  await using good = await ScriptedReceiver.start(OK);
  await using bad = await ScriptedReceiver.start(FAILS);
  const { id } = await queue.endpoint(good);
  const failing = await queue.endpoint(bad);
  const counts = () => queue.app.store.read((db) => deliveriesByHour(db, queue.website.id, 0));
  queue.start();
  await queue.publish("One");
  await queue.publish("Two");
  const first = startOfHour(TODAY);
  const expected = { delivered: 2, exhausted: 2, retried: 2 };
  await eventually(counts, new Map([[first, expected]]));
  assert.equal(await queue.app.store.read((db) => firstDeliveryAt(db, queue.website.id)), TODAY);

  queue.app.now = TODAY + HOUR_MS;
  await queue.publish("Three");
  const later = { delivered: 1, exhausted: 1, retried: 1 };
  await eventually(
    counts,
    new Map([
      [first, expected],
      [first + HOUR_MS, later],
    ]),
  );
  assert.equal(await queue.app.store.read((db) => firstDeliveryAt(db, queue.website.id)), TODAY);
  // What is counted is what the log says.
  const logged = [...(await queue.deliveries(id)), ...(await queue.deliveries(failing.id))];
  const attempts = logged.reduce((sum, one) => sum + one.attempts.length, 0);
  assert.equal(attempts, 9);
  assert.deepEqual(queue.errors, []);
});

test("an attempt whose delivery is parked meanwhile counts as retried", async () => {
  await using queue = await openQueue({ ROSTRUM_WEBHOOK_DISABLE_AFTER: "1", ROSTRUM_WEBHOOK_RETRY_SECONDS: "1000" });
  // Two at once, of which the first one disables the endpoint.
  let underWay: (() => void) | undefined;
  const both = new Promise<void>((resolve) => {
    underWay = resolve;
  });
  const script = async (_request: unknown, index: number): Promise<ScriptedAnswer> => {
    if (index < 2) return {};
    if (index === 3) underWay?.();
    await both;
    return { status: index === 2 ? 410 : 500 };
  };
  await using receiver = await ScriptedReceiver.start(script);
  const { id } = await queue.endpoint(receiver);
  queue.start();
  await queue.publish("A");
  await receiver.arrival(1);
  await eventually(() => queue.states(id), ["delivered"]);
  await queue.publish("B");
  await receiver.arrival(2);
  await eventually(() => queue.states(id), ["delivered", "delivered"]);
  await queue.publish("C");
  await queue.publish("D");
  await eventually(
    () => queue.app.store.read((db) => deliveriesByHour(db, queue.website.id, 0)),
    new Map([[startOfHour(TODAY), { delivered: 2, exhausted: 1, retried: 1 }]]),
  );
  assert.deepEqual((await queue.states(id)).toSorted(), ["delivered", "delivered", "exhausted", "parked"]);
});

test("concurrent counts have rows of their own, which are added up, and are deleted after 90 days", async () => {
  await using queue = await openQueue();
  const { app, website } = queue;
  const add = (worker: string, hour: number, delivered: number, firstDeliveredAt: number | null) =>
    app.store.write((db) =>
      addDeliveryCounts(db, worker, [
        { websiteId: website.id, hour, delivered, exhausted: 1, retried: 0, firstDeliveredAt },
        { websiteId: "another", hour, delivered: 50, exhausted: 0, retried: 0, firstDeliveredAt: 1 },
      ]),
    );
  const hour = startOfHour(TODAY);
  await Promise.all([add("one", hour, 1, hour + 9), add("two", hour, 2, hour + 5), add("one", hour, 3, hour + 20)]);
  const old = hour - 90 * DAY_MS - HOUR_MS;
  await add("one", old, 4, old + 1);
  const read = () => app.store.read((db) => deliveriesByHour(db, website.id, 0));
  assert.deepEqual((await read()).get(hour), { delivered: 6, exhausted: 3, retried: 0 });
  assert.equal(await app.store.read((db) => firstDeliveryAt(db, website.id)), old + 1);
  await removeOld(app, { trashMs: null, auditMs: null, arrivalMs: null }, 30 * DAY_MS);
  assert.deepEqual([...(await read()).keys()], [hour]);
  assert.equal(await app.store.read((db) => firstDeliveryAt(db, website.id)), hour + 5);
});
