/** A person who may sign in. */
import type { Millis } from "../articles/article.ts";
import { AppError } from "../system/errors.ts";
import type { Grant } from "./permissions.ts";
import type { WebsiteScope } from "./website-scope.ts";

export interface Account {
  id: string;
  /** As `parseEmail` writes it: nobody has two accounts by writing it differently. */
  email: string;
  name: string;
  /** PHC string (password.ts); null: invited, and has not set one yet. */
  passwordHash: string | null;
  /**
   * What a membership must be of to count without a link of its own: everybody who may know the password could grant it.
   */
  trustedFor: WebsiteScope;
  createdAt: Millis;
  /** From then on nobody signs in to it. */
  disabledAt: Millis | null;
  lastSignInAt: Millis | null;
}

export interface Membership extends Grant {
  id: string;
  accountId: string;
  createdAt: Millis;
  /** null: not yet, so it gives nothing. */
  acceptedAt: Millis | null;
}

export const ACCOUNT_STATES = ["invited", "active", "disabled"] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

const MAX_EMAIL = 254;
const MAX_NAME = 200;

export function stateOf(account: Pick<Account, "passwordHash" | "disabledAt">): AccountState {
  if (account.disabledAt !== null) return "disabled";
  return account.passwordHash === null ? "invited" : "active";
}

/** The address in lower case, without spaces around it. @throws AppError `invalid`. */
export function parseEmail(text: string): string {
  const email = normaliseEmail(text);
  // Whether anybody reads it, no pattern tells; this finds slips.
  if (email.length > MAX_EMAIL || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(email)) {
    throw new AppError("invalid", "That is not an e-mail address; write it like ada@example.com.", { field: "email" });
  }
  return email;
}

/** For looking up: never refuses. */
export function normaliseEmail(text: string): string {
  return text.trim().normalize("NFC").toLowerCase();
}

/** @throws AppError `invalid`. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length > MAX_NAME) {
    throw new AppError("invalid", `A name has at most ${MAX_NAME} characters.`, { field: "name" });
  }
  return name;
}
