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
  /** The database cannot be used now: locked, damaged, full, newer than this program. */
  "unavailable",
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
