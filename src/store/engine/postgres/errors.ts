/** Classifies errors of PostgreSQL and the network for retries, and explains them to operators. */
import { AppError, getErrorCode } from "../../../domain/system/errors.ts";
import { HOLDS_NUL, IS_TAKEN } from "../error-messages.ts";

/** Error codes: appendix A of PostgreSQL's documentation. */
const RETRIED = new Set(["40001", "40P01"]);
const TIMED_OUT = new Set(["55P03", "57014"]);
/** Codes of a server that shuts down, starts up, has no free connection, or ended an idle transaction. */
const AWAY = /^(?:08|57P|53300$|25006$|25P03$|25P04$)/;
const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
/** A prepared statement is unknown, or known already: another server connection has answered. */
const POOLER_CODES = new Set(["26000", "42P05"]);
/** The driver's own errors have no code. */
const DRIVER = /terminated|timeout|not queryable|Client was closed|ended unexpectedly|Cannot use a pool/i;

/** Whether another transaction was in the way, so that a retry may succeed. */
export function isRetryable(error: unknown): boolean {
  return RETRIED.has(getErrorCode(error) ?? "");
}

/** Whether waiting for a lock or an answer exceeded a limit. */
export function isTimedOut(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return TIMED_OUT.has(getErrorCode(cause) ?? "");
}

/** Whether an earlier statement of the transaction has failed, whose error tells the cause. */
export function isAborted(error: unknown): boolean {
  return getErrorCode(error) === "25P02";
}

/** Whether the connection is unusable, or could not be made. */
export function isConnectionLost(error: unknown): boolean {
  const code = getErrorCode(error) ?? "";
  if (AWAY.test(code) || NETWORK.has(code)) return true;
  return code === "" && error instanceof Error && DRIVER.test(error.message);
}

/** Whether PostgreSQL itself has refused a statement: a pooler's errors name no routine of the server. */
export function isFromServer(error: unknown): boolean {
  return error instanceof Error && "routine" in error && error.routine !== undefined;
}

/** Turns an error of PostgreSQL or the network into a message for the operator; returns other errors unchanged. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const unavailable = (sentence: string) => new AppError("unavailable", sentence, { cause: error });
  const code = getErrorCode(error) ?? "";
  if (code === "25006") {
    return unavailable("PostgreSQL is read-only, as a standby is: set DATABASE_URL to the server that accepts writes.");
  }
  if (POOLER_CODES.has(code) || error.message.includes("unsupported startup parameter")) {
    return unavailable(
      `DATABASE_URL leads to a pooler that keeps no session (${error.message}): set ROSTRUM_DATABASE_PGBOUNCER=1, or let it ` +
        `lead to PostgreSQL itself.`,
    );
  }
  if (isConnectionLost(error)) {
    return unavailable(
      `PostgreSQL cannot be reached (${error.message || code}): check that it runs, and DATABASE_URL.`,
    );
  }
  switch (code) {
    case "28P01":
    case "28000":
      return unavailable(
        `PostgreSQL refuses the user of DATABASE_URL (${error.message}): check its name and password.`,
      );
    case "3D000":
      return unavailable(`PostgreSQL has no such database (${error.message}): create it, or change DATABASE_URL.`);
    case "42501":
      return unavailable(
        `The user of DATABASE_URL lacks a permission (${error.message}): make it the owner of the database or its schema.`,
      );
    case "53100":
    case "53200":
      return unavailable(
        `PostgreSQL's disk is full (${error.message}): free some space and try again. Nothing was lost.`,
      );
    case "57014":
    case "55P03":
      return unavailable(`PostgreSQL took too long (${error.message}): find what keeps it busy, then try again.`);
    case "23505":
      return new AppError("conflict", IS_TAKEN, { cause: error });
    case "22021":
      return new AppError("invalid", HOLDS_NUL, { cause: error });
    default:
      return isRetryable(error) ? unavailable(`PostgreSQL is too busy with the same rows: try again.`) : error;
  }
}
