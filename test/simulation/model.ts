/**
 * One endpoint under a virtual clock: the real `decide`, with the simplest queue that follows the rules of delivery. For each
 * article the oldest delivery is ready and the others wait behind it. Due deliveries are claimed while the window has room
 * and the endpoint's pause is over. Expediting makes all waiting retries due, restoring the backoff returns them to their
 * plan, and disabling the endpoint parks everything. Time jumps from one event to the next.
 */
import { decide, isRetrysTurn, type RetryPolicy } from "../../src/domain/webhooks/delivery.ts";
import { GOOD_HEALTH, type Health } from "../../src/domain/webhooks/endpoint.ts";
import { Heap } from "./heap.ts";

export interface Scenario {
  /** In order of time. */
  events: readonly { at: number; article: number }[];
  /** The outcome of an attempt that starts at this time. */
  receive: (at: number, article: number) => { isOk: boolean; tookMs: number };
  policy: RetryPolicy;
  random: () => number;
  /**
   * Which due delivery is claimed first: the one due first; the one created first; or, as in the queue, the one due first,
   * alternating with the oldest retry of a probed endpoint.
   */
  claims: "by turns" | "due first" | "made first";
}

export interface Sent {
  no: number;
  article: number;
  madeAt: number;
  state: "pending" | "delivered" | "exhausted" | "parked";
  endedAt: number;
  attempts: Try[];
  dueAt: number;
  /** Time of the next retry; null before the first one is planned. */
  plannedAt: number | null;
  /** Failed attempts that count. */
  tries: number;
  /** Whether a pull-forward makes it due. */
  canExpedite: boolean;
  /** Its entry among the due deliveries; 0 if it is not due. */
  dueEntry: number;
}

interface Due {
  sent: Sent;
  entry: number;
}

export interface Try {
  no: number;
  number: number;
  from: number;
  to: number;
  isOk: boolean;
  /** The earliest time it was planned for; null for the first attempt. */
  plannedAt: number | null;
  /** Whether it was brought forward and failed before its plan, so that it does not count. */
  isExtra: boolean;
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
  const byNo = (a: Due, b: Due) => a.sent.no - b.sent.no;
  /**
   * All that is due, and of it the retries whose plan has come. Entries stay until they are met, though their delivery left.
   */
  const due = new Heap<Due>((a, b) => (scenario.claims !== "made first" && a.sent.dueAt - b.sent.dueAt) || byNo(a, b));
  const dueRetries = new Heap<Due>(byNo);
  let entries = 0;
  const underWay = new Heap<Try>((a, b) => a.to - b.to || a.no - b.no);
  const { events, receive, policy, random } = scenario;
  let arrived = 0;

  for (;;) {
    const now = nextOccurrence();
    if (now === Infinity) return course;
    for (; arrived < events.length && events[arrived]!.at <= now; arrived += 1) arrive(events[arrived]!);
    while ((underWay.peek()?.to ?? Infinity) <= now) finish(underWay.pop()!, now);
    while ((waiting.peek()?.dueAt ?? Infinity) <= now) becomeDue(waiting.pop()!, now);
    while (isAnyDue() && mayClaim(now)) begin(takeFirst(), now);
  }

  function isAnyDue(): boolean {
    return first(due) !== undefined;
  }

  function first(heap: Heap<Due>): Sent | undefined {
    for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
      if (top.entry === top.sent.dueEntry) return top.sent;
      heap.pop();
    }
    return undefined;
  }

  function becomeDue(sent: Sent, now: number): void {
    sent.dueEntry = entries += 1;
    due.push({ sent, entry: sent.dueEntry });
    if (sent.plannedAt !== null && sent.plannedAt <= now) dueRetries.push({ sent, entry: sent.dueEntry });
  }

  function takeFirst(): Sent {
    const retry = scenario.claims === "by turns" && isRetrysTurn(course.health) ? first(dueRetries) : undefined;
    const sent = (retry ?? first(due))!;
    sent.dueEntry = 0;
    return sent;
  }

  function nextOccurrence(): number {
    const claimAt =
      isAnyDue() && course.health.state === "sending" && underWay.size < course.health.window
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
      tries: 0,
      canExpedite: false,
      dueEntry: 0,
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
    const { isOk, tookMs } = receive(now, sent.article);
    const attempt: Try = {
      no: sent.no,
      number: sent.tries + 1,
      from: now,
      to: now + tookMs,
      isOk,
      plannedAt: sent.plannedAt,
      isExtra: !isOk && sent.plannedAt !== null && sent.plannedAt > now + tookMs,
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
      const { dueAt, tries, canExpedite } = decision.delivery;
      Object.assign(sent, { dueAt, plannedAt: dueAt, tries, canExpedite });
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
    const kept: Sent[] = [];
    for (let sent = waiting.pop(); sent !== undefined; sent = waiting.pop()) {
      if (!sent.canExpedite && sent.dueAt > now) kept.push(sent);
      else becomeDue(Object.assign(sent, { dueAt: Math.min(sent.dueAt, now) }), now);
    }
    for (const sent of kept) waiting.push(sent);
  }

  function restoreBackoff(now: number): void {
    course.pushBacks.push(now);
    const kept: Sent[] = [];
    while (isAnyDue()) kept.push(takeFirst());
    for (const sent of kept) {
      if (sent.plannedAt === null || sent.plannedAt <= now) becomeDue(sent, now);
      else waiting.push(Object.assign(sent, { dueAt: sent.plannedAt }));
    }
    for (const sent of course.deliveries) if (sent.tries > 0) sent.canExpedite = true;
  }

  /** Parks every delivery without an attempt in progress; the others end with their attempt. */
  function park(now: number): void {
    while (waiting.size > 0) waiting.pop();
    while (isAnyDue()) takeFirst();
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

function asFinished({ number, isOk, plannedAt }: Try) {
  return {
    number,
    plannedAt,
    failingSince: null,
    origin: "event",
    outcome: isOk ? "success" : "server_error",
    status: isOk ? 200 : 500,
    error: isOk ? null : "The receiver answered 500.",
    answer: { retryAfterMs: null, directive: null, receipt: null },
  } as const;
}
