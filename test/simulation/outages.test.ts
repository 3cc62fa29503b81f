import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_POLICY } from "../../src/domain/webhooks/delivery.ts";
import { holdTo } from "./invariants.ts";
import { type Course, type Scenario, simulate } from "./model.ts";
import { randomNumbers } from "../../bench/statistics.ts";
import { flapping, HANGS_MS, type Outage, receive, REFUSES_MS, stream } from "./receivers.ts";
import { renderDeadTable, renderTable } from "./table.ts";
import { cases, fc } from "../helpers/properties.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Minimum time between a delivery's first attempt and its fourth counted one. */
const MIN_LIFE_MS = 0.8 * DEFAULT_POLICY.waitsMs.reduce((sum, wait) => sum + wait, 0);
const MAX_WAIT_MS = 1.2 * Math.max(...DEFAULT_POLICY.waitsMs);

interface World {
  seed: number;
  perSecond: number;
  articles: number;
  burst: number;
  claims: Scenario["claims"];
  failsAfterMs: number;
  answersAfterMs: number;
}

const world = fc.record({
  seed: fc.nat(),
  perSecond: fc.constantFrom(0.01, 0.1, 1, 5),
  articles: fc.integer({ min: 1, max: 300 }),
  burst: fc.integer({ min: 0, max: 150 }),
  claims: fc.constantFrom("by turns" as const, "due first" as const, "made first" as const),
  failsAfterMs: fc.constantFrom(REFUSES_MS, HANGS_MS),
  answersAfterMs: fc.constantFrom(5, 200, 2_000, 9_900),
});

const outageMs = fc
  .oneof(fc.constantFrom(2, 30, 120, 600, 1_800, 7_200), fc.integer({ min: 1, max: 7_200 }))
  .map((seconds) => seconds * SECOND);

/** About five hundred events besides the burst, around the outages: `perSecond` decides how far they reach. */
function live(of: World, outages: readonly Outage[], burstAt = outages[0]?.from ?? 0): Course {
  const random = randomNumbers(of.seed);
  const untilMs = Math.min(3 * 60 * MINUTE, (500 / of.perSecond) * SECOND);
  const bursts = [{ at: burstAt, size: of.burst }];
  const course = simulate({
    events: stream({ perSecond: of.perSecond, untilMs, articles: of.articles, bursts }, random),
    receive: receive({ outages, failsAfterMs: of.failsAfterMs, answersAfterMs: of.answersAfterMs }),
    policy: DEFAULT_POLICY,
    random,
    claims: of.claims,
  });
  holdTo(course, DEFAULT_POLICY);
  return course;
}

test("whatever a receiver does, no event is lost, and order, window and pauses are kept", () => {
  const flaps = fc.tuple(outageMs, fc.integer({ min: 1, max: 600 * SECOND }));
  fc.assert(
    fc.property(world, flaps, (of, [downMs, upMs]) => void live(of, flapping(10 * SECOND, 120 * MINUTE, downMs, upMs))),
    { numRuns: cases(1_000) },
  );
});

test("an outage of twenty minutes or less exhausts nothing and disables nobody", () => {
  const short = outageMs.map((ms) => Math.min(ms, 20 * MINUTE));
  fc.assert(
    fc.property(world, short, (of, ms) => {
      const course = live(of, [{ from: 20 * SECOND, to: 20 * SECOND + ms }]);
      assert.equal(course.health.state, "sending");
      assert.deepEqual(course.warnings, []);
      assert.ok(course.deliveries.every((sent) => sent.state === "delivered"));
    }),
    { numRuns: cases(500) },
  );
});

