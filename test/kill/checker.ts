/**
 * Holds what was promised and what was seen against what the database says in the end. A pure function: whatever it
 * claims can be looked up in the journal.
 */
import { checkArrivals } from "./checker-arrivals.ts";
import { checkRecords } from "./checker-records.ts";
import type { Facts } from "./facts.ts";
import { type Arrival, cutsBetween, type JournalView } from "./journal.ts";
import type { Limits, Report, Violation } from "./rules.ts";

/** @returns the violations. */
export function check(journal: JournalView, facts: Facts, limits: Limits): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, detail) => violations.push({ rule, detail });
  checkChanges(journal, facts, report);
  checkArrivals(journal, facts, limits, report);
  checkRecords(journal, facts, limits, report);
  for (const { eventId, ms } of takeUps(journal)) {
    if (ms > limits.takenUpWithinMs) report("late", `${eventId} was sent again after ${Math.round(ms)} ms`);
  }
  return violations;
}

export interface TakeUp {
  eventId: string;
  ms: number;
  /** The life of the node that sent it again. */
  by: string | null;
  /** Whether another node, which may have claimed it, was killed meanwhile; `ms` then counts from that kill. */
  isRepeated: boolean;
}

/**
 * For each attempt that a kill interrupted: how long after it was ready the next process sent it again; of several nodes,
 * how long after the kill one of them did.
 */
export function takeUps(journal: JournalView): TakeUp[] {
  const before = new Map<string, Arrival>();
  const found: TakeUp[] = [];
  for (const arrival of journal.arrivals) {
    const { endpointId, eventId, attempt, epoch, at, node } = arrival;
    const key = `${endpointId} ${eventId}`;
    const earlier = before.get(key);
    before.set(key, arrival);
    if (earlier?.attempt !== attempt) continue;
    const cut = cutsBetween(journal.marks, earlier, arrival).at(-1);
    if (cut?.kind !== "kill") continue;
    const since = cut.node === null ? journal.readyAt.get(epoch) : lastMarkBefore(journal, at);
    if (since === undefined) continue;
    found.push({ eventId, ms: Math.max(0, at - since), by: node, isRepeated: cut.node !== null && since > cut.from });
  }
  return found;
}

function lastMarkBefore({ marks }: JournalView, at: number): number | undefined {
  return marks.findLast(({ from }) => from <= at)?.from;
}

function checkChanges({ changes }: JournalView, { events }: Facts, report: Report): void {
  const eventById = new Map(events.map((event) => [event.id, event]));
  const changeById = new Map(changes.map((change) => [change.eventId, change]));
  const lastOf = new Map<string, number>();
  for (const { eventId, articleId, outcome, kind } of changes) {
    const event = eventById.get(eventId);
    if (event === undefined) {
      if (outcome === "acknowledged") report("lost change", `${kind} of ${articleId}, event ${eventId}`);
      continue;
    }
    if (outcome === "refused") report("invented event", `${eventId} is of a change that was refused`);
    if (event.articleId !== articleId || (kind !== null && kind !== event.kind)) {
      report("invented event", `${eventId} is ${event.kind} of ${event.articleId}, not ${kind} of ${articleId}`);
    }
    const last = lastOf.get(articleId) ?? 0;
    if (event.sequence < last) report("event order", `${eventId} has ${event.sequence}, after ${last}`);
    lastOf.set(articleId, event.sequence);
  }
  for (const [index, { id, sequence }] of events.entries()) {
    if (!changeById.has(id)) report("invented event", `${id} is of no change`);
    if (sequence !== index + 1) report("invented event", `${id} has ${sequence} as number ${index + 1}`);
  }
}
