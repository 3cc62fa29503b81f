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

/** The codes of OpenSSL (X509_V_ERR_…) for a certificate whose issuer is not trusted. */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_UNTRUSTED|INVALID_CA|CERT_SIGNATURE_FAILURE)$/;

/** @returns what is wrong with TLS; null if the error is another one. */
function explainTls(error: Error): string | null {
  const code = getErrorCode(error) ?? "";
  const [message = ""] = error.message.split(";", 1);
  // A socket that is missing has no path of a file that was opened.
  if ("syscall" in error && error.syscall === "open") {
    return `A file that DATABASE_URL names cannot be read (${message}): correct sslrootcert, sslcert or sslkey, or the file's permissions.`;
  }
  if (message.includes("does not support SSL")) {
    return "PostgreSQL's server has no TLS: set ssl = on there, or on a network that you trust change sslmode in DATABASE_URL.";
  }
  if (UNTRUSTED.test(code)) {
    return `PostgreSQL's certificate is signed by no authority that DATABASE_URL trusts (${message}): name the authority's file with sslrootcert=FILE.`;
  }
  switch (code) {
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `PostgreSQL's certificate is for another name (${message}): write that name in DATABASE_URL, or give the server a certificate for the one that is there.`;
    case "CERT_HAS_EXPIRED":
      return "PostgreSQL's certificate has expired: renew it on the server.";
    case "CERT_NOT_YET_VALID":
      return "PostgreSQL's certificate is not valid yet: compare the clocks of this machine and the server.";
  }
  const isTls = /^(?:ERR_(?:SSL|TLS|OSSL)_|CERT_|EPROTO$)/.test(code) || message.includes("establishing an SSL");
  return isTls ? `TLS to PostgreSQL fails (${message}): check its certificate, and sslmode in DATABASE_URL.` : null;
}

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
  if (error instanceof Error && explainTls(error) !== null) return true;
  return code === "" && error instanceof Error && DRIVER.test(error.message);
}

/** Whether PostgreSQL itself has refused a statement: a pooler's errors name no routine of the server. */
export function isFromServer(error: unknown): boolean {
  return error instanceof Error && "routine" in error && error.routine !== undefined;
}

function refusesUser({ message }: Error): string {
  return `PostgreSQL refuses the user of DATABASE_URL (${message}): check its name and password.`;
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
  const tls = explainTls(error);
  if (tls !== null) return unavailable(tls);
  if (code === "53300") {
    return unavailable(
      `PostgreSQL has no connection left (${error.message}): raise max_connections or the limit of the role or database, or lower ` +
        "ROSTRUM_DATABASE_POOL.",
    );
  }
  if (isConnectionLost(error)) {
    return unavailable(
      `PostgreSQL cannot be reached (${error.message || code}): check that it runs, and DATABASE_URL.`,
    );
  }
  switch (code) {
    case "28000":
      if (error.message.includes("no encryption")) {
        return unavailable(
          `PostgreSQL refuses this connection without TLS (${error.message}): add sslmode=verify-full to DATABASE_URL, or allow it in the server's pg_hba.conf.`,
        );
      }
      return unavailable(refusesUser(error));
    case "28P01":
      return unavailable(refusesUser(error));
    case "3D000":
      return unavailable(`PostgreSQL has no such database (${error.message}): create it, or change DATABASE_URL.`);
    case "3F000":
      return unavailable(
        `The user of DATABASE_URL may use no schema of its search_path (${error.message}): make it the owner of one, such as public.`,
      );
    case "42501":
      return unavailable(
        `The user of DATABASE_URL lacks a permission (${error.message}): make it the owner of the database or its schema.`,
      );
    case "53100":
      return unavailable(
        `PostgreSQL's disk is full (${error.message}): free some space and try again. Nothing was lost.`,
      );
    case "53200":
      return unavailable(
        `PostgreSQL has no memory left (${error.message}): give its machine more, or lower its settings, and try again. Nothing was lost.`,
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
