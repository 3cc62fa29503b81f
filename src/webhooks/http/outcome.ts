/** Maps a status or an error to an outcome and the sentence that the customer reads. */
import type { Outcome } from "../../domain/webhooks/attempt.ts";
import { codeOrName, ConnectError } from "./connector.ts";
import { UnreadableResponse } from "./response-parser.ts";

export interface AttemptOutcome {
  outcome: Outcome;
  /** Null on success. */
  error: string | null;
}

/** @param status a final status, 200 to 999. Above 599 it counts as 5xx (RFC 9110, section 15). */
export function outcomeFromStatus(status: number): AttemptOutcome {
  if (status < 300) return { outcome: "success", error: null };
  if (status < 400) {
    const error = `The receiver answered ${status}, a redirect. Redirects are not followed: enter the final URL.`;
    return { outcome: "redirect", error };
  }
  const outcome = status < 500 ? "client_error" : "server_error";
  return { outcome, error: `The receiver answered ${status}.` };
}

/** For errors before the response headers were complete. */
export function outcomeFromError(error: Error): AttemptOutcome {
  if (error instanceof ConnectError) return { outcome: error.outcome, error: error.message };
  if (error instanceof UnreadableResponse) return { outcome: "protocol", error: error.message };
  const code = codeOrName(error);
  if (isConnectionReset(error)) {
    return { outcome: "reset", error: `The connection broke before the answer (${code}).` };
  }
  // With TLS 1.3 a receiver that requires a client certificate says so only after the handshake.
  if (/^ERR_SSL_|^ERR_TLS_|^EPROTO$/.test(code)) {
    return { outcome: "tls", error: `TLS failed (${code}): ${error.message}` };
  }
  return { outcome: "protocol", error: `The connection failed (${code}): ${error.message}` };
}

/** Whether the connection ended during the request; false if an unreadable response arrived. */
export function isConnectionReset(error: Error): boolean {
  return error instanceof ConnectError ? error.outcome === "reset" : BREAKS.has(codeOrName(error));
}

const BREAKS: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
]);
