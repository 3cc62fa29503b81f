import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decide, DEFAULT_POLICY, type FinishedAttempt, isRetrysTurn, type RetryPolicy } from "./delivery.ts";
import { GOOD_HEALTH, type Health } from "./endpoint.ts";

const NOW = 1_000_000;
const SILENT = { retryAfterMs: null, directive: null, receipt: null };
const middle = () => 0.5;

type Over = Omit<Partial<FinishedAttempt>, "answer"> & { answer?: Partial<FinishedAttempt["answer"]> };

function failed(over: Over = {}): FinishedAttempt {
  return {
    number: 1,
    plannedAt: null,
    failingSince: null,
    origin: "event",
    outcome: "server_error",
    status: 500,
    error: "The receiver answered 500.",
    ...over,
    answer: { ...SILENT, ...over.answer },
  };
}

function succeeded(over: Over = {}): FinishedAttempt {
  return failed({ outcome: "success", status: 200, error: null, ...over });
}

const lastFailed = (over: Over = {}) => failed({ number: 4, ...over });

interface Around {
  health?: Partial<Health>;
  policy?: Partial<RetryPolicy>;
  random?: () => number;
}

function after(attempt: FinishedAttempt, { health, policy, random = middle }: Around = {}) {
  return decide({ ...GOOD_HEALTH, ...health }, attempt, { ...DEFAULT_POLICY, ...policy }, NOW, random);
}

/** The wait until the next attempt, in milliseconds; null if there is none. */
function waitAfter(attempt: FinishedAttempt, around: Around = {}): number | null {
  const { delivery } = after(attempt, around);
  return delivery.state === "pending" ? delivery.dueAt - NOW : null;
}

/** The failure counts at which a warning is given before the endpoint is disabled. */
function warnings(disableAfter: number): number[] {
  const counts = Array.from({ length: disableAfter }, (_, count) => count);
  const given = counts.map(
    (consecutiveFailures) => after(lastFailed(), { policy: { disableAfter }, health: { consecutiveFailures } }).warning,
  );
  return given.filter((warning) => warning !== null);
}

const windowAfter = (attempt: FinishedAttempt, window: number) => after(attempt, { health: { window } }).health.window;

const pauseAfter = (failedAttempts: number, around: Around = {}) =>
  after(failed(), { ...around, health: { failedAttempts: failedAttempts - 1, ...around.health } }).health.notBefore -
  NOW;

