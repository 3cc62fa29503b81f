/** The rules about what the database holds at the end. */
import type { Limits, Report } from "./rules.ts";
import type { Facts } from "./facts.ts";
import { type Arrival, type JournalView, lastMarkAt } from "./journal.ts";

type Delivery = Facts["deliveries"][number];
type Attempt = Facts["attempts"][number];

/** Consecutive failures after which an endpoint counts as down (docs/webhooks.md). */
const STREAK = 5;

export function checkRecords(journal: JournalView, facts: Facts, limits: Limits, report: Report): void {
  const arrivalsOf = Map.groupBy(journal.arrivals, ({ endpointId, eventId }) => `${endpointId} ${eventId}`);
  const attemptsOf = Map.groupBy(facts.attempts, ({ deliveryNo }) => deliveryNo);
  const endpointOf = new Map(facts.deliveries.map(({ no, endpointId }) => [no, endpointId]));
  const attemptsAt = Map.groupBy(facts.attempts, ({ deliveryNo }) => endpointOf.get(deliveryNo));
  checkWanted(facts, report);
  for (const delivery of facts.deliveries) {
    const attempts = attemptsOf.get(delivery.no) ?? [];
    const arrivals = arrivalsOf.get(`${delivery.endpointId} ${delivery.eventId}`) ?? [];
    checkState(delivery, attempts, arrivals, facts, limits, report);
    checkEarlyAttempts(delivery, attempts, attemptsAt.get(delivery.endpointId) ?? [], limits, report);
    checkAnswers(delivery, attempts, arrivals, report);
    checkLastEpoch(journal, delivery, attempts, arrivals, limits, report);
  }
  for (const no of facts.queued) report("unfinished", `delivery ${no} is in line`);
  checkHealth(facts, report);
}

/** Each endpoint has one delivery of each event that it is subscribed to, and of no other. */
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
      // Early attempts are additional (`checkEarlyAttempts`).
      if (successes > 0 || attempts.length < limits.attempts) {
        report("record", `${name} is exhausted after ${attempts.length} attempts, ${successes} of them successful`);
      }
      checkLastWait(delivery, attempts, limits, report);
      if (arrivals.length === 0) report("missing", `${name} is exhausted, and never arrived`);
      break;
    case "coalesced": {
      const isNewer = (one: Delivery) => one.no > no && one.endpointId === endpointId && one.articleId === articleId;
      if (!facts.deliveries.some((one) => isNewer(one))) report("missing", `${name} made way for nothing newer`);
      const endpoint = facts.endpoints.find(({ id }) => id === endpointId);
      if (successes > 0 || !(endpoint !== undefined && isReplacing(endpoint))) {
        report("record", `${name} made way, where none may, or after a 2xx`);
      }
      break;
    }
    default:
      report("unfinished", `${name} is ${state}`);
  }
}

/** An exhausted delivery has had the last attempt of its schedule. */
function checkLastWait(
  { no, finishedAt }: Delivery,
  attempts: readonly Attempt[],
  limits: Limits,
  report: Report,
): void {
  const before = attempts[limits.attempts - 2];
  if (before === undefined || finishedAt === null) return;
  const ms = finishedAt - before.startedAt;
  if (ms < limits.lastWaitMs) report("record", `delivery ${no} was given up ${ms} ms after attempt ${before.number}`);
}

/**
 * While a delivery waits for its last attempt, it has one more for a 2xx that its endpoint gave since; after that another one
 * only if attempts failed meanwhile until five had in a row. Those waits that are 0 leave no time for it.
 */
function checkEarlyAttempts(
  { no, state }: Delivery,
  attempts: readonly Attempt[],
  atEndpoint: readonly Attempt[],
  limits: Limits,
  report: Report,
): void {
  const planned = limits.attempts - 1;
  const failed = attempts.filter(({ outcome }) => outcome !== "success");
  const early = failed.slice(planned, state === "exhausted" ? -1 : undefined);
  for (const [index, { number, batch }] of early.entries()) {
    const last = failed[planned + index - 1];
    if (last === undefined) continue;
    const since = atEndpoint.filter((one) => one.batch >= last.batch && one.batch < batch);
    if (!since.some(({ outcome }) => outcome === "success")) {
      report("record", `attempt ${number} of delivery ${no} came before its plan, without a 2xx before it`);
    }
    if (index > 0 && !since.some((one) => failuresInARow(atEndpoint, one.batch) >= STREAK)) {
      report("record", `attempt ${number} of delivery ${no} came before its plan, as did the one before`);
    }
  }
}

