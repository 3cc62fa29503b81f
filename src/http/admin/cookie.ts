/**
 * The session cookie. Over TLS it is `__Host-rostrum`: browsers accept that name only with `Secure` and for this very
 * host, so that no subdomain beside it can plant one. Without TLS, as in development, it is `rostrum`, since not every
 * client treats http://127.0.0.1 as secure. Each name is read only where it would be set.
 */
import type { FastifyReply } from "fastify";
import type { IncomingMessage } from "node:http";
import type { StartedSession } from "../../operations/people/sessions.ts";
import { createHash } from "node:crypto";
import { MAX_SESSION_AGE_MS } from "../../domain/people/account.ts";
import { DEVICE_IDLE_MS } from "../../operations/people/devices.ts";

/** `Max-Age` only limits how long the browser keeps the cookie; the service checks the session at each request. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return cookie(getCookieName(isSecure), token, MAX_SESSION_AGE_MS / 1_000, isSecure);
}

export function clearedCookie(isSecure: boolean): string {
  return cookie(getCookieName(isSecure), "", 0, isSecure);
}

/** Sets both cookies of a sign-in: those of the session and of the device. */
export function setCookies(
  reply: FastifyReply,
  { token, device }: Pick<StartedSession, "token" | "device">,
  email: string,
  isSecure: boolean,
): void {
  void reply.header("Set-Cookie", sessionCookie(token, isSecure));
  if (device !== null) void reply.header("Set-Cookie", deviceCookie(email, device, isSecure));
}

/** Identifies a known device. Its name depends on the e-mail address, as several people may share a browser. */
function deviceCookie(email: string, token: string, isSecure: boolean): string {
  return cookie(deviceName(email, isSecure), token, DEVICE_IDLE_MS / 1_000, isSecure);
}

export function readDeviceCookie(req: IncomingMessage, email: string, isSecure: boolean): string | undefined {
  return read(req, deviceName(email, isSecure));
}

export function readCookie(req: IncomingMessage, isSecure: boolean): string | undefined {
  return read(req, getCookieName(isSecure));
}

function read(req: IncomingMessage, name: string): string | undefined {
  for (const part of (req.headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

function cookie(name: string, value: string, seconds: number, isSecure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

function getCookieName(isSecure: boolean): string {
  return isSecure ? "__Host-rostrum" : "rostrum";
}

function deviceName(email: string, isSecure: boolean): string {
  return `${getCookieName(isSecure)}-device-${createHash("sha256").update(email).digest("hex").slice(0, 12)}`;
}
