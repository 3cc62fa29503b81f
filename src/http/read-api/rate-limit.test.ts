import assert from "node:assert/strict";
import { test } from "node:test";
import { Bucket } from "./rate-limit.ts";

test("a bucket gives its burst at once, then its rate", () => {
  const bucket = new Bucket(10, 20, 0);
  const take = (now: number) => bucket.take(now);
  assert.deepEqual(Array.from({ length: 21 }, () => take(0)).filter(Boolean).length, 20);
  assert.equal(take(99), false);
  assert.equal(take(101), true);
  assert.equal(take(101), false);
});

test("a bucket never holds more than its burst, however long it is not used", () => {
  const bucket = new Bucket(10, 20, 0);
  assert.equal(bucket.take(1e12), true);
  assert.equal(bucket.state, '"key";r=19;t=1');
});

test("a clock that is set back takes no tokens away", () => {
  const bucket = new Bucket(1, 2, 1_000_000);
  assert.equal(bucket.take(0), true);
  assert.equal(bucket.state, '"key";r=1;t=1');
});

test("returned tokens can be taken again, up to the burst", () => {
  const bucket = new Bucket(1, 2, 0);
  bucket.giveBack();
  assert.equal(bucket.state, '"key";r=2;t=0');
  bucket.take(0);
  bucket.giveBack();
  assert.equal(bucket.state, '"key";r=2;t=0');
});

test("the seconds to wait are a whole number, at least one, and sufficient", () => {
  const bucket = new Bucket(1 / 36, 1, 0);
  bucket.take(0);
  assert.equal(bucket.retryAfterSeconds, 36);
  assert.equal(bucket.state, '"key";r=0;t=36');
  assert.equal(bucket.take(36_001), true);
});

test("a bucket that was charged more than it had owes the rest, and gives nothing until that has passed", () => {
  const bucket = new Bucket(2, 4, 0);
  bucket.charge(10);
  assert.equal(bucket.owesMs(0), 3_000);
  assert.equal(bucket.state, '"key";r=0;t=5');
  assert.equal(bucket.take(2_999), false);
  assert.equal(bucket.owesMs(3_000), 0);
  assert.equal(bucket.take(3_500), true);
});
