import type { Millis } from "../system/time.ts";
import type { EventKind } from "./event.ts";

/**
 * What becomes of an endpoint's events:
 *
 * - `sending`: they are sent.
 * - `catching_up`: it was enabled again. New events are parked behind the missed ones until all of those are queued.
 * - `paused`: a person has paused it. Events are parked until it is enabled again.
 * - `disabled`: the same after ten consecutive failures, 410 or the receiver's `webhook-delivery: disable`.
 */
export type EndpointState = "sending" | "catching_up" | "paused" | "disabled";

export interface ShownState {
  state: "enabled" | "paused" | "disabled";
  /** Whether an enabled endpoint is catching up; meaningless for others. */
  isReplaying: boolean;
}

const STATES: Record<EndpointState, ShownState & { isParking: boolean }> = {
  sending: { state: "enabled", isReplaying: false, isParking: false },
  catching_up: { state: "enabled", isReplaying: true, isParking: true },
  paused: { state: "paused", isReplaying: false, isParking: true },
  disabled: { state: "disabled", isReplaying: false, isParking: true },
};

export function endpointState({ state, isReplaying }: ShownState): EndpointState {
  if (state !== "enabled") return state;
  return isReplaying ? "catching_up" : "sending";
}

export function shownState(state: EndpointState): ShownState {
  return STATES[state];
}

export function isEnabled(state: EndpointState): boolean {
  return STATES[state].state === "enabled";
}

export function isParking(state: EndpointState): boolean {
  return STATES[state].isParking;
}

/** `full`: what the specification names; `thin`: ids and `api_url`; `extended`: also the list's and earlier fields. */
export const PAYLOAD_FORMS = ["full", "thin", "extended"] as const;
export type PayloadForm = (typeof PAYLOAD_FORMS)[number];

export interface Endpoint extends Health {
  id: string;
  websiteId: string;
  /** Shown to people only; may be empty. */
  name: string;
  description: string;
  url: string;
  /** The event kinds that it receives; never empty. */
  events: readonly EventKind[];
  payload: PayloadForm;
  /** Only the newest event of an article within this many milliseconds is sent; 0 sends every event. */
  coalesceMs: number;
  createdAt: Millis;
}

/** Whether a newer event of an article replaces one that waits for its retry: it says all that the earlier one did. */
export function isReplacing({ payload, coalesceMs }: Pick<Endpoint, "payload" | "coalesceMs">): boolean {
  return payload === "thin" || coalesceMs > 0;
}

export interface Health {
  state: EndpointState;
  /** Why it is disabled, in a sentence. */
  disabledReason: string | null;
  disabledAt: Millis | null;
  /** Deliveries in a row that ended exhausted. */
  consecutiveFailures: number;
  failedAttempts: number;
  /** Maximum number of concurrent attempts. */
  window: number;
  /** No attempt before this time: a failing endpoint is probed with pauses. */
  notBefore: Millis;
  lastSuccessAt: Millis | null;
  lastFailureAt: Millis | null;
  lastError: string | null;
}

/** The health of a new endpoint, or of one that was enabled again. */
export const GOOD_HEALTH: Health = {
  state: "sending",
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  failedAttempts: 0,
  window: 1,
  notBefore: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
};
