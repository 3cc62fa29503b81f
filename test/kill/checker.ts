/**
 * Holds what was promised and what was seen against what the database says in the end. A pure function: whatever it
 * claims can be looked up in the journal.
 */
import { checkArrivals } from "./checker-arrivals.ts";
import { checkRecords } from "./checker-records.ts";
import type { Facts } from "./facts.ts";
import { type Arrival, cutsBetween, type JournalView } from "./journal.ts";

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
  /**
   * From when a process is ready, or of several nodes from the kill, until what was in flight is sent again. The design
   * says 2 s, on a machine of its own.
   */
  takenUpWithinMs: number;
  /**
   * Nodes that share a machine may keep each other from saying in time that they live. Such a node gives up what it has
   * under way, whatever the receiver answers; so that comes again, as long as it is not written down.
   */
  mayGiveUp?: boolean;
}

/** @returns what is wrong; `[]`: nothing. */
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
  /** Whether somebody else was killed meanwhile, who may have taken it up; then `ms` counts from that kill. */
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
