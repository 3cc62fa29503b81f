/** One POST of a delivery, and how it ended: a value, never an exception. */
import type { Millis } from "../articles/article.ts";

/** `success` is a 2xx status in time; every other is a failure. */
export const OUTCOMES = [
  "success",
  /** 3xx: never followed. */
  "redirect",
  "client_error",
  "server_error",
  /** The name has no address. */
  "dns",
  /** No connection: refused, or no route. */
  "refused",
  /** The connection broke before the answer. */
  "reset",
  "tls",
  /** No answer within the deadline. */
  "timeout",
  /** An address that must not be called. */
  "blocked",
  /** What came back is not HTTP, or too much of it. */
  "protocol",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Milliseconds from the start of the attempt until each was done; null: not reached, or a connection was reused. */
export interface Timings {
  dns: number | null;
  connect: number | null;
  firstByte: number | null;
  total: number;
}

/** How one POST ended. */
export interface PostResult {
  outcome: Outcome;
  /** HTTP status, when one arrived. */
  status: number | null;
  /** What went wrong, in a sentence; null on success. */
  error: string | null;
  /** Names in lower case, in order of arrival. */
  responseHeaders: [name: string, value: string][];
  /** The first bytes of the body, at most 64 KiB; empty when there was none or it broke off at once. */
  responseBody: Buffer;
  timings: Timings;
}

/** What the receiver says beside its status. */
export interface Answer {
  /** `Retry-After` on 429 and 503, in milliseconds from now. */
  retryAfterMs: number | null;
  /** The header `webhook-delivery`: `disable` the endpoint, or `abort` this message. */
  directive: "disable" | "abort" | null;
  /** Where the article stands now, from a 2xx JSON body. */
  receipt: Receipt | null;
}

export interface Receipt {
  platformUrl: string | null;
  platformPostId: string | null;
}

/** An attempt as it is kept. */
export interface Attempt {
  /** 1 is the first. */
  number: number;
  startedAt: Millis;
  outcome: Outcome;
  status: number | null;
  error: string | null;
  /** The values of the endpoint's own headers are hidden. */
  requestHeaders: Record<string, string>;
  responseHeaders: [name: string, value: string][];
  /** The first 8 KiB, as UTF-8. */
  responseBody: string;
  timings: Timings;
}
