/**
 * One event for one endpoint, from the change that caused it to its end:
 *
 *     pending ──2xx──▶ delivered
 *       │ ▲
 *       │ └─ a failed attempt with a wait left; its retry is due after the wait
 *       ├── the last wait is used up, 410, `webhook-delivery: disable | abort-message` ──▶ exhausted
 *       └── the endpoint is paused or disabled ──▶ parked
 *
 * `decide` says what one finished attempt does to its delivery and to the endpoint's health. An endpoint that answers
 * may be asked by up to eight attempts at once; each failure halves that, and five in a row make it one attempt at a
 * time with growing pauses, until a 2xx, which makes all of its waiting retries due. Should five fail in a row again,
 * the retries that are left go back to their plan: a receiver that comes and goes does not use them up within minutes.
 * Ten deliveries in a row that ended exhausted disable the endpoint.
 */
import type { Answer, Outcome } from "./attempt.ts";
import type { Millis } from "../articles/article.ts";
import type { Health } from "./endpoint.ts";
import type { EventKind } from "./event.ts";

/**
 * `pending`: waiting or under way. `delivered`: a 2xx arrived. `exhausted`: every attempt failed. `parked`: kept while
 * its endpoint is paused or disabled. `coalesced`: a newer event of the same article was sent instead. `skipped`: a
 * person chose not to send it.
 */
