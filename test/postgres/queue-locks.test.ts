/**
 * Transactions that wait for deliveries of the same article never wait for each other: they would be resolved only after
 * PostgreSQL's `deadlock_timeout`, during which nothing is published or sent.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Claim, claim } from "../../src/store/webhooks/claims.ts";
import {
  completeAndPromoteNext,
  lockArticleQueues,
  lockQueued,
  restoreBackoff,
} from "../../src/store/webhooks/delivery-queue.ts";
import { releaseClaims, releaseExpired, releaseLeases, releaseUnused } from "../../src/store/webhooks/leases.ts";
import type { Writer } from "../../src/store/store.ts";
import { finishes, until } from "../helpers/until.ts";
import { openQueue, type TestQueue } from "../helpers/webhooks.ts";

const NOWHERE = { url: "http://127.0.0.1:9/hook" };

interface QueueSetup {
  queue: TestQueue;
  /** In the order of their ids. */
  endpointIds: string[];
  articleId: string;
  /** The front delivery of each endpoint. That of the first endpoint has the greatest number. */
  front: number[];
}

/** An article has been changed, and the first endpoint is a change ahead of the others. */
async function setUp() {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue());
  const { app } = queue;
  const made = [await queue.endpoint(NOWHERE), await queue.endpoint(NOWHERE), await queue.endpoint(NOWHERE)];
  const endpointIds = made.map(({ id }) => id).toSorted();
  const articleId = await queue.publish("A");
  await queue.retitle(articleId, "B");
  const [first = ""] = endpointIds;
  const no = (await queue.app.store.read((db) => fronts(db, [first])))[0] ?? 0;
  await app.store.write((db) => completeAndPromoteNext(db, [{ no, endpointId: first, articleId }], app.now));
  const front = await app.store.read((db) => fronts(db, endpointIds));
  // Its row lies behind the others.
  await app.store.write((db) =>
    db.run("UPDATE delivery_queue SET tries = 1 WHERE delivery_no = ?", Math.min(...front)),
  );
  const owned = opened.move();
  return { queue, endpointIds, articleId, front, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function fronts(db: Pick<Writer, "get">, endpointIds: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const id of endpointIds) {
    const row = await db.get("SELECT MIN(delivery_no) AS no FROM delivery_queue WHERE endpoint_id = ?", id);
    found.push(row?.no ?? 0);
  }
  return found;
}

/** Runs `work` while another transaction has locked the first of the deliveries. @returns what else `work` has locked. */
async function whileLocked({ queue, front }: QueueSetup, work: (db: Writer) => Promise<unknown>): Promise<number[]> {
  const { store } = queue.app;
  const least = Math.min(...front);
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = store.write(async (db) => {
    await lockQueued(db, [least]);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  let isDone = false;
  const working = store.write(async (db) => {
    await work(db);
    isDone = true;
  });
  await until("it waits or is done", async () => isDone || (await isWaiting(queue)));
  assert.equal(isDone, false, "it waits for the delivery");
  const free = await store.write((db) =>
    db.all("SELECT delivery_no FROM delivery_queue WHERE delivery_no > ? FOR UPDATE SKIP LOCKED", least),
  );
  released.resolve();
  await Promise.all([holding, working]);
  const numbers = new Set(free.map((row) => row.delivery_no));
  return front.filter((no) => no !== least && !numbers.has(no));
}

async function isWaiting({ app }: TestQueue): Promise<boolean> {
  const waiting = await app.store.read((db) =>
    db.get(
      "SELECT 1 AS found FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1",
    ),
  );
  return waiting !== undefined;
}

function claimAll({ queue, endpointIds }: QueueSetup, worker: string): Promise<Claim[]> {
  const { app } = queue;
  const requests = endpointIds.map((endpointId) => ({ endpointId, most: 1 }));
  const lease = { token: `token of ${worker}`, until: app.now + 30_000, worker };
  return app.store.write((db) => claim(db, requests, 10, app.now, lease));
}

const WAITING: Record<string, (setup: QueueSetup, claims: readonly Claim[]) => (db: Writer) => Promise<unknown>> = {
  "a change that replaces earlier deliveries":
    ({ endpointIds, articleId }) =>
    (db) =>
      lockArticleQueues(db, endpointIds, articleId, true),
  "a change that replaces none":
    ({ endpointIds, articleId }) =>
    (db) =>
      lockArticleQueues(db, endpointIds, articleId, false),
  "the recording of attempts":
    ({ front }) =>
    (db) =>
      lockQueued(db, front),
  "the release of unused leases": (_setup, claims) => (db) => releaseUnused(db, claims),
  "the release of all leases of a worker": () => (db) => releaseLeases(db, "worker"),
};

for (const [name, start] of Object.entries(WAITING)) {
  test(`${name} waits for a delivery without holding one of a greater number`, async () => {
    await using here = await setUp();
    const claims = await claimAll(here, "worker");
    assert.equal(claims.length, 3);
    assert.deepEqual(await whileLocked(here, start(here, claims.toReversed())), []);
  });
}

const SKIPPING: Record<string, (setup: QueueSetup) => (db: Writer) => Promise<unknown>> = {
  "leases of a dead worker are reclaimed": () => (db) => releaseClaims(db, ["token of worker"]),
  "expired leases are reclaimed":
    ({ queue }) =>
    (db) =>
      releaseExpired(db, queue.app.now + 60_000),
  "retries are put off":
    ({ endpointIds, queue }) =>
    async (db) => {
      for (const id of endpointIds) await restoreBackoff(db, id, queue.app.now);
    },
};

for (const [name, start] of Object.entries(SKIPPING)) {
  test(`${name} except those that another transaction has locked, without waiting`, async () => {
    await using here = await setUp();
    const { queue, front } = here;
    const { store } = queue.app;
    await claimAll(here, "worker");
    if (name === "retries are put off") {
      await store.write((db) => releaseLeases(db, "worker"));
      await store.write((db) =>
        db.run("UPDATE delivery_queue SET planned_at = ready_at + 60000 WHERE ready_at IS NOT NULL"),
      );
    }
    const rows = () =>
      store.read((db) => db.all("SELECT delivery_no, ready_at, lease_token FROM delivery_queue ORDER BY delivery_no"));
    const before = await rows();
    const least = Math.min(...front);
    await store.write(async (db) => {
      await lockQueued(db, [least]);
      await finishes("it does not wait", store.write(start(here)));
    });
    const after = await rows();
    const changed = after.filter((row, at) => JSON.stringify(row) !== JSON.stringify(before[at]));
    const others = front.filter((no) => no !== least);
    assert.deepEqual(
      changed.map((row) => row.delivery_no),
      others.toSorted((a, b) => a - b),
    );
  });
}

test("deliveries that another transaction has locked are left to a later claim", async () => {
  await using here = await setUp();
  const { queue, front } = here;
  const least = Math.min(...front);
  const claims = await queue.app.store.write(async (db) => {
    await lockQueued(db, [least]);
    return finishes("the claim", claimAll(here, "worker"));
  });
  assert.deepEqual(
    claims.map(({ no }) => no),
    front.filter((no) => no !== least).toSorted((a, b) => a - b),
  );
  assert.deepEqual(
    (await claimAll(here, "worker")).map(({ no }) => no),
    [least],
  );
});
