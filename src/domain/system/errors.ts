/** Errors whose message tells the caller what to do. Anything thrown that is not an `AppError` is a bug. */
const ERROR_CODES = [
  /** The input is malformed; `field` names the part at fault. */
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  /** The current state forbids the operation. */
  "conflict",
  /** The computation would take more time or memory than one request gets. */
  "too_expensive",
  /** Too much is waiting already; the same request may be retried in a moment. */
  "busy",
  /** Too many requests; the caller may retry later. */
  "too_many",
  /** The database cannot be used now: locked, damaged, full, or newer than this program. */
  "unavailable",
  /** Another part of the service cannot be used now; the message tells the caller which. */
  "service_unavailable",
  /** A setting is wrong. */
  "misconfigured",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export class AppError extends Error {
  readonly code: ErrorCode;
  /** Name of the parameter or field at fault, as the caller wrote it. */
  readonly field: string | undefined;
  /** Further fields of the answer, for programs. */
  readonly facts: { code: "integrity" } | undefined;

  constructor(code: ErrorCode, message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.field = options.field;
  }
}

/** Forbidden until the caller proves their identity; their role allows the action. */
export class ProofNeeded extends AppError {
  constructor(message: string, options: { field?: string } = {}) {
    super("forbidden", message, options);
    this.name = "ProofNeeded";
  }
}

/** Whether the request itself is fine, and may be retried when the service or its database is back. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && (error.code === "unavailable" || error.code === "service_unavailable");
}

/** The code of an error of Node.js, PostgreSQL or ours, such as `ENOENT`; undefined if it has none. */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
