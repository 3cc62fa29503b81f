/** The checker finds each kind of fault: every rule is broken once, by a bug in a running dispatcher where that is possible. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { check } from "./checker.ts";
import { type Rule, RULES } from "./rules.ts";
import type { Facts } from "./facts.ts";
import type { Arrival, Journal, JournalView } from "./journal.ts";
import { type LoopOptions, misbehaving, type Outcome, runLoop } from "./kill-loop.ts";
import { runLapse } from "./expired-lease.ts";
import { POINTS } from "./kill-points.ts";
import { type Plant, PLANTS } from "./planted-bugs.ts";
import { ATTEMPTS } from "./world.ts";

const LIMITS = { ...ATTEMPTS, takenUpWithinMs: 10_000 };

const IN_A_LAPSE: Plant = "drop the lease fence";

const firstFails = ({ attempt }: Arrival) => ({ status: attempt === 1 ? 500 : 200, afterMs: 0 });
const allFail = () => ({ status: 500, afterMs: 0 });
/** Fails every attempt for one event in eight. */
const someFail = ({ eventId }: Arrival) => ({ status: /^[01]/.test(eventId) ? 500 : 200, afterMs: 0 });

/** Every kind of answer; every second event fails at each attempt, so that some deliveries use up all of theirs. */
const misbehaves = misbehaving(13);
const misbehavesAndManyFail = (arrival: Arrival) => (/^[0-7]/.test(arrival.eventId) ? allFail() : misbehaves(arrival));

/** How each bug is detected, and by which rule. */
const LIVE: Partial<
  Record<Plant, Pick<LoopOptions, "kills" | "behave" | "cutsPower" | "lastChanges" | "drainsWithinMs"> & { rule: Rule }>
> = {
  "forget the counter": { kills: [], behave: allFail, lastChanges: 3, rule: "counter" },
  "skip the fsync": { kills: ["after the record"], cutsPower: true, rule: "ghost" },
  "send before commit": { kills: ["in the change"], rule: "ghost" },
  "acknowledge before commit": { kills: ["in the change"], rule: "lost change" },
  "deliver out of order": { kills: [], behave: firstFails, lastChanges: 120, rule: "order" },
  "serialise the body anew": { kills: [], behave: firstFails, rule: "body" },
  "sign another body": { kills: [], rule: "signature" },
  "sign another time": { kills: [], rule: "signature" },
  // Leases expire only after 30 s.
  "leave the leases of the dead": { kills: ["after the claim"], drainsWithinMs: 3_000, rule: "unfinished" },
  "leave the delivery open": { kills: [], rule: "unfinished" },
  "count early retries": { kills: [], behave: someFail, lastChanges: 60, rule: "record" },
  "bring a retry forward again and again": { kills: [], behave: someFail, lastChanges: 60, rule: "record" },
};

