/** docs/webhooks.md, ROSTRUM_WEBHOOK_KEEP_DAYS: whatever lies among it, nothing that is old is left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { deleteEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { parkStopped, pruneHistory } from "../../src/operations/webhooks/queue-maintenance.ts";
import { openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const DAY = 86_400_000;

/** So many copies of the endpoint's first delivery, delivered. */
async function copy({ app }: TestQueue, endpointId: string, count: number): Promise<void> {
  await app.store.write((db) =>
    db.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO deliveries (id, website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin, state,
         attempts, created_at)
       SELECT d.id || '-' || CAST(i AS TEXT) || '-' || CAST((SELECT MAX(no) FROM deliveries) AS TEXT), website_id, endpoint_id, event_id, event_sequence, kind, article_id, origin,
         'delivered', attempts, created_at
       FROM n, (SELECT * FROM deliveries WHERE endpoint_id = ? ORDER BY no LIMIT 1) AS d`,
      count,
      endpointId,
    ),
  );
}

const left = async ({ app }: TestQueue) =>
  (await app.store.read((db) => db.get("SELECT COUNT(*) AS n FROM deliveries")))?.n;

test("a waiting delivery among the oldest does not block pruning", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await queue.publish("Waits");
  await copy(queue, id, 1_300);
  queue.app.now += 31 * DAY;
  await queue.publish("New");
  assert.equal(await pruneHistory(queue.app, queue.app.now - 30 * DAY), 1_300);
  assert.deepEqual(await queue.states(id), ["pending", "pending"]);
});

test("parked deliveries are pruned by age, like finished ones", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  for (const title of ["A", "B"]) await queue.publish(title);
  await pauseEndpoint(queue.app, id, CLI_ORIGIN);
  await parkStopped(queue.app);
  queue.app.now += 31 * DAY;
  assert.equal(await pruneHistory(queue.app, queue.app.now - 30 * DAY), 2);
});

test("deleted endpoints lose their whole history, whatever its age, and others lose nothing", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const kept = await queue.endpoint(receiver);
  const deleted = [await queue.endpoint(receiver), await queue.endpoint(receiver)];
  await queue.publish("A");
  for (const { id } of [kept, ...deleted]) await copy(queue, id, 700);
  for (const { id } of deleted) await deleteEndpoint(queue.app, id, CLI_ORIGIN);
  assert.equal(await pruneHistory(queue.app, queue.app.now - 30 * DAY), 1_402);
  assert.equal(await left(queue), 701);
  assert.equal(await pruneHistory(queue.app, queue.app.now - 30 * DAY), 0);
});

test("with waiting deliveries, deleted endpoints and old history together, nothing prunable is left at the end", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const kept = await queue.endpoint(receiver);
  const deleted = await queue.endpoint(receiver);
  await queue.publish("A");
  for (const { id } of [deleted, kept, deleted]) await copy(queue, id, 600);
  await deleteEndpoint(queue.app, deleted.id, CLI_ORIGIN);
  queue.app.now += 31 * DAY;
  await pruneHistory(queue.app, queue.app.now - 30 * DAY);
  assert.equal(await left(queue), 1);
  assert.deepEqual(await queue.states(kept.id), ["pending"]);
});
