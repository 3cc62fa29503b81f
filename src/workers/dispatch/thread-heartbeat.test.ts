import assert from "node:assert/strict";
import { test } from "node:test";
import { THREAD_CHECK_INTERVAL_MS } from "../../store/system/liveness.ts";
import { SharedLiveness } from "../../store/system/shared-liveness.ts";
import { HeartbeatMonitor } from "./thread-heartbeat.ts";

/** Checks every interval for `ms`. @returns the time after which the thread was found to hang, or null. */
function checkFor(monitor: HeartbeatMonitor, startedAt: number, ms: number, onCheck = () => {}): number | null {
  for (let passed = THREAD_CHECK_INTERVAL_MS; passed <= ms; passed += THREAD_CHECK_INTERVAL_MS) {
    onCheck();
    if (monitor.check(startedAt + passed)) return passed;
  }
  return null;
}

test("a thread with heartbeats never counts as hanging; one without is found after the maximum silence", () => {
  const liveness = new SharedLiveness();
  const monitor = new HeartbeatMonitor(liveness, 10_000, 0);
  assert.equal(
    checkFor(monitor, 0, 100_000, () => liveness.beat()),
    null,
  );
  assert.equal(monitor.silentMs, 0);
  assert.equal(checkFor(monitor, 100_000, 100_000), 10_000);
  assert.equal(monitor.silentMs, 10_000);
});

test("a starting thread has a minute until its first heartbeat", () => {
  assert.equal(checkFor(new HeartbeatMonitor(new SharedLiveness(), 10_000, 0), 0, 100_000), 60_000);
});

test("after the whole process was suspended the thread gets time for a heartbeat", () => {
  const liveness = new SharedLiveness();
  const monitor = new HeartbeatMonitor(liveness, 10_000, 0);
  liveness.beat();
  assert.equal(monitor.check(500), false);
  assert.equal(monitor.check(3_600_000), false);
  liveness.beat();
  assert.equal(monitor.check(3_600_500), false);
  assert.equal(monitor.silentMs, 0);
});
