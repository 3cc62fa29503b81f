/** Leases of workers that share a PostgreSQL database: who reclaims them, and when. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { reclaim } from "../../src/operations/webhooks/queue-maintenance.ts";
import { type Claim, claim } from "../../src/store/webhooks/claims.ts";
import { releaseUnused } from "../../src/store/webhooks/delivery-queue.ts";
import { listHeldClaims } from "../../src/store/webhooks/lease-scan.ts";
import type { DedicatedConnection } from "../../src/store/store.ts";
import { DISPATCHER_DEAD_AFTER_MS } from "../../src/store/system/liveness.ts";
import { beat } from "../../src/store/system/heartbeats.ts";
import { runRepeatedly } from "../../src/process/interval.ts";
import { Heartbeat } from "../../src/webhooks/dispatch/heartbeat.ts";
import { LeaseRegistry } from "../../src/webhooks/dispatch/lease-registry.ts";
import { LeaseReaper } from "../../src/webhooks/dispatch/lease-reaper.ts";
import { until } from "../helpers/until.ts";
import { openQueue, ScriptedReceiver, type TestQueue } from "../helpers/webhooks.ts";

const WITHIN_MS = 5_000;

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
  const line = app.store.openDedicatedConnection();
  assert.ok(line !== null, "runs in the pass on PostgreSQL");
  return line;
}

/** The lease reaper of a worker that sends nothing. */
function makeReaper(queue: TestQueue, worker: string) {
  const { app } = queue;
  const leases = new LeaseRegistry();
  const heartbeat = new Heartbeat({
    line: openLine(queue),
    store: app.store,
    worker,
    isHolding: () => !leases.isEmpty,
  });
  let times = 0;
  const dispatcher = { onLeasesReclaimed: () => void times++, expect: () => undefined };
  const leaseReaper = new LeaseReaper({ deps: app, worker, heartbeat, leases, dispatcher });
  return {
    leaseReaper,
    leases,
    onLeasesReclaimed: () => times,
    [Symbol.asyncDispose]: () => heartbeat[Symbol.asyncDispose](),
  };
}

const isLeased = async ({ app }: TestQueue) => (await app.store.read(listHeldClaims)).length > 0;

test("an idle worker reclaims the leases of a dead one, but only after it has been silent for long enough", async () => {
  await using hook = await waiting();
  const { queue, id } = hook;
  await using idle = makeReaper(queue, "idle");
  await using _ = runRepeatedly(0, () => idle.leaseReaper.look(), { error: (error) => assert.fail(String(error)) });
  await wait(DISPATCHER_DEAD_AFTER_MS);
  await using line = openLine(queue);
  const saidAt = performance.now();
  await beat(line, WITHIN_MS, "dead");
  assert.equal((await claimAs(queue, id, "dead", "token")).length, 1);
  await until("they are reclaimed", () => idle.onLeasesReclaimed() === 1);
  const silentMs = performance.now() - saidAt;
  assert.equal(await isLeased(queue), false);
  assert.ok(silentMs >= DISPATCHER_DEAD_AFTER_MS, `after ${Math.round(silentMs)} ms`);
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
  await using own = makeReaper(queue, "own");
  const claims = await claimAs(queue, id, "own", "known");
  own.leases.made(claims);
  await own.leaseReaper.look();
  assert.equal(await isLeased(queue), true);
  for (const one of claims) own.leases.end(one);
  await own.leaseReaper.look();
  assert.equal(await isLeased(queue), false);
  assert.equal(own.onLeasesReclaimed(), 1);
});

test("two concurrent first queries on a dedicated connection share one connection", async () => {
  await using queue = await openQueue();
  await using line = openLine(queue);
  const ask = () => line.ask(WITHIN_MS, "SELECT pg_backend_pid() AS pid");
  const [[one], [other]] = await Promise.all([ask(), ask()]);
  assert.ok(one !== undefined);
  assert.deepEqual(one, other);
});

test("an idle worker sends no heartbeats; a worker that takes leases sends one first", async () => {
  await using queue = await openQueue();
  const leases = new LeaseRegistry();
  const own = { line: openLine(queue), store: queue.app.store, worker: "own", isHolding: () => !leases.isEmpty };
  await using heartbeat = new Heartbeat(own);
  const silentMs = async () => {
    const rows = await queue.app.store.read((db) =>
      db.all("SELECT EXTRACT(EPOCH FROM clock_timestamp() - seen_at) * 1000 AS ms FROM workers WHERE id = 'own'"),
    );
    return rows[0]?.ms ?? null;
  };
  await heartbeat.look();
  await heartbeat.keepUp();
  assert.equal(await silentMs(), null);
  assert.equal(heartbeat.isStale(), false);
  assert.equal(await heartbeat.ready(), true);
  assert.notEqual(await silentMs(), null);
  leases.begin("token");
  await wait(300);
  const before = Number(await silentMs());
  await heartbeat.keepUp();
  assert.ok(Number(await silentMs()) < before);
});
