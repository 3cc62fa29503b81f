/** A signed-in browser. */
import type { Millis } from "../system/time.ts";

export interface Session {
  id: string;
  accountId: string;
  /** SHA-256 of the cookie's token, hexadecimal. */
  tokenHash: string;
  createdAt: Millis;
  lastSeenAt: Millis;
  /** When the person last proved their identity: by signing in, or with the password. */
  confirmedAt: Millis;
  /** The client's address at sign-in. */
  address: string;
  userAgent: string;
  /** Whether a second factor was used at sign-in or added since: an authenticator or recovery code, or a passkey. */
  hasSecondFactor: boolean;
}

const DAY_MS = 86_400_000;
/** A session ends after this time without use. */
export const SESSION_IDLE_MS = 14 * DAY_MS;
/** A session ends this long after its start, whatever its use. */
export const MAX_SESSION_AGE_MS = 90 * DAY_MS;
/** How long after entering the password `assertConfirmed` accepts it. */
export const CONFIRMED_MS = 10 * 60_000;
/** Minimum time between two updates of `lastSeenAt`. */
export const SEEN_EVERY_MS = 5 * 60_000;

export function isLive(session: Pick<Session, "createdAt" | "lastSeenAt">, now: Millis): boolean {
  return now < session.lastSeenAt + SESSION_IDLE_MS && now < session.createdAt + MAX_SESSION_AGE_MS;
}
