/** The rules about what the database says in the end. */
import type { Limits, Report } from "./checker.ts";
import type { Facts } from "./facts.ts";
import type { Arrival, JournalView } from "./journal.ts";

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
    checkLastEpoch(journal, delivery, attempts, arrivals, report);
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
  report: Report,
): void {
  for (const { epoch, attempt, answer } of arrivals) {
    if (epoch !== marks.length || typeof answer !== "number") continue;
    if (attempts.some(({ number, status }) => number === attempt && status === answer)) continue;
    report("record", `attempt ${attempt} of delivery ${delivery.no} was answered ${answer}, which is nowhere`);
  }
}

/** The counters follow from the attempts, in the order in which they were written down. */
function checkHealth({ endpoints, deliveries, attempts }: Facts, report: Report): void {
  const deliveryByNo = new Map(deliveries.map((delivery) => [delivery.no, delivery]));
  const expected = new Map(endpoints.map(({ id }) => [id, { deliveries: 0, attempts: 0 }]));
  for (const { deliveryNo, number, outcome } of attempts) {
    const delivery = deliveryByNo.get(deliveryNo);
    const health = expected.get(delivery?.endpointId ?? "");
    if (delivery === undefined || health === undefined) continue;
    if (outcome === "success") {
      Object.assign(health, { deliveries: 0, attempts: 0 });
    } else {
      health.attempts++;
      if (delivery.state === "exhausted" && number === delivery.attempts) health.deliveries++;
    }
  }
  for (const { id, consecutiveFailures, failedAttempts } of endpoints) {
    const health = expected.get(id);
    if (health?.deliveries === consecutiveFailures && health.attempts === failedAttempts) continue;
    const said = `${consecutiveFailures} deliveries and ${failedAttempts} attempts in a row`;
    report("counter", `${id} says ${said} failed; it is ${health?.deliveries} and ${health?.attempts}`);
  }
}

function isSuccess({ answer }: Arrival): boolean {
  return typeof answer === "number" && answer >= 200 && answer < 300;
}