export const DELIVERY_STATES = ["pending", "delivered", "exhausted", "parked", "coalesced", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why it is sent: `event`, because something happened; the others because a person asked for it. */
const DELIVERY_ORIGINS = ["event", "replay", "redelivery", "test"] as const;
export type DeliveryOrigin = (typeof DELIVERY_ORIGINS)[number];

export interface Delivery {
  id: string;
  websiteId: string;
  endpointId: string;
  eventId: string;
  kind: EventKind;
  articleId: string;
  origin: DeliveryOrigin;
  state: DeliveryState;
  attempts: number;
  createdAt: Millis;
  finishedAt: Millis | null;
  /** When the next attempt is due; null when none is planned, or while an earlier event of the article is under way. */
  nextAttemptAt: Millis | null;
}

export interface RetryPolicy {
  /** Milliseconds to wait after the first, second, … failed attempt. As many retries as waits. */
  waitsMs: readonly number[];
  /** Consecutive failures that disable an endpoint. */
  disableAfter: number;
  /** Whether a consecutive failure is a delivery that ended exhausted, or each failed attempt. */
  counts: "delivery" | "attempt";
}

export interface Decision {
  /** What becomes of the delivery; `dueAt` of its next attempt. */
  delivery: { state: "delivered" } | { state: "exhausted" } | { state: "pending"; dueAt: Millis };
  /** What becomes of the endpoint. */
  health: Health;
  /** Whether waiting retries of the endpoint become due at once. */
  expediteRetries: boolean;
  /** Whether waiting retries that were pulled forward go back to the time that was planned for them. */
  restoreBackoff: boolean;
  /** The consecutive failures at which somebody should be told now; null: nothing to tell. */
  warning: number | null;
}

export interface FinishedAttempt {
  /** 1 is the first. */
  number: number;
  origin: DeliveryOrigin;
  outcome: Outcome;
  status: number | null;
  error: string | null;
  answer: Answer;
}

/**
 * At once, then after 10 s, 2 min and 24 min: a restart, a deployment and an incident are over by one of them. What
 * counts is deliveries: ten failed attempts fit into one second of a restart during a bulk publication, ten exhausted
 * deliveries do not.
 */
export const DEFAULT_POLICY: RetryPolicy = {
  waitsMs: [10_000, 120_000, 1_440_000],
  disableAfter: 10,
  counts: "delivery",
};

const LARGEST_WINDOW = 8;
/** Failed attempts in a row after which an endpoint is asked gently. */
export const STREAK = 5;
const PROBE_BASE_MS = 1_000;
/** The longest pause between probes where the policy has no wait to take it from. */
const PROBE_LIMIT_MS = 10_000;
/** The most that `Retry-After` can ask for. */
const RETRY_AFTER_LIMIT_MS = 3_600_000;
/** The parts of `disableAfter` at which somebody is warned: the third and the fifth failure of ten. */
const WARN_AT = [0.3, 0.5];

/**
 * What a finished attempt does to its delivery and to its endpoint.
 *
 * An endpoint that is paused or disabled stays so, whatever comes back; one that becomes disabled here (`health.state`
 * differs from what was given) has its pending deliveries parked by the caller, this one included. A test changes
 * nothing of the health. A failed replay or redelivery narrows the window, but does not count towards disabling; only
 * the receiver's own word, 410 or `disable`, does that at once. A message that the receiver aborts without a 2xx
 * counts as one that failed: who aborts ten in a row wants none.
 *
 * @param health before the attempt's end, as it is now: other attempts may have ended since this one began.
 * @param now the attempt's end; waits begin here.
 * @param random uniform in [0, 1).
 */
export function decide(
  health: Health,
  attempt: FinishedAttempt,
  policy: RetryPolicy,
  now: Millis,
  random: () => number,
): Decision {
  const delivery = nextOf(attempt, policy, now, random);
  if (attempt.origin === "test")
    return { delivery, health, expediteRetries: false, restoreBackoff: false, warning: null };

  const isCounted =
    attempt.origin === "event" &&
    (policy.counts === "attempt" ? attempt.outcome !== "success" : delivery.state === "exhausted");
  const after =
    attempt.outcome === "success"
      ? recovered(health, now)
      : worsened(health, describe(attempt), isCounted, policy, now);
  const reason = health.state === "enabled" ? reasonToDisable(after, attempt, isCounted, policy) : null;
  const staysEnabled = after.state === "enabled" && reason === null;
  return {
    delivery,
    health: reason === null ? after : { ...after, state: "disabled", disabledReason: reason, disabledAt: now },
    expediteRetries: staysEnabled && attempt.outcome === "success" && health.failedAttempts >= STREAK,
    restoreBackoff: staysEnabled && attempt.outcome !== "success" && after.failedAttempts === STREAK,
    warning:
      staysEnabled && isCounted && isWarned(after.consecutiveFailures, policy) ? after.consecutiveFailures : null,
  };
}

function nextOf(
  attempt: FinishedAttempt,
  policy: RetryPolicy,
  now: Millis,
  random: () => number,
): Decision["delivery"] {
  if (attempt.outcome === "success") return { state: "delivered" };
  const wait = policy.waitsMs[attempt.number - 1];
  if (wait === undefined || attempt.status === 410 || attempt.answer.directive !== null) return { state: "exhausted" };
  const planned = wait * (0.8 + 0.4 * random());
  const asked = Math.min(attempt.answer.retryAfterMs ?? 0, RETRY_AFTER_LIMIT_MS);
  return { state: "pending", dueAt: now + Math.round(Math.max(planned, asked)) };
}

function recovered(health: Health, now: Millis): Health {
  return {
    ...health,
    consecutiveFailures: 0,
    failedAttempts: 0,
    window: Math.min(health.window + 1, LARGEST_WINDOW),
    notBefore: 0,
    lastSuccessAt: now,
  };
}

function worsened(health: Health, error: string, isCounted: boolean, policy: RetryPolicy, now: Millis): Health {
  const failedAttempts = health.failedAttempts + 1;
  const window = Math.max(1, Math.floor(health.window / 2));
  const isProbed = failedAttempts >= STREAK && window === 1;
  return {
    ...health,
    consecutiveFailures: health.consecutiveFailures + (isCounted ? 1 : 0),
    failedAttempts,
    window,
    notBefore: isProbed ? now + probePause(failedAttempts, policy) : health.notBefore,
    lastFailureAt: now,
    lastError: error,
  };
}

/** 1 s, 2 s, 4 s … up to the first wait of the policy. */
function probePause(failedAttempts: number, policy: RetryPolicy): number {
  return Math.min(PROBE_BASE_MS * 2 ** (failedAttempts - STREAK), policy.waitsMs[0] ?? PROBE_LIMIT_MS);
}

function reasonToDisable(
  after: Health,
  attempt: FinishedAttempt,
  isCounted: boolean,
  policy: RetryPolicy,
): string | null {
  if (attempt.answer.directive === "disable") {
    return "The receiver asked for it: it answered with the header webhook-delivery: disable.";
  }
  if (attempt.status === 410) return "The receiver answered 410: the address is gone.";
  if (!isCounted || after.consecutiveFailures < policy.disableAfter) return null;
  const what = policy.counts === "attempt" ? "attempts" : "deliveries";
  return `${after.consecutiveFailures} ${what} in a row failed. The last error: ${describe(attempt)}`;
}

/** The consecutive failures from which on somebody should look at an endpoint. */
export function firstWarningAt(disableAfter: number): number {
  return Math.min(...WARN_AT.map((part) => Math.ceil(disableAfter * part)));
}

function isWarned(consecutiveFailures: number, policy: RetryPolicy): boolean {
  return WARN_AT.some((part) => consecutiveFailures === Math.ceil(policy.disableAfter * part));
}

function describe({ error, status, outcome }: FinishedAttempt): string {
  return error ?? (status === null ? `The attempt failed: ${outcome}.` : `The receiver answered ${status}.`);
}
