/** Maps a status or an error to an outcome and the sentence that the customer reads. */
import type { Outcome } from "../../domain/webhooks/attempt.ts";
import { getErrorCode, ConnectError } from "./connector.ts";
import { MAX_HEADER_BYTES } from "./connection-pool.ts";

export interface Verdict {
  outcome: Outcome;
  /** Null on success. */
  error: string | null;
}

/** @param status a final status, 200 to 999. Above 599 it counts as 5xx (RFC 9110, section 15). */
export function outcomeFromStatus(status: number): Verdict {
  if (status < 300) return { outcome: "success", error: null };
  if (status < 400) {
    const error = `The receiver answered ${status}, a redirect. Redirects are not followed: enter the final URL.`;
    return { outcome: "redirect", error };
  }
  const outcome = status < 500 ? "client_error" : "server_error";
  return { outcome, error: `The receiver answered ${status}.` };
}

/** For errors before the response headers were complete. */
export function outcomeFromError(error: Error): Verdict {
  if (error instanceof ConnectError) return { outcome: error.outcome, error: error.message };
  const code = getErrorCode(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return { outcome: "protocol", error: `The response headers are larger than ${MAX_HEADER_BYTES / 1024} KiB.` };
  }
  if (isConnectionReset(error)) {
    return { outcome: "reset", error: `The connection broke before the answer (${code}).` };
  }
  // With TLS 1.3 a receiver that requires a client certificate says so only after the handshake.
  if (/^ERR_SSL_|^ERR_TLS_|^EPROTO$/.test(code)) {
    return { outcome: "tls", error: `TLS failed (${code}): ${error.message}` };
  }
  return { outcome: "protocol", error: `The response cannot be read (${code}): ${error.message}` };
}

/** Whether the connection ended during the request; false if an unreadable response arrived. */
export function isConnectionReset(error: Error): boolean {
  const code = getErrorCode(error);
  // undici uses one code for "other side closed" and for invalid responses: an unsolicited 100 or upgrade.
  if (code === "UND_ERR_SOCKET") return !/^bad (response|upgrade)/.test(error.message);
  return BREAKS.has(code);
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
