/**
 * Refusals: what a caller asked for cannot be done, and the sentence tells the caller what to do instead. Anything
 * thrown that is not an `AppError` is a bug.
 */
const ERROR_CODES = [
  /** The input is malformed; `field` names the part that is. */
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  /** The state of the thing forbids the operation. */
  "conflict",
  /** Working it out would take more time or memory than one request gets. */
  "too_expensive",
  /** Too much is waiting already; the same request may be sent again in a moment. */
  "busy",
  /** Too often; later it will do. */
  "too_many",
  /** The database cannot be used now: locked, damaged, full, newer than this program. */
  "unavailable",
  /** Something else of the service cannot be used at this moment: the sentence says what, to whoever asked. */
  "service_unavailable",
  /** A setting is wrong. */
  "misconfigured",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export class AppError extends Error {
  readonly code: ErrorCode;
  /** Name of the parameter or field at fault, as the caller wrote it. */
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.field = options.field;
  }
}

/** Forbidden until the caller proves who they are: the role allows it. */
export class ProofNeeded extends AppError {
  constructor(message: string, options: { field?: string } = {}) {
    super("forbidden", message, options);
    this.name = "ProofNeeded";
  }
}

/** Whether nothing is wrong with what was asked, and the same may be asked again when the service or its database is back. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && (error.code === "unavailable" || error.code === "service_unavailable");
}

/** Whether the same may be asked again in a moment. */
export function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.code === "busy";
}
