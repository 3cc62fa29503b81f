/** One POST of a delivery and its outcome: a value, never an exception. */
import type { Millis } from "../system/time.ts";

/** `success` is a 2xx status in time; every other outcome is a failure. */
export const OUTCOMES = [
  "success",
  /** 3xx: redirects are never followed. */
  "redirect",
  "client_error",
  "server_error",
  /** The host name has no address. */
  "dns",
  /** No connection: refused, or no route. */
  "refused",
  /** The connection broke before the response. */
  "reset",
  "tls",
  /** No response within the deadline. */
  "timeout",
  /** The address must not be called. */
  "blocked",
  /** The response is not HTTP, or is too large. */
  "protocol",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Milliseconds from the attempt's start; null: the phase was not reached, or a connection was reused. */
export interface Timings {
  dns: number | null;
  connect: number | null;
  firstByte: number | null;
  total: number;
}

export interface PostResult {
  outcome: Outcome;
  /** HTTP status; null if none arrived. */
  status: number | null;
  /** What went wrong, in one sentence; null on success. */
  error: string | null;
  /** Names in lower case, in order of arrival. */
  responseHeaders: [name: string, value: string][];
  /** The first bytes of the body, at most 64 KiB; empty if there was none or the connection broke at once. */
  responseBody: Buffer;
  timings: Timings;
}

/** What the receiver says besides its status. */
export interface ReceiverResponse {
  /** `Retry-After` on 429 and 503, in milliseconds from now. */
  retryAfterMs: number | null;
  /** The header `webhook-delivery`: `disable` the endpoint, or `abort` this message. */
  directive: "disable" | "abort" | null;
  /** Where the article is published, from the JSON body of a 2xx. */
  receipt: Receipt | null;
}

export interface Receipt {
  platformUrl: string | null;
  platformPostId: string | null;
}

export interface Attempt {
  /** 1 is the first. */
  number: number;
  startedAt: Millis;
  outcome: Outcome;
  status: number | null;
  error: string | null;
  /** With the values of the endpoint's own headers hidden. */
  requestHeaders: Record<string, string>;
  responseHeaders: [name: string, value: string][];
  /** The first 8 KiB, as UTF-8. */
  responseBody: string;
  timings: Timings;
}