/** Records that no run has written, and the rule that finds each. */
const FALSE: Record<string, { rule: Rule; forge: (journal: Writable, facts: Facts) => void }> = {
  "an event that no change caused": {
    rule: "invented event",
    forge: ({ changes }) => void changes.splice(changes.findIndex(isAcknowledged), 1),
  },
  "an event of a change that was refused": {
    rule: "invented event",
    forge: ({ changes }) => void (some(changes, isAcknowledged).outcome = "refused"),
  },
  "an acknowledged change without its event": {
    rule: "lost change",
    forge: ({ changes }, facts) => {
      const { eventId } = some(changes, isAcknowledged);
      facts.events = facts.events.filter(({ id }) => id !== eventId);
    },
  },
  "changes of an article in another order": {
    rule: "event order",
    forge: ({ changes }) => {
      const acknowledged = changes.filter(isAcknowledged);
      const pair = [...Map.groupBy(acknowledged, ({ articleId }) => articleId).values()].find(
        ({ length }) => length > 1,
      );
      const [a, b] = [some(pair ?? [], () => true), some((pair ?? []).slice(1), () => true)];
      [a.eventId, b.eventId] = [b.eventId, a.eventId];
    },
  },
  "a delivery that was never made": {
    rule: "missing",
    forge: (_journal, facts) => void facts.deliveries.pop(),
  },
  "a delivery that never arrived": {
    rule: "missing",
    forge: (journal) => {
      const { eventId, endpointId } = some(journal.arrivals, isLastAndDone(journal));
      journal.arrivals = journal.arrivals.filter((one) => one.eventId !== eventId || one.endpointId !== endpointId);
    },
  },
  "an arrival after a 2xx, with nothing killed between": {
    rule: "needless duplicate",
    forge: (journal) => void journal.arrivals.push({ ...some(journal.arrivals, isLastAndDone(journal)) }),
  },
  "an arrival after its attempt had been written down": {
    rule: "needless duplicate",
    forge: (journal, facts) => {
      const { eventId, endpointId, attempt, epoch, at } = some(journal.arrivals, isInterrupted(journal));
      const delivery = some(facts.deliveries, (one) => one.eventId === eventId && one.endpointId === endpointId);
      journal.records.push({ deliveryId: delivery.id, attempt, epoch, at });
    },
  },
  "an arrival after a kill of another node": {
    rule: "needless duplicate",
    forge: ({ arrivals, marks }) => {
      for (const arrival of arrivals) arrival.node = "0/1";
      for (const mark of marks) mark.node = "1/1";
    },
  },
  "two attempts of an article at once": {
    rule: "overlap",
    forge: (journal) => {
      const arrivals = journal.arrivals.filter(({ epoch }) => epoch === journal.marks.length);
      for (const arrival of arrivals) arrival.endedAt = Number.POSITIVE_INFINITY;
    },
  },
  "arrivals in another order": {
    rule: "order",
    forge: (journal) => void journal.arrivals.reverse(),
  },
  "another answer than was given": {
    rule: "record",
    forge: (journal) => void (some(journal.arrivals, isLastAndDone(journal)).answer = 202),
  },
  "an attempt that is not written down": {
    rule: "record",
    forge: (_journal, facts) => void facts.attempts.pop(),
  },
  "one attempt more than a delivery has": {
    rule: "record",
    forge: ({ arrivals }, facts) => {
      const delivery = some(facts.deliveries, hasUsedAllAttempts);
      const attemptOf = (wanted: number) =>
        some(facts.attempts, ({ deliveryNo, number }) => deliveryNo === delivery.no && number === wanted);
      const last = attemptOf(delivery.attempts);
      const number = delivery.attempts + 1;
      for (const arrival of arrivals.filter((one) => isLastAttempt(one, delivery))) {
        arrivals.push({ ...arrival, attempt: number });
      }
      // In one batch with the one before it, so that no 2xx came between.
      last.batch = attemptOf(delivery.attempts - 1).batch;
      delivery.attempts = number;
      facts.attempts.push({ ...last, number });
    },
  },
  "a delivery that was given up before its last retry was due": {
    rule: "record",
    forge: (_journal, facts) => {
      const exhausted = some(facts.deliveries, hasUsedAllAttempts);
      const third = some(facts.attempts, ({ deliveryNo, number }) => deliveryNo === exhausted.no && number === 3);
      exhausted.finishedAt = third.startedAt;
    },
  },
  "a counter of attempts that was lost": {
    rule: "counter",
    forge: (_journal, facts) => void (some(facts.endpoints, () => true).failedAttempts += 1),
  },
  "work that was left lying": {
    rule: "late",
    forge: (journal) => {
      for (const epoch of journal.readyAt.keys()) journal.readyAt.set(epoch, Number.NEGATIVE_INFINITY);
    },
  },
};

describe("a bug in the process under test is reported:", { concurrency: 3 }, () => {
  for (const [plant, { rule, ...options }] of Object.entries(LIVE)) {
    test(plant, async () => {
      const { violations } = await runLoop({
        seed: 11,
        script: "dispatcher",
        plant: plant as Plant,
        ...options,
      });
      const rules = [...new Set(violations.map((one) => one.rule))];
      assert.ok(rules.includes(rule), `"${rule}" is not among: ${rules.join(", ")}`);
    });
  }

  test(IN_A_LAPSE, async () => {
    const rules = (await runLapse(IN_A_LAPSE)).map((one) => one.rule);
    assert.ok(rules.includes("overlap"), rules.join(", "));
  });
});

