/** Credentials of machines that write articles of one website: like API keys, but `rm_`, and always with an expiry. */
import { DAY_MS, type Millis } from "../system/time.ts";
import { AppError } from "../system/errors.ts";
import { type Action, can, type Role } from "./permissions.ts";

export const TOKEN_PREFIX = "rm_";

export const TOKEN_SCOPES = ["read", "draft", "publish"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A token may do what a member of this role may; no token is an owner. */
export const ROLE_OF_SCOPE = {
  read: "viewer",
  draft: "editor",
  publish: "approver",
} as const satisfies Record<TokenScope, Role>;

export const TOKEN_LIFETIME_MS = 365 * DAY_MS;
/** How long before its expiry the website's owners are told. */
export const TOKEN_WARNING_MS = 14 * DAY_MS;

export interface AccessToken {
  id: string;
  websiteId: string;
  name: string;
  /** SHA-256 of the token, hexadecimal. */
  hash: string;
  /** The first characters, to tell tokens apart: `rm_` and four more. */
  prefix: string;
  lastFour: string;
  scope: TokenScope;
  createdAt: Millis;
  expiresAt: Millis;
  /** Accurate to five minutes. */
  lastUsedAt: Millis | null;
  revokedAt: Millis | null;
}

/** @throws AppError `forbidden` unless the token's scope allows the action. */
export function assertScope({ scope }: Pick<AccessToken, "scope">, action: Action): void {
  if (can(ROLE_OF_SCOPE[scope], action)) return;
  const needed = TOKEN_SCOPES.find((one) => can(ROLE_OF_SCOPE[one], action));
  throw new AppError(
    "forbidden",
    needed === undefined
      ? "No access token may do this: sign in to the dashboard."
      : `This requires an access token of the scope ${needed}; the scope of this one is ${scope}.`,
  );
}
