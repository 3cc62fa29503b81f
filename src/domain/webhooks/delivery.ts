/**
 * The states of a delivery, which is one event for one endpoint:
 *
 *     pending ──2xx──▶ delivered
 *       │ ▲
 *       │ └─ a failed attempt with a wait left; its retry is due after the wait
 *       ├── the last wait is used up, 410, `webhook-delivery: disable | abort-message` ──▶ exhausted
 *       └── the endpoint is paused or disabled ──▶ parked
 *
 * `decide` computes what one finished attempt does to its delivery and to the endpoint's health. A healthy endpoint
 * gets up to eight concurrent attempts. Each failure halves that number, and after five in a row it gets one attempt at
 * a time with growing pauses, until a 2xx, which makes all of its waiting retries due. If five fail in a row again, the
 * remaining retries return to their planned times, so that a flapping receiver does not use them up within minutes. Ten
 * deliveries in a row that ended exhausted disable the endpoint.
 */
import type { Answer, Outcome } from "./attempt.ts";
import type { Millis } from "../articles/article.ts";
import { type Health, isEnabled } from "./endpoint.ts";
import type { EventKind } from "./event.ts";

/**
 * `pending`: waiting or in progress. `delivered`: a 2xx arrived. `exhausted`: every attempt failed. `parked`: kept
 * while its endpoint is paused or disabled. `coalesced`: a newer event of the same article was sent instead. `skipped`:
 * a person chose not to send it.
 */
export const DELIVERY_STATES = ["pending", "delivered", "exhausted", "parked", "coalesced", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why it is sent: `event` because something happened, the others because a person asked for it. */
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
  /** When the next attempt is due; null if none is planned, or while an earlier event of the article is in progress. */
  nextAttemptAt: Millis | null;
}

export interface RetryPolicy {
  /** Milliseconds to wait after the first, second, … failed attempt. There are as many retries as waits. */
  waitsMs: readonly number[];
  /** Consecutive failures that disable an endpoint. */
  disableAfter: number;
  /** What counts as a consecutive failure: a delivery that ended exhausted, or each failed attempt. */
  counts: "delivery" | "attempt";
}

export interface Decision {
  /** The delivery's new state; `dueAt` is the time of its next attempt. */
  delivery: { state: "delivered" } | { state: "exhausted" } | { state: "pending"; dueAt: Millis };
  health: Health;
  /** Whether the endpoint's waiting retries become due at once. */
  expediteRetries: boolean;
  /** Whether waiting retries that were expedited return to their planned times. */
  restoreBackoff: boolean;
  /** The number of consecutive failures to warn about now; null for no warning. */
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
 * Attempts at once, then after 10 s, 2 min and 24 min, to outlast a restart, a deployment and an incident. Deliveries
 * are counted, since ten failed attempts fit into one second of a restart during a bulk publication, and ten exhausted
 * deliveries do not.
 */
export const DEFAULT_POLICY: RetryPolicy = {
  waitsMs: [10_000, 120_000, 1_440_000],
  disableAfter: 10,
  counts: "delivery",
};

const LARGEST_WINDOW = 8;
/** Failed attempts in a row after which an endpoint is probed with pauses. */
export const STREAK = 5;
const PROBE_BASE_MS = 1_000;
/** Maximum pause between probes if the policy has no wait to take it from. */
const PROBE_LIMIT_MS = 10_000;
/** Maximum delay that `Retry-After` can request. */
const RETRY_AFTER_LIMIT_MS = 3_600_000;
/** The fractions of `disableAfter` at which a warning is given: the third and the fifth failure of ten. */
const WARN_AT = [0.3, 0.5];

/**
 * Computes what a finished attempt does to its delivery and to its endpoint.
 *
 * A paused or disabled endpoint stays so, whatever the outcome. If the endpoint becomes disabled here (`health.state`
 * differs from the input), the caller parks its pending deliveries, including this one. A test does not affect the
 * health. A failed replay or redelivery narrows the window, but does not count towards disabling; only 410 or `disable`
 * from the receiver disables the endpoint at once. A message that the receiver aborts without a 2xx counts as failed: a
 * receiver that aborts ten in a row wants none.
 *
 * @param health the current health before this attempt counts: other attempts may have ended since it began.
 * @param now when the attempt ended; waits begin here.
 * @param random uniform in [0, 1).
 */
export function decide(
  health: Health,
  attempt: FinishedAttempt,
  policy: RetryPolicy,
  now: Millis,
  random: () => number,
): Decision {
  const delivery = decideNext(attempt, policy, now, random);
  if (attempt.origin === "test")
    return { delivery, health, expediteRetries: false, restoreBackoff: false, warning: null };

  const isCounted =
    attempt.origin === "event" &&
    (policy.counts === "attempt" ? attempt.outcome !== "success" : delivery.state === "exhausted");
  const after =
    attempt.outcome === "success"
      ? recovered(health, now)
      : worsened(health, describe(attempt), isCounted, policy, now);
  const reason = isEnabled(health.state) ? reasonToDisable(after, attempt, isCounted, policy) : null;
  const staysEnabled = isEnabled(after.state) && reason === null;
  return {
    delivery,
    health: reason === null ? after : { ...after, state: "disabled", disabledReason: reason, disabledAt: now },
    expediteRetries: staysEnabled && attempt.outcome === "success" && health.failedAttempts >= STREAK,
    restoreBackoff: staysEnabled && attempt.outcome !== "success" && after.failedAttempts === STREAK,
    warning:
      staysEnabled && isCounted && isWarned(after.consecutiveFailures, policy) ? after.consecutiveFailures : null,
  };
}

function decideNext(
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

/** A pause of 1 s, 2 s, 4 s … up to the first wait of the policy. */
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

/** The number of consecutive failures from which an endpoint needs attention. */
export function firstWarningAt(disableAfter: number): number {
  return Math.min(...WARN_AT.map((part) => Math.ceil(disableAfter * part)));
}

function isWarned(consecutiveFailures: number, policy: RetryPolicy): boolean {
  return WARN_AT.some((part) => consecutiveFailures === Math.ceil(policy.disableAfter * part));
}

function describe({ error, status, outcome }: FinishedAttempt): string {
  return error ?? (status === null ? `The attempt failed: ${outcome}.` : `The receiver answered ${status}.`);
}