describe("without the bug nothing is reported:", { concurrency: 2 }, () => {
  test("when a lease expires", async () => {
    assert.deepEqual(await runLapse(null), []);
  });

  test("when kills lose what was not synced", async () => {
    const { violations, errors } = await runLoop({ seed: 12, script: "dispatcher", kills: POINTS, cutsPower: true });
    assert.deepEqual({ violations, errors }, { violations: [], errors: [] });
  });
});

describe("a false entry in the journal or the database is reported:", () => {
  let honest: Outcome;

  before(async () => {
    const kills = ["during the POST", "after the answer", "during the POST", "after the answer"] as const;
    honest = await runLoop({ seed: 13, script: "dispatcher", kills, behave: misbehavesAndManyFail, lastChanges: 40 });
    assert.deepEqual(honest.violations, []);
  });

  for (const [what, { rule, forge }] of Object.entries(FALSE)) {
    test(what, () => {
      const { journal: view, facts } = structuredClone({ journal: viewOf(honest.journal), facts: honest.facts });
      forge(view, facts);
      const rules = [...new Set(check(view, facts, LIMITS).map((one) => one.rule))];
      assert.ok(rules.includes(rule), `"${rule}" is not among: ${rules.join(", ")}`);
    });
  }

  test("but an event that lost its content because its article was deleted is not", () => {
    const { journal: view, facts } = structuredClone({ journal: viewOf(honest.journal), facts: honest.facts });
    for (const event of facts.events) event.payload = '{"data":{}}';
    assert.ok(check(view, facts, LIMITS).some(({ rule }) => rule === "body"));
    for (const event of facts.events) event.payload = null;
    assert.deepEqual(check(view, facts, LIMITS), []);
  });
});

test("every rule and every planted bug has its test", () => {
  const broken = [...Object.values(LIVE), ...Object.values(FALSE)].map(({ rule }) => rule);
  assert.deepEqual([...new Set(broken)].toSorted(), RULES.toSorted());
  assert.deepEqual([...Object.keys(LIVE), IN_A_LAPSE].toSorted(), PLANTS.toSorted());
});

type Writable = Pick<Journal, "readyAt"> & { -readonly [K in keyof Omit<JournalView, "readyAt">]: Journal[K] };

function viewOf({ changes, arrivals, marks, records, readyAt }: Journal): Writable {
  return { changes, arrivals, marks, records, readyAt };
}

function some<T>(list: readonly T[], wanted: (one: T) => boolean): T {
  const found = list.find(wanted);
  assert.ok(found !== undefined, "the honest run has nothing of the kind: choose another seed");
  return found;
}

function isLastAttempt(arrival: Arrival, { eventId, endpointId, attempts }: Facts["deliveries"][number]): boolean {
  return arrival.eventId === eventId && arrival.endpointId === endpointId && arrival.attempt === attempts;
}

/** A receiver may end a delivery before that. */
function hasUsedAllAttempts({ state, attempts }: Facts["deliveries"][number]): boolean {
  return state === "exhausted" && attempts >= ATTEMPTS.attempts;
}

function isAcknowledged({ outcome }: { outcome: string }): boolean {
  return outcome === "acknowledged";
}

/** A request of the last epoch that was answered with a 2xx. */
function isLastAndDone({ marks }: Writable): (arrival: Arrival) => boolean {
  return ({ epoch, answer }) => epoch === marks.length && (answer === 200 || answer === 204);
}

/** A request that a kill interrupted and that was sent again. */
function isInterrupted({ arrivals }: Writable): (arrival: Arrival) => boolean {
  return ({ eventId, endpointId, attempt, epoch }) =>
    arrivals.some(
      (one) => one.eventId === eventId && one.endpointId === endpointId && one.attempt === attempt && one.epoch > epoch,
    );
}
