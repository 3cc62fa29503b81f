/** A person who may sign in. */
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
  /**
   * Memberships in this scope count without a link of their own: everybody who may know the password could grant them.
   */
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