/** The most consecutive failures possible by then; the order within a batch is unknown. */
function failuresInARow(attempts: readonly Attempt[], batch: number): number {
  const success = attempts.findLast((one) => one.outcome === "success" && one.batch < batch);
  return attempts.filter(
    (one) => one.outcome !== "success" && one.batch <= batch && (success === undefined || one.batch >= success.batch),
  ).length;
}

/** Each recorded attempt matches what the receiver did with one of its requests. */
function checkAnswers(
  delivery: Delivery,
  attempts: readonly Attempt[],
  arrivals: readonly Arrival[],
  report: Report,
): void {
  for (const { number, outcome, status } of attempts) {
    const answers = arrivals.filter(({ attempt }) => attempt === number).map(({ answer }) => answer);
    // A request may fail before it has arrived completely, but only the receiver can answer it.
    if (status === null ? outcome !== "success" : answers.includes(status)) continue;
    report(
      "record",
      `attempt ${number} of delivery ${delivery.no} is written down as ${outcome} ${status}; the receiver: ${answers.join()}`,
    );
  }
}

/** After the last kill, every answer was received and recorded. */
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
    // The process gave the attempt up, and it was sent again.
    const isGivenUp = arrivals.some((other) => other !== arrival && other.attempt === attempt);
    if (limits.mayGiveUp === true && isGivenUp) continue;
    const said = written.map(({ outcome, status }) => `${outcome} ${status}`).join();
    report("record", `attempt ${attempt} of delivery ${delivery.no} was answered ${answer}, and is written as ${said}`);
  }
}

/**
 * The counters follow from the attempts, in the order of recording. Within one statement that order is unknown: a success there
 * may count as the first or as the last.
 */
function checkHealth({ endpoints, deliveries, attempts }: Facts, report: Report): void {
  const deliveryByNo = new Map(deliveries.map((delivery) => [delivery.no, delivery]));
  const attemptsOf = Map.groupBy(attempts, ({ deliveryNo }) => deliveryByNo.get(deliveryNo)?.endpointId);
  const isLast = ({ deliveryNo, number }: Attempt) => {
    const delivery = deliveryByNo.get(deliveryNo);
    return delivery?.state === "exhausted" && delivery.attempts === number;
  };
  const failedNos = new Set(
    attempts.filter(({ outcome }) => outcome !== "success").map(({ deliveryNo }) => deliveryNo),
  );
  const replaced = Map.groupBy(
    deliveries.filter(({ state, no }) => state === "coalesced" && failedNos.has(no)),
    laneOf,
  );
  // A newer event also counts as a failure once the article has failed for as long as all attempts take: the event that it
  // replaced never had its last attempt.
  const mayCount = ({ deliveryNo, number }: Attempt) => {
    const delivery = deliveryByNo.get(deliveryNo);
    return number === 1 && delivery !== undefined && replaced.get(laneOf(delivery))?.some(({ no }) => no < deliveryNo);
  };
  for (const { id, consecutiveFailures, failedAttempts } of endpoints) {
    const own = attemptsOf.get(id) ?? [];
    const success = own.findLast(({ outcome }) => outcome === "success");
    const failed = own.filter(({ outcome }) => outcome !== "success");
    const after = failed.filter(({ batch }) => success === undefined || batch > success.batch);
    const most = [...after, ...failed.filter(({ batch }) => batch === success?.batch)];
    const mostCounted = most.filter((one) => isLast(one) || mayCount(one)).length;
    if (
      isBetween(consecutiveFailures, after.filter(isLast).length, mostCounted) &&
      isBetween(failedAttempts, after.length, most.length)
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

function isReplacing({ thin, coalesceMs }: Facts["endpoints"][number]): boolean {
  return thin || coalesceMs > 0;
}

const laneOf = ({ endpointId, articleId }: Delivery) => `${endpointId} ${articleId}`;

function isBetween(said: number, least: number, greatest: number): boolean {
  return said >= least && said <= greatest;
}
