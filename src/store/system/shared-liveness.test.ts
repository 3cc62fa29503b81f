import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  DISPATCHER_DEAD_AFTER_MS,
  DISPATCHER_FENCED_AFTER_MS,
  MAX_ANSWER_INTERVAL_MS,
  STEADY_AFTER_MS,
  THREAD_SILENT_AFTER_MS,
} from "./liveness.ts";
import { SharedLiveness } from "./shared-liveness.ts";

const HOUR_MS = 3_600_000;
/** What a crash of the database may hide, and what clocks differ by. */
const HIDDEN_MS = 650;

const toNs = (ms: number) => BigInt(ms) * 1_000_000n;

/** As the main thread and the dispatcher's thread see it, at a time that the test sets. */
function shared() {
  const clock = { ms: HOUR_MS };
  const main = new SharedLiveness(undefined, () => toNs(clock.ms));
  const thread = new SharedLiveness(main.buffer, () => toNs(clock.ms));
  return { clock, main, thread };
}

describe("the dispatcher", () => {
  test("sends nothing before its first heartbeat was recorded", () => {
    assert.equal(shared().thread.isFenced(), true);
  });

  test("sends for the same time after each heartbeat, however late the response came", () => {
    const { clock, main, thread } = shared();
    const sentAt = toNs(clock.ms);
    clock.ms += DISPATCHER_FENCED_AFTER_MS;
    main.onRenewed(sentAt);
    assert.equal(thread.isFenced(), false);
    clock.ms += 1;
    assert.equal(thread.isFenced(), true);
  });

  test("stops sending long before others reclaim its leases, even if a crash has hidden its heartbeats", () => {
    assert.ok(DISPATCHER_FENCED_AFTER_MS + HIDDEN_MS <= DISPATCHER_DEAD_AFTER_MS);
  });

  test("records no heartbeat once its thread is silent", () => {
    const { clock, main, thread } = shared();
    assert.equal(main.isThreadAlive(), false);
    thread.beat();
    clock.ms += THREAD_SILENT_AFTER_MS;
    assert.equal(main.isThreadAlive(), true);
    clock.ms += 1;
    assert.equal(main.isThreadAlive(), false);
  });
});

describe("the silence of another dispatcher", () => {
  test("counts only after the database has answered for longer than a silent dispatcher may send", () => {
    const { clock, main, thread } = shared();
    assert.equal(thread.isSteady(toNs(clock.ms)), false);
    const steadySince = toNs(clock.ms);
    main.onAnswer(steadySince, steadySince);
    assert.equal(thread.steadyInMs(), STEADY_AFTER_MS);
    clock.ms += STEADY_AFTER_MS;
    main.onAnswer(toNs(clock.ms), steadySince);
    assert.equal(thread.steadyInMs(), 0);
    assert.equal(thread.isSteady(toNs(clock.ms) - 1n), false);
    assert.equal(thread.isSteady(toNs(clock.ms)), true);
    assert.ok(STEADY_AFTER_MS > DISPATCHER_FENCED_AFTER_MS);
  });

  test("does not count while the main thread gets no response, because the database may be down for all", () => {
    const { clock, main, thread } = shared();
    const sentAt = toNs(clock.ms);
    main.onAnswer(sentAt, sentAt - toNs(STEADY_AFTER_MS));
    clock.ms += MAX_ANSWER_INTERVAL_MS;
    assert.equal(thread.isSteady(sentAt), true);
    clock.ms += 1;
    assert.equal(thread.isSteady(sentAt), false);
    assert.equal(thread.steadyInMs(), STEADY_AFTER_MS);
  });
});
