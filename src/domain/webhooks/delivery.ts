/**
 * The states of a delivery, which is one event for one endpoint:
 *
 *     pending ──2xx──▶ delivered
 *       │ ▲
 *       │ └─ a failed attempt with a wait left; its retry is due after the wait
 *       ├── the last wait is used up, 410, `webhook-delivery: disable | abort-message` ──▶ exhausted
 *       ├── the endpoint is paused or disabled ──▶ parked
 *       └── a newer event of the article replaces it (thin and coalescing endpoints only) ──▶ coalesced
 *
 * `decide` computes what one finished attempt does to its delivery and to the endpoint's health. A healthy endpoint
 * gets up to eight concurrent attempts. Each failure halves that number, and after five in a row it gets one attempt at
 * a time with growing pauses. A 2xx after any failure makes all of the endpoint's waiting retries due at once.
 *
 * An attempt that was brought forward in this way and fails is not counted: the delivery returns to its plan, so that a
 * flapping receiver cannot use up its retries early. Each wait can be cut short once; again only after five failures in
 * a row, because then the endpoint was down and the message was not the cause. Ten deliveries in a row that ended
 * exhausted disable the endpoint.
 */
import type { ReceiverResponse, Outcome } from "./attempt.ts";
import type { Millis } from "../system/time.ts";
import { type Health, isEnabled } from "./endpoint.ts";
import type { EventKind } from "./event.ts";

/**
 * `pending`: waiting or in progress. `delivered`: a 2xx arrived. `exhausted`: every attempt failed. `parked`: kept
 * while its endpoint is paused or disabled. `coalesced`: a newer event of the article was sent instead. `skipped`: a
 * person chose not to send it.
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
  disableAfter: number;
  /** What counts as a consecutive failure: a delivery that ended exhausted, or each failed attempt. */
  counts: "delivery" | "attempt";
}

export interface DeliveryDecision {
  delivery: { state: "delivered" } | { state: "exhausted" } | NextAttempt;
  health: Health;
  /** Whether the endpoint's waiting retries become due at once. */
  expediteRetries: boolean;
  /** Whether expedited retries return to their planned times, and may be expedited again. */
  restoreBackoff: boolean;
  /** The number of consecutive failures to warn about now; null for no warning. */
  warning: number | null;
}

export interface NextAttempt {
  state: "pending";
  tries: number;
  dueAt: Millis;
  /** Whether a 2xx from the endpoint makes it due at once. */
  canExpedite: boolean;
  /** The receiver asked for no attempt before this time; null if it did not. */
  notBefore: Millis | null;
}

export interface FinishedAttempt {
  /** 1 is the first. Attempts that do not count have no number of their own. */
  number: number;
  /** When this attempt was planned, if it is a retry; later than now if it was expedited. */
  plannedAt: Millis | null;
  /** When the first attempt failed of this delivery, or of earlier ones that it replaced; null: none has failed. */
  failingSince: Millis | null;
  origin: DeliveryOrigin;
  outcome: Outcome;
  status: number | null;
  error: string | null;
  answer: ReceiverResponse;
}

/**
 * Attempts at once, then after 10 s, 2 min and 24 min: a restart, a deployment, an incident. Deliveries are counted,
 * since ten failed attempts fit into one second of a restart, and ten exhausted deliveries do not.
 */
export const DEFAULT_POLICY: RetryPolicy = {
  waitsMs: [10_000, 120_000, 1_440_000],
  disableAfter: 10,
  counts: "delivery",
};

