import assert from "node:assert/strict";
import { test } from "node:test";
import type { Target } from "../../operations/webhooks/record-attempts.ts";
import type { Claim } from "../../store/webhooks/claims.ts";
import { EndpointBuffer } from "./endpoint-buffer.ts";

const TARGET: Target = { url: "https://example.com/", ca: null, payload: "full", headers: {}, secrets: [] };
/** End of the leases. */
const UNTIL = 30_000;

function claimed(no: number): Claim {
  return {
    no,
    deliveryId: `delivery ${no}`,
    websiteId: "website",
    endpointId: "endpoint",
    articleId: `article ${no}`,
    eventId: `event ${no}`,
    sequence: no,
    kind: "article.published",
    origin: "event",
    payload: Buffer.from("{}"),
    traceparent: null,
    attempts: 0,
    token: "token",
  };
}

function laneOf(window: number, count: number): EndpointBuffer {
  const buffer = new EndpointBuffer();
  buffer.window = window;
  for (let no = 1; no <= count; no++) buffer.add(claimed(no), TARGET, UNTIL);
  return buffer;
}

/** Removes all that may be sent now. */
function pump(buffer: EndpointBuffer): number[] {
  const sent = [];
  for (let next = buffer.next(); next !== undefined; next = buffer.next()) sent.push(next.claim.no);
  return sent;
}

/** A buffer with a window of 8 after `attempts` attempts of `ms` each. */
function usedTo(ms: number, attempts = 1): EndpointBuffer {
  const buffer = laneOf(8, attempts);
  while (buffer.next() !== undefined) buffer.ended(ms);
  return buffer;
}

test("what was added first is sent first, and no more at once than the window allows", () => {
  const buffer = laneOf(2, 4);
  assert.deepEqual(pump(buffer), [1, 2]);
  assert.deepEqual(pump(buffer), []);
  buffer.ended(10);
  assert.deepEqual(pump(buffer), [3]);
});

test("a window that shrinks holds back until enough has ended", () => {
  const buffer = laneOf(3, 5);
  assert.deepEqual(pump(buffer), [1, 2, 3]);
  buffer.window = 1;
  buffer.ended(10);
  buffer.ended(10);
  assert.deepEqual(pump(buffer), []);
  buffer.ended(10);
  assert.deepEqual(pump(buffer), [4]);
});

test("the room is what the window leaves beside what is under way and what waits", () => {
  const buffer = laneOf(4, 3);
  assert.equal(buffer.room(4), 1);
  pump(buffer);
  assert.equal(buffer.room(4), 1);
  assert.equal(buffer.room(2), -1);
});

test("before the first attempt nothing is claimed ahead", () => {
  assert.equal(new EndpointBuffer().room(8), 8);
});

test("of a quick receiver whose window is full, what it manages in 60 ms is claimed ahead, at most eightfold", () => {
  assert.equal(usedTo(20).room(8), 24);
  assert.equal(usedTo(1).room(8), 64);
  assert.equal(usedTo(60).room(8), 8);
  assert.equal(usedTo(5_000).room(8), 8);
});

test("with a narrower window nothing is claimed ahead, however quick the receiver is", () => {
  for (const window of [1, 2, 4, 7]) assert.equal(usedTo(1).room(window), window);
});

test("how long attempts take is a moving average: one slow answer does not stop claiming ahead, a slow receiver does", () => {
  const buffer = usedTo(10, 20);
  assert.equal(buffer.room(8), 48);
  buffer.add(claimed(1), TARGET, UNTIL);
  buffer.next();
  buffer.ended(60);
  assert.equal(buffer.room(8), 24);
  for (let no = 2; no < 30; no++) {
    buffer.add(claimed(no), TARGET, UNTIL);
    buffer.next();
    buffer.ended(1_000);
  }
  assert.equal(buffer.room(8), 8);
});

test("clearing takes out what was not sent, once, and leaves what is under way", () => {
  const buffer = laneOf(1, 3);
  pump(buffer);
  assert.deepEqual(
    buffer.clear().map(({ no }) => no),
    [2, 3],
  );
  assert.deepEqual([buffer.clear(), buffer.waiting, buffer.isIdle], [[], 0, false]);
  buffer.ended(10);
  assert.ok(buffer.isIdle);
});

test("what would outlive its lease is taken out, and nothing else", () => {
  const buffer = laneOf(1, 2);
  buffer.add(claimed(3), TARGET, UNTIL + 1);
  pump(buffer);
  assert.deepEqual(buffer.clearLapsing(UNTIL), []);
  assert.deepEqual(
    buffer.clearLapsing(UNTIL + 1).map(({ no }) => no),
    [2],
  );
  assert.deepEqual(
    buffer.clearLapsing(UNTIL + 2).map(({ no }) => no),
    [3],
  );
  assert.equal(buffer.isIdle, false);
});
