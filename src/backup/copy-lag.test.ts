import assert from "node:assert/strict";
import { test } from "node:test";
import { CopyLag, parsePosition } from "./copy-lag.ts";

const at = (index: number, offset: number, generation = "a") => ({ generation, index, offset });
const end = (index: number, offset: number, isCurrent = true, generation = "a") => ({
  ...at(index, offset, generation),
  isCurrent,
});

test("nothing is known to be copied until Litestream has said so", () => {
  const lag = new CopyLag(1_000);
  lag.observe(end(0, 100), 2_000);
  assert.equal(lag.get(2_000), 1_000);
  lag.onCopied(at(0, 100));
  assert.equal(lag.get(2_500), 0);
  lag.onCopied(undefined);
  assert.equal(lag.get(3_000), 1_000, "since the last time when everything was copied");
});

test("the lag is the age of the first change that is not copied", () => {
  const lag = new CopyLag(0);
  lag.observe(end(0, 100), 1_000);
  lag.onCopied(at(0, 100));
  lag.observe(end(0, 200), 2_000);
  lag.observe(end(1, 50), 3_000);
  assert.equal(lag.get(60_000), 59_000);
  lag.onCopied(at(0, 200));
  assert.equal(lag.get(60_000), 58_000);
  lag.onCopied(at(1, 50));
  assert.equal(lag.get(60_000), 0);
});

test("changes that Litestream has not even read count, too", () => {
  const lag = new CopyLag(0);
  lag.observe(end(0, 100), 1_000);
  lag.onCopied(at(0, 100));
  for (let now = 2_000; now <= 9_000; now += 1_000) lag.observe(end(0, 100, false), now);
  assert.equal(lag.get(9_000), 8_000);
  // It reads them, while others are written.
  lag.observe(end(0, 300, false), 10_000);
  lag.onCopied(at(0, 300));
  assert.equal(lag.get(10_000), 1_000);
});

test("a new generation has what the one before it had", () => {
  const lag = new CopyLag(0);
  lag.observe(end(7, 100), 1_000);
  lag.observe(end(0, 40, true, "b"), 2_000);
  lag.onCopied(at(7, 100));
  assert.equal(lag.get(3_000), 2_000);
  lag.onCopied(at(0, 40, "b"));
  assert.equal(lag.get(3_000), 0);
});

test("an outage of days takes no more memory than one of minutes", () => {
  const lag = new CopyLag(0);
  for (let n = 1; n <= 5_000; n++) lag.observe(end(0, n), n);
  lag.onCopied(at(0, 4_900));
  assert.ok(lag.get(6_000) <= 1_200, String(lag.get(6_000)));
});

test("a position is read as Litestream writes it", () => {
  const position = { generation: "f25d00af538b8b5d", index: 26, offset: 4_152 };
  assert.deepEqual(parsePosition("f25d00af538b8b5d/0000001a:4152"), position);
  assert.equal(parsePosition("f25d00af538b8b5d/1a"), undefined);
});