test("a receiver that never answers is disabled, 20 min 56 s after the first failure at the earliest", () => {
  assert.equal(MIN_LIFE_MS, 1_256 * SECOND);
  fc.assert(
    fc.property(world, (of) => {
      const { health, attempts, deliveries, warnings } = live(of, [{ from: 0, to: Infinity }]);
      const isDoomed = deliveries.length >= 10;
      assert.equal(health.state, isDoomed ? "disabled" : "sending");
      if (!isDoomed) return;
      assert.ok(health.disabledAt! - attempts[0]!.from >= MIN_LIFE_MS);
      assert.deepEqual(warnings, [3, 5]);
      assert.equal(deliveries.filter((sent) => sent.state === "exhausted").length, 10);
    }),
    { numRuns: cases(300) },
  );
});

test("a receiver that comes and goes exhausts nothing, and is not disabled, in its first 20 min 56 s", () => {
  /** Down long enough for a streak, up just long enough for a pull-forward. */
  const flaps = fc.tuple(fc.integer({ min: 10, max: 300 }), fc.integer({ min: 300, max: 5_000 }));
  fc.assert(
    fc.property(world, flaps, (of, [downSeconds, upMs]) => {
      const outages = flapping(10 * SECOND, 120 * MINUTE, downSeconds * SECOND, upMs);
      const { deliveries } = live({ ...of, burst: 10 + (of.burst % 60), articles: 300 }, outages);
      for (const { state, attempts, endedAt } of deliveries) {
        if (state === "exhausted") assert.ok(endedAt - attempts[0]!.from >= MIN_LIFE_MS);
      }
    }),
    { numRuns: cases(600) },
  );
});

test("a receiver that fails again after each early attempt uses up no planned retry", () => {
  // Five attempts fail and two succeed, 19 times over; then all fail. Every wait is as short as chance can make it.
  let begun = 0;
  const course = simulate({
    events: Array.from({ length: 60 }, (_, article) => ({ at: 0, article })),
    receive: () => {
      begun += 1;
      const isOk = begun <= 19 * 7 && begun % 7 > 4;
      return { isOk, tookMs: isOk ? 100 : REFUSES_MS };
    },
    policy: DEFAULT_POLICY,
    random: () => 0,
    claims: "made first",
  });
  holdTo(course, DEFAULT_POLICY);
  assert.ok(course.attempts.some(({ isExtra }) => isExtra));
  assert.equal(course.health.state, "disabled");
  assert.ok(course.health.disabledAt! >= MIN_LIFE_MS);
});

test("a message that alone fails is sent four times as planned, and three times more after others arrived", () => {
  const { deliveries } = simulate({
    events: Array.from({ length: 4_000 }, (_, article) => ({ at: article * SECOND, article })),
    receive: (_at, article) => ({ isOk: article !== 0, tookMs: 5 }),
    policy: DEFAULT_POLICY,
    random: () => 0.5,
    claims: "by turns",
  });
  const { attempts, state } = deliveries[0]!;
  assert.equal(state, "exhausted");
  assert.deepEqual(
    attempts.map(({ number, isExtra }) => [number, isExtra]),
    [1, 2, 2, 3, 3, 4, 4].map((number, index) => [number, index % 2 === 1]),
  );
  assert.ok(attempts.at(-1)!.to - attempts[0]!.to >= 1_570 * SECOND);
});

test("after any failure, the next 2xx expedites what waits for a retry", () => {
  const { attempts } = simulate({
    events: [0, 1].map((article) => ({ at: article * 2 * SECOND, article })),
    receive: (at) => ({ isOk: at >= SECOND, tookMs: 5 }),
    policy: DEFAULT_POLICY,
    random: () => 0.5,
    claims: "by turns",
  });
  assert.deepEqual(
    attempts.map(({ no, from }) => [no, from]),
    [
      [0, 0],
      [1, 2_000],
      [0, 2_005],
    ],
  );
});

