import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DISPATCHER_DEAD_AFTER_MS } from "./liveness.ts";
import { FailureDetector } from "./heartbeats.ts";

const DIRECT = { isDirect: true };

/** Records queries sent every 200 ms from `from` until `until`, each answered after `tookMs`. */
function answers(
  failureDetector: FailureDetector,
  from: number,
  until: number,
  { tookMs = 5, isBeat = true } = {},
): void {
  for (let at = from; at <= until; at += 200) failureDetector.onReply(at, at + tookMs, isBeat);
}

describe("whether others may take it for dead", () => {
  test("is told by the beginning of its last beat, however late the answer came", () => {
    const failureDetector = new FailureDetector(DIRECT);
    failureDetector.onReply(0, 900, true);
    assert.equal(failureDetector.isStale(1_150), false);
    assert.equal(failureDetector.isStale(1_151), true);
  });

  test("a question that is no beat does not make it stronger", () => {
    const failureDetector = new FailureDetector(DIRECT);
    failureDetector.onReply(0, 5, true);
    failureDetector.onReply(900, 905, false);
    assert.equal(failureDetector.isStale(1_300), true);
  });

  test("it is before its first beat", () => {
    assert.equal(new FailureDetector(DIRECT).isStale(0), true);
  });

  test("long before others do so, it knows", () => {
    const failureDetector = new FailureDetector(DIRECT);
    failureDetector.onReply(0, 5, true);
    assert.ok(failureDetector.isStale(DISPATCHER_DEAD_AFTER_MS - 200));
  });
});

describe("how long the dead have been silent", () => {
  test("is known once all answers have come in time for longer than anybody sends who is not heard of", () => {
    const failureDetector = new FailureDetector(DIRECT);
    answers(failureDetector, 0, 1_200);
    assert.equal(failureDetector.deadAfterMs(1_204, 1_205), 1_800);
    assert.equal(failureDetector.deadAfterMs(1_205, 1_205), DISPATCHER_DEAD_AFTER_MS);
  });

  test("a newcomer waits longer, as a crash may have lost the last of what the living said", () => {
    const failureDetector = new FailureDetector(DIRECT);
    failureDetector.onReply(100, 105, false);
    assert.equal(failureDetector.deadAfterMs(100, 105), 1_800);
  });

  test("is not told before the first answer", () => {
    assert.equal(new FailureDetector(DIRECT).deadAfterMs(0, 0), null);
  });

  test("is not told by an answer of long ago", () => {
    const failureDetector = new FailureDetector(DIRECT);
    answers(failureDetector, 0, 2_000);
    assert.equal(failureDetector.deadAfterMs(2_000, 2_605), DISPATCHER_DEAD_AFTER_MS);
    assert.equal(failureDetector.deadAfterMs(2_000, 2_606), null);
  });

  test("is told by an idle one as well, which asks seldom", () => {
    const failureDetector = new FailureDetector(DIRECT);
    for (const at of [0, 1_500, 3_000]) failureDetector.onReply(at, at + 5, false);
    assert.equal(failureDetector.deadAfterMs(3_000, 3_005), DISPATCHER_DEAD_AFTER_MS);
  });

  test("is not told for a while after an answer did not come: a crash may have lost what the living said", () => {
    const failureDetector = new FailureDetector(DIRECT);
    answers(failureDetector, 0, 1_500);
    failureDetector.onTimeout();
    answers(failureDetector, 2_250, 4_500);
    assert.equal(failureDetector.deadAfterMs(3_450, 3_455), null);
    assert.equal(failureDetector.deadAfterMs(3_455, 3_460), DISPATCHER_DEAD_AFTER_MS);
  });

  for (const [name, startedAt] of Object.entries({
    "an answer took long": 1_500,
    "one after a pause took its time": 1_950,
  })) {
    test(`is not told right after ${name}: all may be silent then, and all live`, () => {
      const failureDetector = new FailureDetector(DIRECT);
      answers(failureDetector, 0, startedAt === 1_500 ? 1_400 : 1_000);
      failureDetector.onReply(startedAt, 2_101, false);
      assert.equal(failureDetector.deadAfterMs(startedAt, 2_101), null);
      answers(failureDetector, 2_200, 2_600);
      assert.equal(failureDetector.deadAfterMs(2_600, 2_605), null);
      assert.equal(failureDetector.deadAfterMs(2_601, 2_605), DISPATCHER_DEAD_AFTER_MS);
    });
  }

  test("is not told where a pooler would hide that the server broke, if nobody asked for a while", () => {
    for (const isDirect of [true, false]) {
      const failureDetector = new FailureDetector({ isDirect });
      answers(failureDetector, 0, 2_000);
      answers(failureDetector, 2_700, 2_700);
      assert.equal(failureDetector.deadAfterMs(2_700, 2_705), isDirect ? DISPATCHER_DEAD_AFTER_MS : null);
    }
  });

  test("a newcomer that missed an answer is none any more", () => {
    const failureDetector = new FailureDetector(DIRECT);
    failureDetector.onTimeout();
    failureDetector.onReply(100, 105, false);
    assert.equal(failureDetector.deadAfterMs(100, 105), null);
  });

  test("when it will be known is foretold", () => {
    const failureDetector = new FailureDetector(DIRECT);
    failureDetector.onReply(100, 105, false);
    assert.equal(failureDetector.knownInMs(0, 105), DISPATCHER_DEAD_AFTER_MS);
    // By then it is no longer a newcomer.
    assert.equal(failureDetector.knownInMs(300, 105), 1_200);
    assert.equal(failureDetector.knownInMs(1_000, 105), 800);
    assert.equal(failureDetector.knownInMs(null, 105), 1_200);
    assert.equal(failureDetector.knownInMs(1_000, 5_000), 400);
    failureDetector.onReply(4_000, 4_900, false);
    assert.equal(failureDetector.knownInMs(1_000, 5_000), 400);
    assert.equal(failureDetector.knownInMs(null, 4_900), 500);
    failureDetector.onTimeout();
    assert.equal(failureDetector.knownInMs(1_700, 5_000), 1_200);
  });
});
