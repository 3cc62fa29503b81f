import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerClock } from "./clock.ts";

/** The server's time when `performance.now()` is 0. */
const EPOCH = 1_700_000_000_000;
const MINUTE = 60_000;

/** A measurement requested at `at` and answered `tripMs` later; the server read its clock halfway. */
function measure(clock: ServerClock, at: number, tripMs: number, epoch = EPOCH): void {
  clock.measured(epoch + at + tripMs / 2, at, at + tripMs);
}

test("a process whose clock is minutes wrong shows the server's time", () => {
  const clock = new ServerClock();
  measure(clock, 1_000, 2);
  for (const offset of [5 * MINUTE, -5 * MINUTE, 3_600 * MINUTE]) {
    for (const at of [1_002, 2_000, 10_000]) {
      const now = clock.now(EPOCH + at + offset, at);
      assert.ok(Math.abs(now - (EPOCH + at)) <= 3, `${now - EPOCH - at} ms off`);
      assert.ok(Number.isInteger(now));
      assert.ok(Math.abs((clock.skewMs(EPOCH + at + offset, at) ?? 0) - offset) <= 3);
    }
  }
});

test("a clock that is right is not corrected, so that processes of one machine have the same time", () => {
  const clock = new ServerClock();
  for (let at = 0; at < 100 * MINUTE; at += 1_000) measure(clock, at, 1 + (at % 40));
  for (const at of [100 * MINUTE, 110 * MINUTE]) {
    assert.equal(clock.now(EPOCH + at, at), EPOCH + at);
    assert.equal(clock.skewMs(EPOCH + at, at), 0);
  }
});

test("a slow response does not change what is known of the server's time", () => {
  const clock = new ServerClock();
  measure(clock, 0, 2);
  clock.measured(EPOCH + 3_990, 1_000, 4_000);
  assert.ok(Math.abs(clock.now(EPOCH + 4_000 + 5 * MINUTE, 4_000) - (EPOCH + 4_000)) <= 10);
});

test("when the server's clock leaps, or another server takes over, its time counts from the next response on", () => {
  const clock = new ServerClock();
  measure(clock, 0, 2);
  measure(clock, 1_000, 40, EPOCH + MINUTE);
  assert.ok(Math.abs(clock.now(EPOCH + 2_000, 2_000) - (EPOCH + MINUTE + 2_000)) <= 25);
  measure(clock, 2_000, 2, EPOCH - MINUTE);
  assert.ok(Math.abs(clock.now(EPOCH + 3_000, 3_000) - (EPOCH - MINUTE + 3_000)) <= 3);
});

test("before the first response the process's own clock counts, and the skew is unknown", () => {
  const clock = new ServerClock();
  assert.equal(clock.now(EPOCH, 5), EPOCH);
  assert.equal(clock.skewMs(EPOCH, 5), null);
  assert.ok(clock.isOld(5));
});
