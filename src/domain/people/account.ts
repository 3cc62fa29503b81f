import type { Millis } from "../system/time.ts";
import { AppError } from "../system/errors.ts";
import { singleLine } from "../system/foreign-text.ts";
import type { Grant, WebsiteScope } from "./permissions.ts";

export interface Account {
  id: string;
  /** As `parseEmail` writes it, so that nobody gets two accounts by spelling it differently. */
  email: string;
  name: string;
  /** PHC string (password.ts); null until an invited person sets one. */
  passwordHash: string | null;
  /** Memberships in this scope need no link of their own: everybody who may know the password could grant them. */
  trustedFor: WebsiteScope;
  createdAt: Millis;
  /** When the account was disabled; nobody can sign in to it since. */
  disabledAt: Millis | null;
  lastSignInAt: Millis | null;
}

export interface Membership extends Grant {
  id: string;
  accountId: string;
  createdAt: Millis;
  /** null until it is accepted; it grants nothing before. */
  acceptedAt: Millis | null;
}

export const ACCOUNT_STATES = ["invited", "active", "disabled"] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

const MAX_EMAIL = 254;
const MAX_NAME = 200;

export function getAccountState(account: Pick<Account, "passwordHash" | "disabledAt">): AccountState {
  if (account.disabledAt !== null) return "disabled";
  return account.passwordHash === null ? "invited" : "active";
}

/** The address in lower case, without surrounding spaces. @throws AppError `invalid`. */
export function parseEmail(text: string): string {
  const email = normaliseEmail(text);
  // No pattern can tell whether anybody reads mail at the address; this catches typing errors.
  if (email.length > MAX_EMAIL || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(email)) {
    throw new AppError("invalid", "That is not an e-mail address; write it like ada@example.com.", { field: "email" });
  }
  return email;
}

/** For lookups: never throws. */
export function normaliseEmail(text: string): string {
  return text.trim().normalize("NFC").toLowerCase();
}

/** @throws AppError `invalid`. */
export function parseName(text: string): string {
  const name = singleLine(text);
  if (name.length > MAX_NAME) {
    throw new AppError("invalid", `A name has at most ${MAX_NAME} characters.`, { field: "name" });
  }
  return name;
}

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
