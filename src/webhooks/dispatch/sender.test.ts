import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnsealedEndpoint } from "../../operations/webhooks/send-attempt.ts";
import type { Claim } from "../../store/webhooks/claims.ts";
import { EndpointBuffer } from "./sender.ts";

const ENDPOINT: UnsealedEndpoint = { url: "https://example.com/", ca: null, payload: "full", headers: {}, secrets: [] };
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
  for (let no = 1; no <= count; no++) buffer.add(claimed(no), ENDPOINT, UNTIL);
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

test("deliveries are sent in the order in which they were added, and no more at once than the window allows", () => {
  const buffer = laneOf(2, 4);
  assert.deepEqual(pump(buffer), [1, 2]);
  assert.deepEqual(pump(buffer), []);
  buffer.ended(10);
  assert.deepEqual(pump(buffer), [3]);
});

test("after the window has shrunk, nothing is sent until enough attempts have ended", () => {
  const buffer = laneOf(3, 5);
  assert.deepEqual(pump(buffer), [1, 2, 3]);
  buffer.window = 1;
  buffer.ended(10);
  buffer.ended(10);
  assert.deepEqual(pump(buffer), []);
  buffer.ended(10);
  assert.deepEqual(pump(buffer), [4]);
});

test("the capacity is what the window leaves beside attempts in progress and deliveries that wait", () => {
  const buffer = laneOf(4, 3);
  assert.equal(buffer.room(4), 1);
  pump(buffer);
  assert.equal(buffer.room(4), 1);
  assert.equal(buffer.room(2), -1);
});

test("nothing is claimed ahead before the first attempt", () => {
  assert.equal(new EndpointBuffer().room(8), 8);
});

test("for a fast receiver whose window is full, 60 ms of deliveries are claimed ahead, at most eight windows", () => {
  assert.equal(usedTo(20).room(8), 24);
  assert.equal(usedTo(1).room(8), 64);
  assert.equal(usedTo(60).room(8), 8);
  assert.equal(usedTo(5_000).room(8), 8);
});

test("with a narrower window nothing is claimed ahead, however fast the receiver is", () => {
  for (const window of [1, 2, 4, 7]) assert.equal(usedTo(1).room(window), window);
});

test("latency is a moving average: one slow response does not stop claiming ahead, a slow receiver does", () => {
  const buffer = usedTo(10, 20);
  assert.equal(buffer.room(8), 48);
  buffer.add(claimed(1), ENDPOINT, UNTIL);
  buffer.next();
  buffer.ended(60);
  assert.equal(buffer.room(8), 24);
  for (let no = 2; no < 30; no++) {
    buffer.add(claimed(no), ENDPOINT, UNTIL);
    buffer.next();
    buffer.ended(1_000);
  }
  assert.equal(buffer.room(8), 8);
});

test("draining returns what was not sent, once, and leaves attempts in progress", () => {
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

test("deliveries that would outlive their lease are taken out, and no others", () => {
  const buffer = laneOf(1, 2);
  buffer.add(claimed(3), ENDPOINT, UNTIL + 1);
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
