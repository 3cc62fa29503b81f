/** A customer's webhook address, with its wishes and its health. */
import type { Millis } from "../articles/article.ts";
import type { EventKind } from "./event.ts";

/**
 * `enabled` receives. `paused` was stopped by a person, `disabled` by ten consecutive failures, by 410 or by the
 * receiver's own word; both keep their events parked until they are enabled again.
 */
const ENDPOINT_STATES = ["enabled", "paused", "disabled"] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export interface Endpoint extends Health {
  id: string;
  websiteId: string;
  url: string;
  /** The kinds it wants; never empty. */
  events: readonly EventKind[];
  /** Ids and `api_url` only. */
  thin: boolean;
  /** Within so many milliseconds only the newest event of an article is sent; 0: every event. */
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
  /** Attempts in a row that failed. */
  failedAttempts: number;
  /** Attempts that may be under way at once. */
  window: number;
  /** No attempt before then: a dead endpoint is asked gently. */
  notBefore: Millis;
  lastSuccessAt: Millis | null;
  lastFailureAt: Millis | null;
  /** Error of the last failed attempt. */
  lastError: string | null;
}

/** What a new endpoint, or one that was enabled again, starts with. */
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
