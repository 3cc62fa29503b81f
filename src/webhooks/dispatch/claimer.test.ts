import assert from "node:assert/strict";
import { test } from "node:test";
import { QueueCursors } from "./claimer.ts";
import { LeaseRegistry } from "./result-writer.ts";
import type { Claim } from "../../store/webhooks/claims.ts";

const NOW = 1_000_000;

function waiting(id: string, readyAt: number, isRetry = false) {
  return { id, window: 1, readyAt, head: { readyAt, no: 1 }, isRetry, isFresh: false, isRecent: false };
}

test("the next claim begins slightly before what the last one found first", () => {
  const starts = new QueueCursors();
  starts.known(0);
  starts.found([waiting("a", NOW - 10_000), waiting("b", NOW)], NOW);
  assert.deepEqual(
    [...starts.known(1)],
    [
      ["a", NOW - 12_000],
      ["b", NOW - 2_000],
    ],
  );
});

test("a delivery that becomes ready later does not hide one that becomes ready earlier", () => {
  const starts = new QueueCursors();
  starts.known(0);
  starts.found([waiting("a", NOW)], NOW);
  starts.found([waiting("a", NOW + 1)], NOW);
  assert.deepEqual([...starts.known(1)], []);
});

test("a retry that is due does not hide what waits before it", () => {
  const starts = new QueueCursors();
  starts.known(0);
  starts.found([waiting("a", NOW - 1)], NOW);
  starts.found([waiting("a", NOW, true)], NOW);
  assert.deepEqual([...starts.known(1)], []);
});

test("every second the whole queue is searched again", () => {
  const starts = new QueueCursors();
  starts.known(0);
  starts.found([waiting("a", NOW)], NOW);
  assert.equal(starts.known(999).size, 1);
  assert.equal(starts.known(1_000).size, 0);
  starts.found([waiting("a", NOW)], NOW);
  assert.equal(starts.known(1_999).size, 1);
});

test("a released delivery is found at once", () => {
  const starts = new QueueCursors();
  starts.known(0);
  starts.found([waiting("a", NOW), waiting("b", NOW)], NOW);
  starts.onLeasesReclaimed("a");
  assert.deepEqual([...starts.known(1).keys()], ["b"]);
  starts.forget(1);
  assert.equal(starts.known(2).size, 0);
});

test("with many endpoints no cursor is kept", () => {
  const starts = new QueueCursors();
  starts.known(0);
  starts.found(
    Array.from({ length: 257 }, (_none, index) => waiting(String(index), NOW)),
    NOW,
  );
  assert.equal(starts.known(1).size, 0);
});

function claimed(token: string, no: number): Claim {
  const ids = { deliveryId: "d", websiteId: "w", endpointId: "e", articleId: "a", eventId: "v" };
  return {
    no,
    token,
    ...ids,
    sequence: 1,
    kind: "article.published",
    origin: "event",
    payload: Buffer.from("{}"),
    traceparent: null,
    attempts: 0,
  };
}

test("a claim is registered from before it is made until its last delivery has ended", () => {
  const leases = new LeaseRegistry();
  assert.equal(leases.isEmpty, true);
  leases.begin("one");
  assert.equal(leases.isEmpty, false);
  assert.equal(leases.isKnown("one"), true);
  const claims = [claimed("one", 1), claimed("one", 2)];
  leases.made(claims);
  for (const claim of claims) {
    assert.equal(leases.isKnown("one"), true);
    leases.end(claim);
  }
  assert.equal(leases.isKnown("one"), false);
  assert.equal(leases.isEmpty, true);
});

test("a claim that failed is not registered; if the store has it nevertheless, nobody answers for it", () => {
  const leases = new LeaseRegistry();
  leases.begin("first try");
  leases.begin("second try");
  leases.made([claimed("second try", 1)]);
  assert.equal(leases.isKnown("first try"), false);
  assert.equal(leases.isKnown("second try"), true);
});
