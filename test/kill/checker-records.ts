/** The rules about what the database says in the end. */
import type { Limits, Report } from "./rules.ts";
import type { Facts } from "./facts.ts";
import { type Arrival, type JournalView, lastMarkAt } from "./journal.ts";

type Delivery = Facts["deliveries"][number];
type Attempt = Facts["attempts"][number];

export function checkRecords(journal: JournalView, facts: Facts, limits: Limits, report: Report): void {
  const arrivalsOf = Map.groupBy(journal.arrivals, ({ endpointId, eventId }) => `${endpointId} ${eventId}`);
  const attemptsOf = Map.groupBy(facts.attempts, ({ deliveryNo }) => deliveryNo);
  checkWanted(facts, report);
  for (const delivery of facts.deliveries) {
    const attempts = attemptsOf.get(delivery.no) ?? [];
    const arrivals = arrivalsOf.get(`${delivery.endpointId} ${delivery.eventId}`) ?? [];
    checkState(delivery, attempts, arrivals, facts, limits, report);
    checkAnswers(delivery, attempts, arrivals, report);
    checkLastEpoch(journal, delivery, attempts, arrivals, limits, report);
  }
  for (const no of facts.queued) report("unfinished", `delivery ${no} is in line`);
  checkHealth(facts, report);
}

/** Each endpoint has one delivery of each event that it wants, and of no other. */
function checkWanted({ events, endpoints, deliveries }: Facts, report: Report): void {
  const counts = Map.groupBy(deliveries, ({ endpointId, eventId }) => `${endpointId} ${eventId}`);
  for (const event of events) {
    for (const endpoint of endpoints) {
      const count = counts.get(`${endpoint.id} ${event.id}`)?.length ?? 0;
      const wanted = endpoint.events.includes(event.kind) ? 1 : 0;
      if (count < wanted) report("missing", `${endpoint.id} has no delivery of #${event.sequence} (${event.id})`);
      if (count > wanted) report("record", `${endpoint.id} has ${count} deliveries of #${event.sequence}`);
    }
  }
}

function checkState(
  delivery: Delivery,
  attempts: readonly Attempt[],
  arrivals: readonly Arrival[],
  facts: Facts,
  limits: Limits,
  report: Report,
): void {
  const { no, state, endpointId, articleId } = delivery;
  const name = `delivery ${no} (${delivery.eventId} at ${endpointId})`;
  if (delivery.attempts !== attempts.length || attempts.some(({ number }, index) => number !== index + 1)) {
    report("record", `${name} has ${delivery.attempts} attempts, of which ${attempts.length} are written down`);
  }
  const successes = attempts.filter(({ outcome }) => outcome === "success").length;
  switch (state) {
    case "delivered":
      if (!arrivals.some(isSuccess)) report("missing", `${name} is delivered, and no 2xx was given`);
      if (successes !== 1) report("record", `${name} is delivered by ${successes} attempts`);
      break;
    case "exhausted":
      if (successes > 0 || attempts.length !== limits.attempts) {
        report("record", `${name} is exhausted after ${attempts.length} attempts, ${successes} of them successful`);
      }
      if (arrivals.length === 0) report("missing", `${name} is exhausted, and never arrived`);
      break;
    case "coalesced": {
      const isNewer = (one: Delivery) => one.no > no && one.endpointId === endpointId && one.articleId === articleId;
      if (!facts.deliveries.some((one) => isNewer(one))) report("missing", `${name} made way for nothing newer`);
      break;
    }
    default:
      report("unfinished", `${name} is ${state}`);
  }
}

/** What is written down of an attempt is what the receiver did with one of its arrivals. */
function checkAnswers(
  delivery: Delivery,
  attempts: readonly Attempt[],
  arrivals: readonly Arrival[],
  report: Report,
): void {
  for (const { number, outcome, status } of attempts) {
    const answers = arrivals.filter(({ attempt }) => attempt === number).map(({ answer }) => answer);
    // A request may fail before it has arrived whole; an answer can only come from the receiver.
    if (status === null ? outcome !== "success" : answers.includes(status)) continue;
    report(
      "record",
      `attempt ${number} of delivery ${delivery.no} is written down as ${outcome} ${status}; the receiver: ${answers.join()}`,
    );
  }
}

/** Nothing was killed any more: each answer was heard, and is written down. */
function checkLastEpoch(
  { marks }: JournalView,
  delivery: Delivery,
  attempts: readonly Attempt[],
  arrivals: readonly Arrival[],
  limits: Limits,
  report: Report,
): void {
  const since = lastMarkAt(marks);
  for (const arrival of arrivals) {
    const { at, attempt, answer } = arrival;
    if (at < since || typeof answer !== "number") continue;
    const written = attempts.filter(({ number }) => number === attempt);
    if (written.some(({ status }) => status === answer)) continue;
    // Given up, it came again.
    const isGivenUp = arrivals.some((other) => other !== arrival && other.attempt === attempt);
    if (limits.mayGiveUp === true && isGivenUp) continue;
    const said = written.map(({ outcome, status }) => `${outcome} ${status}`).join();
    report("record", `attempt ${attempt} of delivery ${delivery.no} was answered ${answer}, and is written as ${said}`);
  }
}

/**
 * The counters follow from the attempts, in the order in which they were written down. Of those of one statement the
 * order is not known: a success among them is taken to be the first, or the last.
 */
function checkHealth({ endpoints, deliveries, attempts }: Facts, report: Report): void {
  const deliveryByNo = new Map(deliveries.map((delivery) => [delivery.no, delivery]));
  const attemptsOf = Map.groupBy(attempts, ({ deliveryNo }) => deliveryByNo.get(deliveryNo)?.endpointId);
  const isLast = ({ deliveryNo, number }: Attempt) => {
    const delivery = deliveryByNo.get(deliveryNo);
    return delivery?.state === "exhausted" && delivery.attempts === number;
  };
  for (const { id, consecutiveFailures, failedAttempts } of endpoints) {
    const own = attemptsOf.get(id) ?? [];
    const success = own.findLast(({ outcome }) => outcome === "success");
    const failed = own.filter(({ outcome }) => outcome !== "success");
    const after = failed.filter(({ batch }) => success === undefined || batch > success.batch);
    const most = [...after, ...failed.filter(({ batch }) => batch === success?.batch)];
    const isBetween = (said: number, count: (some: readonly Attempt[]) => number) =>
      said >= count(after) && said <= count(most);
    if (
      isBetween(consecutiveFailures, (some) => some.filter(isLast).length) &&
      isBetween(failedAttempts, (some) => some.length)
    ) {
      continue;
    }
    const said = `${consecutiveFailures} deliveries and ${failedAttempts} attempts in a row`;
    report("counter", `${id} says ${said} failed; it is ${after.filter(isLast).length} and ${after.length}`);
  }
}

function isSuccess({ answer }: Arrival): boolean {
  return typeof answer === "number" && answer >= 200 && answer < 300;
}
