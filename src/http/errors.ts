/** The one table from refusals to responses (specification, section 7; decisions.md). */
import type { ErrorCode } from "../domain/errors.ts";
import { AppError } from "../domain/errors.ts";

// Not imported: see server.ts.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

const STATUS_OF = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unavailable: 500,
  misconfigured: 503,
} as const satisfies Record<ErrorCode, number>;

export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: Record<string, string>;
}

/** `error` is the reason phrase, `message` says what to do. All values are strings. */
export function refusal(
  status: number,
  message: string,
  extra: { param?: string; headers?: Record<string, string> } = {},
): ErrorReply {
  return {
    status,
    headers: extra.headers ?? {},
    body: {
      error: STATUS_CODES[status] ?? "Error",
      message,
      ...(extra.param === undefined ? {} : { param: extra.param }),
    },
  };
}

/** The sentence of a refusal is for who asked. The body of a 500 names the class of cause and the request, nothing else; the log has the rest under that id. */
export function errorReply(error: unknown, requestId: string): ErrorReply {
  if (error instanceof AppError && error.code !== "unavailable") {
    return refusal(STATUS_OF[error.code], error.message, error.field === undefined ? {} : { param: error.field });
  }
  const cause = error instanceof AppError ? "database unavailable" : "unexpected error";
  return {
    status: 500,
    headers: {},
    body: { error: "Internal Server Error", details: `${cause}; request ${requestId}` },
  };
}
