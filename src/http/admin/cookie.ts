/**
 * The session's cookie. Over TLS it is `__Host-rostrum`: browsers take that name only with `Secure` and for this very host,
 * so no neighbouring subdomain can plant one. Without TLS, as on a developer's own machine, it is `rostrum` without
 * `Secure`: not every client counts http://127.0.0.1 as secure. Each is read only where it would be set.
 */
import type { IncomingMessage } from "node:http";
import { SESSION_MOST_MS } from "../../domain/session.ts";

/** What a browser is told to keep. How long it is really good is decided here, at each request. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return cookie(token, SESSION_MOST_MS / 1_000, isSecure);
}

export function clearedCookie(isSecure: boolean): string {
  return cookie("", 0, isSecure);
}

/** The session's token, if there is one. */
export function readCookie(req: IncomingMessage, isSecure: boolean): string | undefined {
  const name = nameOf(isSecure);
  for (const part of (req.headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

function cookie(value: string, seconds: number, isSecure: boolean): string {
  return `${nameOf(isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

function nameOf(isSecure: boolean): string {
  return isSecure ? "__Host-rostrum" : "rostrum";
}
