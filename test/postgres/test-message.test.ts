/** A test of a webhook keeps the promise of every message: its receiver finds the article, or a newer one, on every node. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { testEndpoint } from "../../src/operations/webhooks/deliveries.ts";
import { openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

/** Registers a live node that has seen what is committed so far, and nothing later. */
async function standStill({ app }: TestQueue): Promise<void> {
  await app.store.write((db) =>
    db.run(
      `INSERT INTO workers (id, kind, seen_at, applied_snapshot) VALUES ('slow', 'node', clock_timestamp() + interval '1 hour',
         pg_current_snapshot())
       ON CONFLICT (id) DO UPDATE SET applied_snapshot = excluded.applied_snapshot`,
    ),
  );
}

test("a test message waits until each living node has seen the latest change", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await standStill(queue);
  await queue.publish("New");
  const tested = testEndpoint(queue.app, id, CLI_ORIGIN);
  // As long as some beats of a node.
  const sent = await Promise.race([tested, new Promise((resolve) => setTimeout(resolve, 600, "not yet"))]);
  assert.equal(sent, "not yet");
  assert.equal(receiver.received.length, 0);
  await standStill(queue);
  assert.equal((await tested).delivery.state, "delivered");
  assert.deepEqual(receiver.titles, ["New"]);
});

test("a test message names a node that is alive but sees no changes", async () => {
  await using queue = await openQueue();
  await using receiver = await ScriptedReceiver.start();
  const { id } = await queue.endpoint(receiver);
  await standStill(queue);
  await queue.publish("New");
  await assert.rejects(testEndpoint(queue.app, id, CLI_ORIGIN), { code: "conflict", message: /try again in a moment/ });
  assert.equal(receiver.received.length, 0);
});