describe("the delivery", () => {
  test("is delivered by a 2xx at any attempt", () => {
    for (const number of [1, 4, 9]) assert.deepEqual(after(succeeded({ number })).delivery, { state: "delivered" });
  });

  test("is tried four times in all, with waits of 10 s, 2 min and 24 min", () => {
    const waits = [1, 2, 3, 4].map((number) => waitAfter(failed({ number })));
    assert.deepEqual(waits, [10_000, 120_000, 1_440_000, null]);
    assert.deepEqual(after(lastFailed()).delivery, { state: "exhausted" });
  });

  test("varies each wait by a fifth in both directions", () => {
    assert.equal(waitAfter(failed(), { random: () => 0 }), 8_000);
    assert.equal(waitAfter(failed(), { random: () => 1 - Number.EPSILON }), 12_000);
  });

  test("is retried after every kind of failure alike", () => {
    for (const outcome of ["redirect", "client_error", "dns", "blocked", "tls", "timeout"] as const) {
      assert.equal(waitAfter(failed({ outcome, status: null })), 10_000);
    }
  });

  test("is tried once under a policy without waits", () => {
    assert.equal(waitAfter(failed(), { policy: { waitsMs: [] } }), null);
  });

  test("respects Retry-After between the planned wait and one hour", () => {
    const asked = [0, 9_999, 60_000, 3_600_000, 9e15];
    assert.deepEqual(
      asked.map((retryAfterMs) => waitAfter(failed({ answer: { retryAfterMs } }))),
      [10_000, 10_000, 60_000, 3_600_000, 3_600_000],
    );
    const longPlan = { policy: { waitsMs: [7_200_000] } };
    assert.equal(waitAfter(failed({ answer: { retryAfterMs: 9e15 } }), longPlan), 7_200_000);
  });

  test("gets no additional attempt by Retry-After", () => {
    assert.equal(waitAfter(lastFailed({ answer: { retryAfterMs: 60_000 } })), null);
  });

  test("keeps its planned attempts when one that was brought forward fails", () => {
    for (const number of [2, 3, 4]) {
      assert.deepEqual(after(failed({ number, plannedAt: NOW + 60_000 })).delivery, {
        state: "pending",
        tries: number - 1,
        dueAt: NOW + 60_000,
        canExpedite: false,
        notBefore: null,
      });
    }
  });

  test("is not tried again within the first wait, however soon its planned time comes", () => {
    assert.equal(waitAfter(failed({ number: 4, plannedAt: NOW + 1 })), 10_000);
  });

  test("uses up a retry that fails at its planned time or later", () => {
    assert.deepEqual(after(lastFailed({ plannedAt: NOW })).delivery, { state: "exhausted" });
    const { delivery } = after(failed({ number: 2, plannedAt: NOW - 1 }));
    assert.ok(delivery.state === "pending" && delivery.tries === 2 && delivery.canExpedite);
  });

  test("may be brought forward again if it fails as the endpoint goes down", () => {
    const early = failed({ number: 2, plannedAt: NOW + 60_000 });
    const canExpedite = (failedAttempts: number) => {
      const { delivery } = after(early, { health: { failedAttempts } });
      return delivery.state === "pending" && delivery.canExpedite;
    };
    assert.deepEqual([0, 3, 4, 7].map(canExpedite), [false, false, true, true]);
  });

  test("keeps the time of Retry-After when others bring the retry forward", () => {
    const asked = (retryAfterMs: number | null, over: Over = {}) => {
      const { delivery } = after(failed({ ...over, answer: { retryAfterMs } }));
      return delivery.state === "pending" && delivery.notBefore;
    };
    assert.deepEqual(
      [null, 3_000, 60_000, 9e15].map((ms) => asked(ms)),
      [null, NOW + 3_000, NOW + 60_000, NOW + 3_600_000],
    );
    const early = failed({ number: 2, plannedAt: NOW + 60_000, answer: { retryAfterMs: 90_000 } });
    assert.equal(waitAfter(early), 90_000);
  });

  test("ends without another attempt at 410, disable and abort", () => {
    const ends = [failed({ status: 410 }), failed({ answer: { directive: "disable" } })];
    ends.push(failed({ answer: { directive: "abort" } }));
    for (const end of ends) assert.deepEqual(after(end).delivery, { state: "exhausted" });
  });

  test("stays delivered with a directive on a 2xx", () => {
    for (const directive of ["disable", "abort"] as const) {
      assert.deepEqual(after(succeeded({ answer: { directive } })).delivery, { state: "delivered" });
    }
  });
});