test("a dead receiver is disabled within an hour at every rate of ten events in half an hour or more", () => {
  const dead = fc.tuple(
    fc.double({ min: 0.01, max: 20, noNaN: true }),
    fc.nat(),
    fc.constantFrom(REFUSES_MS, HANGS_MS),
  );
  fc.assert(
    fc.property(dead, ([perSecond, seed, failsAfterMs]) => {
      const random = randomNumbers(seed);
      const events = stream({ perSecond, untilMs: 60 * MINUTE, articles: 1e9, bursts: [] }, random);
      const { health, attempts } = simulate({
        events,
        receive: receive({ outages: [{ from: 0, to: Infinity }], answersAfterMs: 50, failsAfterMs }),
        policy: DEFAULT_POLICY,
        random,
        claims: "by turns",
      });
      const tenthAt = events[9]?.at ?? Infinity;
      if (tenthAt > 25 * MINUTE) return;
      assert.ok(health.disabledAt! - attempts[0]!.from <= 60 * MINUTE, `disabled after ${health.disabledAt}`);
    }),
    { numRuns: cases(200, 20) },
  );
});

test("once a receiver works again, nothing waits longer than its last planned retry", () => {
  const short = outageMs.map((ms) => Math.min(ms, 20 * MINUTE));
  fc.assert(
    fc.property(world, short, (of, ms) => {
      const to = 20 * SECOND + ms;
      const course = live(of, [{ from: 20 * SECOND, to }]);
      const held = course.deliveries.filter((sent) => sent.madeAt < to && sent.endedAt >= to);
      const busyMs = course.attempts.filter((attempt) => attempt.to >= to).length * of.answersAfterMs;
      for (const sent of held) assert.ok(sent.endedAt - to <= HANGS_MS + MAX_WAIT_MS + busyMs);
    }),
    { numRuns: cases(300) },
  );
});

test("a receiver that was probed and responds again gets all that waits at once, as fast as it responds", () => {
  fc.assert(
    fc.property(world, fc.integer({ min: 120, max: 1_200 }), (of, seconds) => {
      const to = (20 + seconds) * SECOND;
      const course = live({ ...of, burst: Math.max(of.burst, 5), answersAfterMs: 50 }, [{ from: 20 * SECOND, to }]);
      const back = course.attempts.find((attempt) => attempt.isOk && attempt.from >= to);
      if (back === undefined || back.before.failedAttempts < 5) return;
      const held = course.deliveries.filter((sent) => sent.madeAt <= back.to && sent.endedAt >= back.to);
      const later = course.attempts.filter((attempt) => attempt.from >= back.from).length;
      assert.ok(course.pullForwards.includes(back.to));
      for (const sent of held) assert.ok(sent.endedAt - back.to <= later * 50, `delivery ${sent.no} waited`);
    }),
    { numRuns: cases(300) },
  );
});

/** Where the endpoint stands after a bulk publication with a restart in it, and whether all of it was delivered. */
const afterRestart = (counts: "attempt" | "delivery") => {
  const outages = [{ from: 20 * SECOND, to: 50 * SECOND }];
  const bursts = [{ at: 19 * SECOND, size: 500 }];
  const { health, deliveries } = simulate({
    events: stream({ perSecond: 1, untilMs: MINUTE, articles: 500, bursts }, randomNumbers(1)),
    receive: receive({ outages, failsAfterMs: REFUSES_MS, answersAfterMs: 50 }),
    policy: { ...DEFAULT_POLICY, counts },
    random: randomNumbers(2),
    claims: "due first",
  });
  return [health.state, deliveries.every((sent) => sent.state === "delivered")];
};

test("a restart of 30 s during a bulk publication disables if attempts count, and does not if deliveries do", () => {
  assert.deepEqual(afterRestart("attempt"), ["disabled", false]);
  assert.deepEqual(afterRestart("delivery"), ["sending", true]);
});

test("the tables in docs/delivery-simulation.md are what the simulation says", () => {
  const text = readFileSync(join(import.meta.dirname, "..", "..", "docs", "delivery-simulation.md"), "utf8");
  for (const table of [renderTable(), renderDeadTable()]) {
    process.stdout.write(`${table}\n`);
    assert.ok(
      text.includes(table),
      'the rules say something else now: run "node test/simulation/table.ts" and read the text around the tables again',
    );
  }
});
