/** A signed-in browser. */
import type { Millis } from "./article.ts";

export interface Session {
  id: string;
  accountId: string;
  /** SHA-256 of the cookie's token, hexadecimal. */
  tokenHash: string;
  createdAt: Millis;
  lastSeenAt: Millis;
  /** Where it was signed in from. */
  address: string;
  userAgent: string;
}

const DAY_MS = 86_400_000;
/** Unused for so long it is over. */
export const SESSION_IDLE_MS = 14 * DAY_MS;
/** And so long after it began, whatever its use. */
export const SESSION_MOST_MS = 90 * DAY_MS;
/** So often at most it is written down that a session is in use. */
export const SEEN_EVERY_MS = 5 * 60_000;

export function isLive(session: Pick<Session, "createdAt" | "lastSeenAt">, now: Millis): boolean {
  return now < session.lastSeenAt + SESSION_IDLE_MS && now < session.createdAt + SESSION_MOST_MS;
}