describe("an endpoint", () => {
  test("is disabled by the tenth delivery in a row that ends exhausted, and says why", () => {
    const { health } = after(lastFailed(), { health: { consecutiveFailures: 9 } });
    assert.equal(health.state, "disabled");
    assert.equal(health.disabledAt, NOW);
    assert.equal(health.disabledReason, "10 deliveries in a row failed. The last error: The receiver answered 500.");
  });

  test("is not disabled by the ninth, and a failed attempt with retries left does not count", () => {
    assert.equal(after(lastFailed(), { health: { consecutiveFailures: 8 } }).health.state, "sending");
    const { health } = after(failed(), { health: { consecutiveFailures: 9 } });
    assert.deepEqual([health.state, health.consecutiveFailures], ["sending", 9]);
  });

  test("starts the count again at any 2xx", () => {
    for (const origin of ["event", "replay", "redelivery"] as const) {
      assert.equal(after(succeeded({ origin }), { health: { consecutiveFailures: 9 } }).health.consecutiveFailures, 0);
    }
  });

  test("is disabled by the tenth failed attempt where attempts count, and that delivery keeps its retries", () => {
    const attempts = { policy: { counts: "attempt" as const }, health: { consecutiveFailures: 9 } };
    const { health, delivery } = after(failed(), attempts);
    assert.deepEqual([health.state, delivery.state], ["disabled", "pending"]);
    assert.match(health.disabledReason ?? "", /^10 attempts in a row failed\./);
  });

  test("does not count failed replays and redeliveries", () => {
    for (const counts of ["delivery", "attempt"] as const) {
      for (const origin of ["replay", "redelivery"] as const) {
        const { health } = after(lastFailed({ origin }), { policy: { counts }, health: { consecutiveFailures: 9 } });
        assert.deepEqual([health.state, health.consecutiveFailures], ["sending", 9]);
      }
    }
  });

  test("counts a first attempt, too, if those that it replaced have failed for as long as all retries take", () => {
    const planMs = 1_570_000;
    const counted = (over: Over) => after(failed(over), { health: { consecutiveFailures: 9 } }).health.state;
    assert.equal(counted({ failingSince: NOW - planMs }), "disabled");
    assert.equal(counted({ failingSince: NOW - planMs + 1 }), "sending");
    assert.equal(counted({ failingSince: NOW - planMs, number: 2 }), "sending");
    assert.equal(counted({ failingSince: NOW - planMs, origin: "replay" }), "sending");
    const { health } = after(succeeded({ failingSince: 0 }), { health: { consecutiveFailures: 9 } });
    assert.equal(health.consecutiveFailures, 0);
  });

  test("is disabled at once by 410", () => {
    const { health } = after(failed({ status: 410, outcome: "client_error" }));
    assert.deepEqual([health.state, health.disabledAt], ["disabled", NOW]);
    assert.match(health.disabledReason ?? "", /410/);
  });

  test("is disabled at once when the receiver says so, on a failure and on a 2xx", () => {
    for (const attempt of [failed(), succeeded()]) {
      for (const failedAttempts of [4, 7]) {
        const { health, expediteRetries, restoreBackoff } = after(
          { ...attempt, answer: { ...SILENT, directive: "disable" } },
          { health: { failedAttempts } },
        );
        assert.deepEqual([health.state, health.disabledAt], ["disabled", NOW]);
        assert.match(health.disabledReason ?? "", /webhook-delivery: disable/);
        assert.deepEqual([expediteRetries, restoreBackoff], [false, false]);
      }
    }
  });

  test("is also disabled by a replay that gets 410 or disable", () => {
    assert.equal(after(failed({ origin: "replay", status: 410 })).health.state, "disabled");
    assert.equal(after(failed({ origin: "replay", answer: { directive: "disable" } })).health.state, "disabled");
  });

  test("counts an aborted message as failed, except on a 2xx", () => {
    const answer = { directive: "abort" as const };
    assert.equal(after(failed({ answer })).health.consecutiveFailures, 1);
    assert.equal(after(succeeded({ answer }), { health: { consecutiveFailures: 4 } }).health.consecutiveFailures, 0);
  });

  test("stays paused or disabled for its own reason, whatever the responses are", () => {
    const ends = [succeeded(), lastFailed(), failed({ status: 410 }), succeeded({ answer: { directive: "disable" } })];
    for (const state of ["paused", "disabled"] as const) {
      const before = { state, disabledReason: "first", disabledAt: 1, consecutiveFailures: 9 };
      for (const end of ends) {
        for (const failedAttempts of [4, 9]) {
          const { health, expediteRetries, restoreBackoff, warning } = after(end, {
            health: { ...before, failedAttempts },
          });
          assert.deepEqual([health.state, health.disabledReason, health.disabledAt], [state, "first", 1]);
          assert.deepEqual([expediteRetries, restoreBackoff, warning], [false, false, null]);
        }
      }
    }
  });
});

describe("warnings", () => {
  test("come at the third and the fifth failure of ten; the tenth disables instead", () => {
    assert.deepEqual(warnings(10), [3, 5]);
  });

  test("come at the same shares of another limit", () => {
    assert.deepEqual([1, 2, 3, 4, 5, 20].map(warnings), [[], [1], [1, 2], [2], [2, 3], [6, 10]]);
  });

  test("come only at the failure that reaches the count", () => {
    const health = { consecutiveFailures: 3 };
    for (const attempt of [failed(), lastFailed({ origin: "replay" }), succeeded()]) {
      assert.equal(after(attempt, { health }).warning, null);
    }
  });
});

describe("the window", () => {
  test("widens by one after a success, up to eight, and is halved by a failure, down to one", () => {
    assert.deepEqual(
      [1, 7, 8].map((window) => windowAfter(succeeded(), window)),
      [2, 8, 8],
    );
    assert.deepEqual(
      [8, 5, 3, 1].map((window) => windowAfter(failed(), window)),
      [4, 2, 1, 1],
    );
  });
});