const LARGEST_WINDOW = 8;
/** Failed attempts in a row after which an endpoint is probed with pauses. */
export const STREAK = 5;
/** One probe of this many is for the oldest due retry, not for the delivery that was due first. */
export const RETRY_TURN = 3;
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
): DeliveryDecision {
  const delivery = decideNext(attempt, health, policy, now, random);
  if (attempt.origin === "test")
    return { delivery, health, expediteRetries: false, restoreBackoff: false, warning: null };

  const isCounted =
    attempt.origin === "event" &&
    attempt.outcome !== "success" &&
    (policy.counts === "attempt" || delivery.state === "exhausted" || hasReplacedExhausted(attempt, policy, now));
  const after =
    attempt.outcome === "success"
      ? recovered(health, now)
      : afterFailure(health, describe(attempt), isCounted, policy, now);
  const reason = isEnabled(health.state) ? reasonToDisable(after, attempt, isCounted, policy) : null;
  const staysEnabled = isEnabled(after.state) && reason === null;
  return {
    delivery,
    health: reason === null ? after : { ...after, state: "disabled", disabledReason: reason, disabledAt: now },
    expediteRetries: staysEnabled && attempt.outcome === "success" && health.failedAttempts > 0,
    restoreBackoff: staysEnabled && attempt.outcome !== "success" && after.failedAttempts === STREAK,
    warning:
      staysEnabled && isCounted && isWarned(after.consecutiveFailures, policy) ? after.consecutiveFailures : null,
  };
}

function decideNext(
  attempt: FinishedAttempt,
  { failedAttempts }: Health,
  { waitsMs }: RetryPolicy,
  now: Millis,
  random: () => number,
): DeliveryDecision["delivery"] {
  if (attempt.outcome === "success") return { state: "delivered" };
  if (attempt.status === 410 || attempt.answer.directive !== null) return { state: "exhausted" };
  const { plannedAt, answer } = attempt;
  const askedMs = answer.retryAfterMs === null ? null : Math.min(answer.retryAfterMs, RETRY_AFTER_LIMIT_MS);
  const notBefore = askedMs === null ? null : now + askedMs;
  if (plannedAt !== null && plannedAt > now) {
    // The planned time may be near: one failure must not follow another within moments.
    const dueAt = Math.max(plannedAt, now + (waitsMs[0] ?? 0), notBefore ?? 0);
    return {
      state: "pending",
      tries: attempt.number - 1,
      dueAt,
      canExpedite: failedAttempts + 1 >= STREAK,
      notBefore,
    };
  }
  const wait = waitsMs[attempt.number - 1];
  if (wait === undefined) return { state: "exhausted" };
  const planned = wait * (0.8 + 0.4 * random());
  const dueAt = now + Math.round(Math.max(planned, askedMs ?? 0));
  return { state: "pending", tries: attempt.number, dueAt, canExpedite: true, notBefore };
}

/**
 * Whether this first attempt fails for an article whose earlier deliveries failed for as long as all retries take. They
 * would have ended exhausted, had newer events not replaced them: their endpoint is to be disabled, too.
 */
function hasReplacedExhausted({ number, failingSince }: FinishedAttempt, policy: RetryPolicy, now: Millis): boolean {
  const planMs = policy.waitsMs.reduce((sum, wait) => sum + wait, 0);
  return number === 1 && failingSince !== null && now - failingSince >= planMs;
}

/** @returns the same object if nothing changes, as for most deliveries of a batch: copying it takes 1 µs. */
function recovered(health: Health, now: Millis): Health {
  const { consecutiveFailures, failedAttempts, window, notBefore, lastSuccessAt } = health;
  const isHealthy = consecutiveFailures === 0 && failedAttempts === 0 && window === LARGEST_WINDOW && notBefore === 0;
  if (isHealthy && lastSuccessAt === now) return health;
  return {
    ...health,
    consecutiveFailures: 0,
    failedAttempts: 0,
    window: Math.min(window + 1, LARGEST_WINDOW),
    notBefore: 0,
    lastSuccessAt: now,
  };
}

function afterFailure(health: Health, error: string, isCounted: boolean, policy: RetryPolicy, now: Millis): Health {
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

/**
 * Whether the next probe of a failing endpoint is for its oldest retry that is due, not for what was due first.
 *
 * If what was due first always went first, new events would take most of the probes, few deliveries would come to their
 * last attempt, and a dead endpoint would stay enabled for the longer the busier it is. If the retries always went
 * first, it would be disabled after half an hour. By turns it is disabled within an hour, and an outage of half an hour
 * disables nobody.
 */
export function isRetrysTurn({ failedAttempts }: Pick<Health, "failedAttempts">): boolean {
  return failedAttempts >= STREAK && failedAttempts % RETRY_TURN === 0;
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
