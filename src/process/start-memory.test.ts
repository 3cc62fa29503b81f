import assert from "node:assert/strict";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { releaseStartMemory } from "./start-memory.ts";

const INTERVAL_MS = 100;

/** Counts collections of all garbage. */
function observeCollections(): { count: () => number } & Disposable {
  let count = 0;
  const record = (entries: readonly PerformanceEntry[]) => {
    for (const { detail } of entries as readonly { detail?: { flags?: number } }[]) {
      if (((detail?.flags ?? 0) & constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) !== 0) count++;
    }
  };
  const observer = new PerformanceObserver((list) => record(list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  return {
    count: () => {
      record(observer.takeRecords());
      return count;
    },
    [Symbol.dispose]: () => observer.disconnect(),
  };
}

test("garbage is collected once, as soon as the process is idle", async () => {
  using collections = observeCollections();
  using _release = releaseStartMemory(INTERVAL_MS);
  // Busy for some intervals: nobody is to wait for a collection.
  const until = performance.now() + 4 * INTERVAL_MS;
  while (performance.now() < until) {
    const turn = performance.now() + 10;
    while (performance.now() < turn);
    await sleep(0);
  }
  assert.equal(collections.count(), 0);
  while (collections.count() === 0) await sleep(INTERVAL_MS);
  // V8 takes several passes, one right after the other.
  await sleep(INTERVAL_MS / 2);
  const passes = collections.count();
  await sleep(3 * INTERVAL_MS);
  assert.equal(collections.count(), passes);
});

test("nothing is collected after the release was disposed", async () => {
  using collections = observeCollections();
  releaseStartMemory(INTERVAL_MS)[Symbol.dispose]();
  await sleep(3 * INTERVAL_MS);
  assert.equal(collections.count(), 0);
});