describe("probing", () => {
  test("pauses from the fifth failure in a row, twice as long each time, up to the first wait", () => {
    assert.deepEqual(
      [5, 6, 7, 8, 9, 2_000].map((count) => pauseAfter(count)),
      [1_000, 2_000, 4_000, 8_000, 10_000, 10_000],
    );
  });

  test("does not pause before the fifth failure, nor while the window is wider than one", () => {
    assert.equal(after(failed(), { health: { failedAttempts: 3 } }).health.notBefore, 0);
    assert.equal(after(failed(), { health: { failedAttempts: 6, window: 8 } }).health.notBefore, 0);
  });

  test("pauses for ten seconds at most under a policy without waits", () => {
    assert.equal(pauseAfter(50, { policy: { waitsMs: [] } }), 10_000);
  });

  test("ends with a 2xx, which brings waiting retries forward", () => {
    const { health, expediteRetries } = after(succeeded(), { health: { failedAttempts: 5, notBefore: NOW + 9 } });
    assert.deepEqual([health.notBefore, health.failedAttempts, expediteRetries], [0, 0, true]);
  });

  test("brings waiting retries forward at a 2xx after any failure; after another 2xx none can wait", () => {
    const pulls = [0, 1, 4, 9].map(
      (failedAttempts) => after(succeeded(), { health: { failedAttempts } }).expediteRetries,
    );
    assert.deepEqual(pulls, [false, true, true, true]);
  });

  test("sends the oldest retry that is due as every third probe", () => {
    const turns = Array.from({ length: 17 }, (_, failedAttempts) => failedAttempts).filter((failedAttempts) =>
      isRetrysTurn({ failedAttempts }),
    );
    assert.deepEqual(turns, [6, 9, 12, 15]);
  });

  test("puts retries back that were brought forward at the fifth failure in a row, and at no other end", () => {
    const before = [0, 3, 4, 5, 9];
    const given = (end: FinishedAttempt) =>
      before.map((failedAttempts) => after(end, { health: { failedAttempts } }).restoreBackoff);
    const atTheFifth = [false, false, true, false, false];
    for (const end of [failed(), lastFailed(), failed({ origin: "replay" })]) assert.deepEqual(given(end), atTheFifth);
    assert.ok(!given(succeeded()).includes(true));
  });

  test("puts them back at the fifth failure even while the window is still wide", () => {
    assert.equal(after(failed(), { health: { failedAttempts: 4, window: 8 } }).restoreBackoff, true);
  });
});

describe("an endpoint's health", () => {
  test("has the time of the last success and of the last failure, and its error", () => {
    const before = { lastSuccessAt: 1, lastFailureAt: 2, lastError: "old" };
    const good = after(succeeded(), { health: before }).health;
    assert.deepEqual([good.lastSuccessAt, good.lastFailureAt, good.lastError], [NOW, 2, "old"]);
    const bad = after(failed(), { health: before }).health;
    assert.deepEqual([bad.lastSuccessAt, bad.lastFailureAt, bad.lastError], [1, NOW, "The receiver answered 500."]);
  });

  test("of a healthy endpoint changes once for all successes of one moment", () => {
    const full = { window: 8, lastSuccessAt: NOW };
    const unchanged = after(succeeded(), { health: full }).health;
    assert.deepEqual(unchanged, { ...GOOD_HEALTH, ...full });
    for (const one of [
      { window: 7 },
      { notBefore: 1 },
      { failedAttempts: 1 },
      { consecutiveFailures: 1 },
      { lastSuccessAt: 1 },
    ]) {
      assert.deepEqual(after(succeeded(), { health: { ...full, ...one } }).health, unchanged);
    }
  });

  test("is not changed by a test, even one that gets 410 or disable", () => {
    const busy = { ...GOOD_HEALTH, consecutiveFailures: 9, window: 3, notBefore: NOW + 5 };
    const ends = [succeeded(), lastFailed(), failed({ status: 410 }), succeeded({ answer: { directive: "disable" } })];
    for (const end of ends) {
      for (const failedAttempts of [4, 9]) {
        const before = { ...busy, failedAttempts };
        const { health, expediteRetries, restoreBackoff, warning } = after(
          { ...end, origin: "test" },
          { health: before },
        );
        assert.deepEqual([health, expediteRetries, restoreBackoff, warning], [before, false, false, null]);
      }
    }
  });

  test("is returned anew, and the earlier value is not changed", () => {
    const health = Object.freeze({ ...GOOD_HEALTH });
    decide(health, Object.freeze(failed()), DEFAULT_POLICY, NOW, middle);
    assert.deepEqual(health, GOOD_HEALTH);
  });
});
