/** The rules about the requests that the receiver got. */
import type { Limits, Report } from "./rules.ts";
import type { Facts } from "./facts.ts";
import { type Arrival, cutsBetween, type JournalView, type Mark, type RecordNote } from "./journal.ts";

/** An ended attempt is usually recorded within a few milliseconds; this allows for a busy machine. */
const RECORDED_WITHIN_MS = 10_000;
/** How long after the sender gives up an attempt the receiver may notice it. */
const GONE_WITHIN_MS = 250;

export function checkArrivals(journal: JournalView, facts: Facts, limits: Limits, report: Report): void {
  const eventById = new Map(facts.events.map((event) => [event.id, event]));
  const deliveryOf = new Map(facts.deliveries.map((one) => [`${one.endpointId} ${one.eventId}`, one]));
  for (const arrival of journal.arrivals) {
    const event = eventById.get(arrival.eventId);
    if (event === undefined || !deliveryOf.has(keyOf(arrival))) {
      report(
        "ghost",
        `${nameOf(arrival)}: ${event === undefined ? "there is no such event" : "nothing was to be sent"}`,
      );
    } else if (event.sequence !== arrival.sequence || event.articleId !== arrival.articleId) {
      report("body", `${nameOf(arrival)} says it is number ${arrival.sequence} of ${arrival.articleId}`);
    }
    if (arrival.problem !== null) report("signature", `${nameOf(arrival)}: ${arrival.problem}`);
  }
  for (const arrivals of grouped(journal.arrivals, keyOf).values()) {
    checkBodies(arrivals, facts, report);
    checkDuplicates(journal, facts, arrivals, deliveryOf.get(keyOf(arrivals[0])), limits, report);
  }
  const lapses = journal.marks.filter(({ kind }) => kind === "lapse");
  for (const arrivals of grouped(journal.arrivals, laneOf).values()) checkLane(arrivals, lapses, report);
}

/** Every attempt to send one event to one endpoint has the same bytes, those that were stored. */
function checkBodies(arrivals: Group, facts: Facts, report: Report): void {
  const [first] = arrivals;
  for (const arrival of arrivals) {
    if (arrival.body !== first.body) report("body", `${nameOf(arrival)} has other bytes than the first attempt`);
  }
  const payload = facts.events.find(({ id }) => id === first.eventId)?.payload ?? null;
  const isThin = facts.endpoints.find(({ id }) => id === first.endpointId)?.thin === true;
  const expected = payload !== null && isThin ? thinned(payload) : payload;
  if (expected !== null && first.body !== Buffer.from(expected).toString("latin1")) {
    report("body", `${nameOf(first)} does not have the bytes of its event`);
  }
}

/** The thin form as documented, written independently of the product. */
function thinned(payload: string): string {
  const whole = JSON.parse(payload) as Record<string, unknown> & { data: Record<string, unknown> };
  const { article_id, api_url } = whole.data;
  return JSON.stringify({ ...whole, data: { article_id, api_url } });
}

/** Checks the attempts for one event at one endpoint. */
function checkDuplicates(
  { marks, records }: JournalView,
  { attempts }: Facts,
  arrivals: Group,
  delivery: Facts["deliveries"][number] | undefined,
  limits: Limits,
  report: Report,
): void {
  for (const [index, next] of arrivals.entries()) {
    const earlier = arrivals[index - 1];
    if (earlier === undefined) continue;
    const again = (why: string) => report("needless duplicate", `${nameOf(next)} after ${nameOf(earlier)}: ${why}`);
    if (next.attempt > earlier.attempt) {
      if (!isSuccess(earlier)) continue;
      const row = attempts.find(({ deliveryNo, number }) => deliveryNo === delivery?.no && number === earlier.attempt);
      again(`the earlier one was answered with a 2xx, and is written down as ${row?.outcome}`);
      continue;
    }
    if (next.attempt < earlier.attempt) {
      again("the number went back");
      continue;
    }
    const isSame = (one: RecordNote) => one.deliveryId === delivery?.id && one.attempt === next.attempt;
    if (records.some((one) => isSame(one) && one.at < next.at)) again("the earlier attempt had been written down");
    const [cut] = cutsBetween(marks, earlier, next);
    if (cut === undefined && limits.mayGiveUp === true) continue;
    // After a reused connection broke without an answer, HTTP allows the sender to repeat the request.
    if (cut === undefined) {
      const first = arrivals[index - 2];
      if (earlier.answer !== "reset") again("nothing was killed between them");
      else if (first?.attempt === next.attempt && cutsBetween(marks, first, next).length === 0) {
        again("it is the third time");
      }
      continue;
    }
    if (earlier.endedAt !== null && cut.from - earlier.endedAt > RECORDED_WITHIN_MS) {
      again(`it had ended ${Math.round(cut.from - earlier.endedAt)} ms before the ${cut.kind}`);
    }
  }
}

/** Checks the attempts for one article at one endpoint. */
function checkLane(arrivals: Group, lapses: readonly Mark[], report: Report): void {
  /** The attempt that ended last, of those since leases last expired: a killed process's attempts end with it. */
  let longest: Arrival | undefined;
  let last: Arrival | undefined;
  for (const next of arrivals) {
    if (last !== undefined && next.sequence < last.sequence)
      report("order", `${nameOf(next)} came after ${nameOf(last)}`);
    if (longest !== undefined && cutsBetween(lapses, longest, next).length > 0) longest = undefined;
    if (longest !== undefined && endOf(longest) > next.at) {
      report("overlap", `${nameOf(next)} came while ${nameOf(longest)} was under way`);
    }
    if (longest === undefined || endOf(next) >= endOf(longest)) longest = next;
    last = next;
  }
}

function endOf({ answer, endedAt }: Arrival): number {
  if (endedAt === null) return Number.POSITIVE_INFINITY;
  return answer === "gone" ? endedAt - GONE_WITHIN_MS : endedAt;
}

type Group = [Arrival, ...Arrival[]];

/** In the order of their arrival. */
function grouped(arrivals: readonly Arrival[], key: (arrival: Arrival) => string): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const arrival of arrivals) {
    const group = groups.get(key(arrival));
    if (group === undefined) groups.set(key(arrival), [arrival]);
    else group.push(arrival);
  }
  return groups;
}

const keyOf = ({ endpointId, eventId }: Arrival) => `${endpointId} ${eventId}`;
const laneOf = ({ endpointId, articleId }: Arrival) => `${endpointId} ${articleId}`;

function isSuccess({ answer }: Arrival): boolean {
  return typeof answer === "number" && answer >= 200 && answer < 300;
}

function nameOf({ endpointId, eventId, sequence, attempt, epoch, node, at, answer, endedAt }: Arrival): string {
  const end = answer === null ? "under way" : `${answer} at ${Math.round(endedAt ?? Number.NaN)} ms`;
  const sender = node === null ? `epoch ${epoch}` : `node ${node}`;
  return `#${sequence} (${eventId}) attempt ${attempt} at ${endpointId}, ${sender}, ${Math.round(at)} ms, ${end}`;
}
