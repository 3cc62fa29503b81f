/** A customer's webhook address, with its settings and its health. */
import type { Millis } from "../articles/article.ts";
import type { EventKind } from "./event.ts";

/**
 * `enabled` receives events. `paused` was set by a person, `disabled` by ten consecutive failures, by 410 or by the
 * receiver's `webhook-delivery: disable`; both park events until the endpoint is enabled again.
 */
const ENDPOINT_STATES = ["enabled", "paused", "disabled"] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export interface Endpoint extends Health {
  id: string;
  websiteId: string;
  url: string;
  /** The event kinds that it receives; never empty. */
  events: readonly EventKind[];
  /** Sends ids and `api_url` only. */
  thin: boolean;
  /** Only the newest event of an article within this many milliseconds is sent; 0 sends every event. */
  coalesceMs: number;
  createdAt: Millis;
}

export interface Health {
  state: EndpointState;
  /** Why it is disabled, in a sentence. */
  disabledReason: string | null;
  disabledAt: Millis | null;
  /** Deliveries in a row that ended exhausted. */
  consecutiveFailures: number;
  /** Failed attempts in a row. */
  failedAttempts: number;
  /** Maximum number of concurrent attempts. */
  window: number;
  /** No attempt before this time: a failing endpoint is probed with pauses. */
  notBefore: Millis;
  lastSuccessAt: Millis | null;
  lastFailureAt: Millis | null;
  /** Error of the last failed attempt. */
  lastError: string | null;
}

/** The health of a new endpoint, or of one that was enabled again. */
export const GOOD_HEALTH: Health = {
  state: "enabled",
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
