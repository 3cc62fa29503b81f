/**
 * Holds what was promised and what was seen against what the database says in the end. A pure function: whatever it
 * claims can be looked up in the journal.
 */
import { checkArrivals } from "./checker-arrivals.ts";
import { checkRecords } from "./checker-records.ts";
import type { Facts } from "./facts.ts";
import type { JournalView } from "./journal.ts";

export const RULES = [
  /** An acknowledged change has no event. */
  "lost change",
  /** An event is of no change, of a refused one, or of another kind than was said; or the numbers have a gap. */
  "invented event",
  /** The events of an article are not in the order of its changes. */
  "event order",
  /** An event did not come to an endpoint that wants it. */
  "missing",
  /** A delivery is still waiting when everything had the time to end. */
  "unfinished",
  /** Something arrived of which the database knows nothing. */
  "ghost",
  /** Something arrived again, and its attempt was not in flight at the end of an epoch. */
  "needless duplicate",
  /** Two attempts of one endpoint and article were under way at once. */
  "overlap",
  /** An earlier event of an article arrived after a later one. */
  "order",
  /** The bytes differ between attempts, or from the event. */
  "body",
  "signature",
  /** What is written down of an attempt is not what the receiver answered. */
  "record",
  /** An endpoint's health does not follow from the attempts. */
  "counter",
  /** What a killed process left was taken up too late. */
  "late",
] as const;
export type Rule = (typeof RULES)[number];

export interface Violation {
  rule: Rule;
  detail: string;
}

export type Report = (rule: Rule, detail: string) => void;

export interface Limits {
  /** Attempts that a delivery has. */
  attempts: number;
  /** From when a process is ready until it sends again what was in flight. The design says 2 s, on a machine of its own. */
  takenUpWithinMs: number;
}

/** @returns what is wrong; `[]`: nothing. */
export function check(journal: JournalView, facts: Facts, limits: Limits): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, detail) => violations.push({ rule, detail });
  checkChanges(journal, facts, report);
  checkArrivals(journal, facts, report);
  checkRecords(journal, facts, limits, report);
  for (const { eventId, ms } of takeUps(journal)) {
    if (ms > limits.takenUpWithinMs) report("late", `${eventId} was sent again after ${Math.round(ms)} ms`);
  }
  return violations;
}

/** For each attempt that a kill interrupted: how long after it was ready the next process sent it again. */
export function takeUps(journal: JournalView): { eventId: string; ms: number }[] {
  const before = new Map<string, { attempt: number; epoch: number }>();
  const found: { eventId: string; ms: number }[] = [];
  for (const { endpointId, eventId, attempt, epoch, at } of journal.arrivals) {
    const key = `${endpointId} ${eventId}`;
    const earlier = before.get(key);
    before.set(key, { attempt, epoch });
    const readyAt = journal.readyAt.get(epoch);
    const isInterrupted = earlier?.attempt === attempt && earlier.epoch < epoch;
    if (!isInterrupted || readyAt === undefined || journal.marks[epoch - 1]?.kind !== "kill") continue;
    found.push({ eventId, ms: Math.max(0, at - readyAt) });
  }
  return found;
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
