/** The only mapping from errors to responses (docs/specification.md, section 7). */
import type { ErrorCode } from "../domain/system/errors.ts";
import { AppError } from "../domain/system/errors.ts";
import type { ReadErrorCode } from "./error-codes.ts";
import { isDiskFull } from "../store/system/outage.ts";

// Not imported: see server.ts.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

const STATUS_OF = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_many: 429,
  too_expensive: 422,
  busy: 429,
  unavailable: 503,
  service_unavailable: 503,
  misconfigured: 503,
} as const satisfies Record<ErrorCode, number>;

/** By then waiting work has had its turn, or another process has taken over from one that stops. */
const BUSY_FOR_S = 5;

/** An operator needs minutes to make room. */
const DISK_FULL_FOR_S = "60";
const DISK_FULL = "The service's disk is full; try again when its operator has made room.";

export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: Record<string, string>;
  /** Further fields of the body, in the dashboard's API. */
  facts?: object;
  /** The stable error code, sent by the read API as `X-Error-Code`. */
  code?: ReadErrorCode;
}

/** `error` is the reason phrase, `message` says what to do. All values are strings. */
export function refusal(
  status: number,
  message: string,
  extra: { param?: string; headers?: Record<string, string>; code?: ReadErrorCode } = {},
): ErrorReply {
  return {
    status,
    ...(extra.code === undefined ? {} : { code: extra.code }),
    headers: extra.headers ?? {},
    body: {
      error: STATUS_CODES[status] ?? "Error",
      message,
      ...(extra.param === undefined ? {} : { param: extra.param }),
    },
  };
}

export const NOTHING_HERE = refusal(404, "There is nothing here; the documentation is at /docs.");

/** Seconds after which to try again when the database is unreachable: another server takes over in about that time. */
const RETRY_AFTER_S = "1";

/**
 * A message is for the client; if the database is unusable, it is for the operator, in the log. The body of a 500 names
 * only the class of cause and the request, under whose id the log has the rest.
 */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  const isFull = isDiskFull(error);
  if (error instanceof AppError && error.code === "unavailable") {
    const message = isFull ? DISK_FULL : "The database cannot be used at the moment; try again in a second.";
    return refusal(STATUS_OF[error.code], message, {
      headers: { "Retry-After": isFull ? DISK_FULL_FOR_S : RETRY_AFTER_S },
      code: "database_unavailable",
    });
  }
  if (error instanceof AppError) {
    const isPassing = error.code === "busy" || error.code === "service_unavailable";
    const reply = refusal(STATUS_OF[error.code], error.message, {
      ...(error.field === undefined ? {} : { param: error.field }),
      ...(isPassing ? { headers: { "Retry-After": String(BUSY_FOR_S) }, code: error.code } : {}),
    });
    return error.facts === undefined ? reply : { ...reply, facts: error.facts };
  }
  // A file that could not be written: the store's own errors are "unavailable".
  if (isFull) {
    return refusal(STATUS_OF.service_unavailable, DISK_FULL, {
      headers: { "Retry-After": DISK_FULL_FOR_S },
      code: "service_unavailable",
    });
  }
  return {
    status: 500,
    headers: {},
    code: "internal_error",
    body: {
      error: "Internal Server Error",
      message: "The service failed; try again, and give the operator the request's id if it fails again.",
      details: `unexpected error; request ${requestId}`,
    },
  };
}
