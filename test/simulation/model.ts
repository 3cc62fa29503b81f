/**
 * One endpoint under a virtual clock: the real `decide`, and around it the least that the rules of delivery ask of a
 * queue. Per article the oldest delivery is in line and the others stand behind it; what is due is claimed while the
 * window has room and the endpoint's pause is over; a pull-forward makes all waiting retries due, a push-back returns
 * them to their plan; an endpoint that is disabled has everything parked. Time jumps from one occurrence to the next.
 */
import { decide, type RetryPolicy } from "../../src/domain/webhooks/delivery.ts";
import { GOOD_HEALTH, type Health } from "../../src/domain/webhooks/endpoint.ts";
import { Heap } from "./heap.ts";

export interface Scenario {
  /** In order of time. */
  events: readonly { at: number; article: number }[];
  /** What becomes of an attempt that begins then. */
  receive: (at: number) => { isOk: boolean; tookMs: number };
  policy: RetryPolicy;
  random: () => number;
  /** Which of the due deliveries is claimed first: the one due first, or the one made first. */
  claims: "due first" | "made first";
}

export interface Sent {
  no: number;
  article: number;
  madeAt: number;
  state: "pending" | "delivered" | "exhausted" | "parked";
  endedAt: number;
  attempts: Try[];
  dueAt: number;
  /** Of the next retry; null before the first one is planned. */
  plannedAt: number | null;
}

export interface Try {
  no: number;
  number: number;
  from: number;
  to: number;
  isOk: boolean;
  /** When it was to begin at the earliest; null: it is the first. */
  plannedAt: number | null;
  /** As the attempt began: attempts under way with this one, and the endpoint's health. */
  underWay: number;
  before: Health;
}

export interface Course {
  deliveries: Sent[];
  /** In the order in which they began. */
  attempts: Try[];
  warnings: number[];
  pullForwards: number[];
  pushBacks: number[];
  health: Health;
}

export function simulate(scenario: Scenario): Course {
  const course: Course = {
    deliveries: [],
    attempts: [],
    warnings: [],
    pullForwards: [],
    pushBacks: [],
    health: { ...GOOD_HEALTH },
  };
  const lanes = new Map<number, Sent[]>();
  const waiting = new Heap<Sent>((a, b) => a.dueAt - b.dueAt || a.no - b.no);
  const due = new Heap<Sent>((a, b) => (scenario.claims === "due first" && a.dueAt - b.dueAt) || a.no - b.no);
  const underWay = new Heap<Try>((a, b) => a.to - b.to || a.no - b.no);
  const { events, receive, policy, random } = scenario;
  let arrived = 0;

  for (;;) {
    const now = nextOccurrence();
    if (now === Infinity) return course;
    for (; arrived < events.length && events[arrived]!.at <= now; arrived += 1) arrive(events[arrived]!);
    while ((underWay.peek()?.to ?? Infinity) <= now) finish(underWay.pop()!, now);
    while ((waiting.peek()?.dueAt ?? Infinity) <= now) due.push(waiting.pop()!);
    while (due.size > 0 && mayClaim(now)) begin(due.pop()!, now);
  }

  function nextOccurrence(): number {
    const claimAt =
      due.size > 0 && course.health.state === "sending" && underWay.size < course.health.window
        ? course.health.notBefore
        : Infinity;
    return Math.min(
      events[arrived]?.at ?? Infinity,
      underWay.peek()?.to ?? Infinity,
      waiting.peek()?.dueAt ?? Infinity,
      claimAt,
    );
  }

  function mayClaim(now: number): boolean {
    const { state, window, notBefore } = course.health;
    return state === "sending" && underWay.size < window && notBefore <= now;
  }

  function arrive({ at, article }: { at: number; article: number }): void {
    const no = course.deliveries.length;
    const sent: Sent = {
      no,
      article,
      madeAt: at,
      state: "pending",
      endedAt: Infinity,
      attempts: [],
      dueAt: at,
      plannedAt: null,
    };
    course.deliveries.push(sent);
    if (course.health.state !== "sending") return end(sent, "parked", at);
    const lane = lanes.get(article);
    if (lane === undefined) {
      lanes.set(article, [sent]);
      waiting.push(sent);
    } else {
      lane.push(sent);
    }
  }

  function begin(sent: Sent, now: number): void {
    const { isOk, tookMs } = receive(now);
    const attempt: Try = {
      no: sent.no,
      number: sent.attempts.length + 1,
      from: now,
      to: now + tookMs,
      isOk,
      plannedAt: sent.plannedAt,
      underWay: underWay.size + 1,
      before: course.health,
    };
    sent.attempts.push(attempt);
    course.attempts.push(attempt);
    underWay.push(attempt);
  }

  function finish(attempt: Try, now: number): void {
    const sent = course.deliveries[attempt.no]!;
    const decision = decide(course.health, asFinished(attempt), policy, now, random);
    const wasEnabled = course.health.state === "sending";
    course.health = decision.health;
    if (decision.warning !== null) course.warnings.push(decision.warning);
    if (decision.delivery.state !== "pending") {
      end(sent, decision.delivery.state, now);
      leaveLane(sent, now);
    } else if (decision.health.state === "sending") {
      sent.dueAt = decision.delivery.dueAt;
      sent.plannedAt = sent.dueAt;
      waiting.push(sent);
    } else {
      end(sent, "parked", now);
    }
    if (decision.expediteRetries) expediteRetries(now);
    if (decision.restoreBackoff) restoreBackoff(now);
    if (wasEnabled && decision.health.state !== "sending") park(now);
  }

  function leaveLane(sent: Sent, now: number): void {
    const lane = lanes.get(sent.article)!;
    lane.shift();
    const next = lane[0];
    if (next === undefined) {
      lanes.delete(sent.article);
    } else if (course.health.state === "sending") {
      next.dueAt = now;
      waiting.push(next);
    }
  }

  function expediteRetries(now: number): void {
    course.pullForwards.push(now);
    for (let sent = waiting.pop(); sent !== undefined; sent = waiting.pop()) {
      sent.dueAt = Math.min(sent.dueAt, now);
      due.push(sent);
    }
  }

  function restoreBackoff(now: number): void {
    course.pushBacks.push(now);
    const kept: Sent[] = [];
    for (let sent = due.pop(); sent !== undefined; sent = due.pop()) {
      if (sent.plannedAt === null || sent.plannedAt <= now) {
        kept.push(sent);
      } else {
        sent.dueAt = sent.plannedAt;
        waiting.push(sent);
      }
    }
    for (const sent of kept) due.push(sent);
  }

  /** Everything that is not under way; that ends by its own attempt. */
  function park(now: number): void {
    while (waiting.size > 0) waiting.pop();
    while (due.size > 0) due.pop();
    for (const lane of lanes.values()) {
      for (const sent of lane) {
        if (sent.state === "pending" && (sent.attempts.at(-1)?.to ?? now) <= now) end(sent, "parked", now);
      }
    }
  }
}

function end(sent: Sent, state: Sent["state"], at: number): void {
  sent.state = state;
  sent.endedAt = at;
}

function asFinished({ number, isOk }: Try) {
  return {
    number,
    origin: "event",
    outcome: isOk ? "success" : "server_error",
    status: isOk ? 200 : 500,
    error: isOk ? null : "The receiver answered 500.",
    answer: { retryAfterMs: null, directive: null, receipt: null },
  } as const;
}
