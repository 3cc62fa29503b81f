import assert from "node:assert/strict";
import { test } from "node:test";
import { warnOfLeaps } from "./clock-leaps.ts";

test("a clock that is set is logged once, with how far, and one that only runs is not", async () => {
  const logged: unknown[] = [];
  let [clock, passed] = [1_000_000, 50];
  const check = warnOfLeaps(
    () => clock,
    { warn: (details, message) => logged.push({ ...details, message }) },
    () => passed,
  );
  const pass = async (ms: number, leapMs = 0) => {
    passed += ms;
    clock += ms + leapMs;
    await check();
  };
  await pass(1_000);
  await pass(600_000, 900);
  assert.deepEqual(logged, []);
  await pass(1_000, 7_200_000);
  await pass(1_000);
  await pass(1_000, -7_200_000);
  await pass(1_000);
  const goBy = "schedules, retries, sessions and what is kept for a time go by it";
  assert.deepEqual(logged, [
    { clockLeapSeconds: 7_200, message: `this machine's clock was set ahead, or it has slept: ${goBy}` },
    { clockLeapSeconds: -7_200, message: `this machine's clock was set back: ${goBy}` },
  ]);
});
