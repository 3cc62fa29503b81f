/** Leases of workers that share a PostgreSQL database: who reclaims them, and when. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { reclaim } from "../../src/operations/webhooks/queue-maintenance.ts";
import { type Claim, claim } from "../../src/store/webhooks/claims.ts";
import { releaseUnused, listHeldClaims } from "../../src/store/webhooks/leases.ts";
import type { DedicatedConnection } from "../../src/store/store.ts";
import { DISPATCHER_DEAD_AFTER_MS } from "../../src/store/system/liveness.ts";
import { SharedLiveness } from "../../src/store/system/shared-liveness.ts";
import { runRepeatedly } from "../../src/process/interval.ts";
import { LeaseRegistry } from "../../src/webhooks/dispatch/result-writer.ts";
import { LeaseReaper } from "../../src/webhooks/dispatch/lease-reaper.ts";
import { until } from "../helpers/until.ts";
import { openQueue, renewDispatcher, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const WITHIN_MS = 5_000;
const BEAT_EVERY_MS = 50;

/** A queued event and its endpoint. */
async function waiting() {
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(await openQueue());
  const receiver = opened.use(await ScriptedReceiver.start());
  const { id } = await queue.endpoint(receiver);
  await queue.publish("A");
  const owned = opened.move();
  return { queue, id, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function claimAs({ app }: TestQueue, endpointId: string, worker: string, token: string): Promise<Claim[]> {
  const lease = { token, until: app.now + 30_000, worker };
  return app.store.write((db) => claim(db, [{ endpointId, most: 1 }], 1, app.now, lease));
}

function openLine({ app }: TestQueue): DedicatedConnection {
  const connection = app.store.openDedicatedConnection();
  assert.ok(connection !== null, "runs in the pass on PostgreSQL");
  return connection;
}

/** The lease reaper of a worker that sends nothing, in a process whose heartbeats are answered. */
async function makeReaper(queue: TestQueue, worker: string) {
  const { app } = queue;
  await using opened = new AsyncDisposableStack();
  const liveness = new SharedLiveness();
  app.store.setDispatcher({ id: worker, liveness });
  opened.use(await app.store.followCommits((error) => assert.fail(String(error))));
  const leases = new LeaseRegistry();
  let times = 0;
  const dispatcher = { onLeasesReclaimed: () => void times++, expect: () => undefined };
  const connection = opened.use(openLine(queue));
  const leaseReaper = new LeaseReaper({ deps: app, connection, worker, liveness, leases, dispatcher });
  const owned = opened.move();
  return {
    leaseReaper,
    leases,
    onLeasesReclaimed: () => times,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Milliseconds since the row of the worker was renewed; null: it has none. */
async function silenceMs({ app }: TestQueue, worker: string): Promise<number | null> {
  const row = await app.store.read((db) =>
    db.get("SELECT EXTRACT(EPOCH FROM clock_timestamp() - seen_at) * 1000 AS ms FROM workers WHERE id = ?", worker),
  );
  return row === undefined ? null : Number(row.ms);
}

const isLeased = async ({ app }: TestQueue) => (await app.store.read(listHeldClaims)).length > 0;

test("an idle worker reclaims the leases of a dead one, but only after it has been silent for long enough", async () => {
  await using hook = await waiting();
  const { queue, id } = hook;
  await using idle = await makeReaper(queue, "idle");
  await using _ = runRepeatedly(0, () => idle.leaseReaper.sweep(), { error: (error) => assert.fail(String(error)) });
  await renewDispatcher(queue.app, "dead");
  assert.equal((await claimAs(queue, id, "dead", "token")).length, 1);
  await until("they are reclaimed", () => idle.onLeasesReclaimed() === 1);
  assert.ok(Number(await silenceMs(queue, "dead")) >= DISPATCHER_DEAD_AFTER_MS);
  assert.equal(await isLeased(queue), false);
});

test("a worker that has just started reclaims leases of a worker without a row, but not at once", async () => {
  await using hook = await waiting();
  const { queue, id } = hook;
  assert.equal((await claimAs(queue, id, "unknown", "token")).length, 1);
  await using idle = await makeReaper(queue, "idle");
  await idle.leaseReaper.sweep();
  assert.equal(idle.onLeasesReclaimed(), 0);
  await using _ = runRepeatedly(0, () => idle.leaseReaper.sweep(), { error: (error) => assert.fail(String(error)) });
  await until("they are reclaimed", () => idle.onLeasesReclaimed() === 1);
});

test("leases that a worker took after it was seen dead are not reclaimed", async () => {
  await using hook = await waiting();
  const { queue, id } = hook;
  const [first] = await claimAs(queue, id, "slow", "first");
  assert.ok(first !== undefined);
  const seen = await queue.app.store.read(listHeldClaims);
  assert.deepEqual(
    seen.map(({ worker, token, silentMs }) => [worker, token, silentMs]),
    [["slow", "first", null]],
  );
  await queue.app.store.write((db) => releaseUnused(db, [first]));
  assert.equal((await claimAs(queue, id, "slow", "second")).length, 1);
  assert.equal(await reclaim(queue.app, seen, () => true), 0);
  assert.equal(await isLeased(queue), true);
});

test("a worker releases a lease of its own that it does not know of", async () => {
  await using hook = await waiting();
  const { queue, id } = hook;
  await using own = await makeReaper(queue, "own");
  const claims = await claimAs(queue, id, "own", "known");
  own.leases.made(claims);
  await own.leaseReaper.sweep();
  assert.equal(await isLeased(queue), true);
  for (const one of claims) own.leases.end(one);
  await own.leaseReaper.sweep();
  assert.equal(await isLeased(queue), false);
  assert.equal(own.onLeasesReclaimed(), 1);
});

test("two concurrent first queries on a dedicated connection share one connection", async () => {
  await using queue = await openQueue();
  await using connection = openLine(queue);
  const ask = () => connection.ask(WITHIN_MS, "SELECT pg_backend_pid() AS pid");
  const [[one], [other]] = await Promise.all([ask(), ask()]);
  assert.ok(one !== undefined);
  assert.deepEqual(one, other);
});

test("the heartbeats of a process renew its dispatcher's row until the thread hangs, which then sends nothing", async () => {
  await using queue = await openQueue();
  const liveness = new SharedLiveness();
  queue.app.store.setDispatcher({ id: "own", liveness });
  await using _ = await queue.app.store.followCommits((error) => assert.fail(String(error)));
  assert.equal(await silenceMs(queue, "own"), null);
  assert.equal(liveness.isFenced(), true);
  {
    const thread = setInterval(() => liveness.beat(), BEAT_EVERY_MS);
    using __ = { [Symbol.dispose]: () => clearInterval(thread) };
    await until("its row is renewed", () => !liveness.isFenced());
    const before = Number(await silenceMs(queue, "own"));
    await until("again", async () => Number(await silenceMs(queue, "own")) < before);
  }
  await until("it counts as dead", async () => Number(await silenceMs(queue, "own")) >= DISPATCHER_DEAD_AFTER_MS);
  assert.equal(liveness.isFenced(), true);
  await until("the main thread goes on", () => liveness.isAnswered());
});

test("a process that stops removes the row of its dispatcher", async () => {
  await using queue = await openQueue();
  const liveness = new SharedLiveness();
  queue.app.store.setDispatcher({ id: "own", liveness });
  {
    await using _ = await queue.app.store.followCommits((error) => assert.fail(String(error)));
    await until("its row is there", async () => {
      liveness.beat();
      return (await silenceMs(queue, "own")) !== null;
    });
  }
  assert.equal(await silenceMs(queue, "own"), null);
});
