/** Makes one-time links. Their token is in the URL's fragment, which browsers do not send: it appears in no log. */
import type { Account, Membership } from "../../domain/people/account.ts";
import type { Millis } from "../../domain/system/time.ts";
import { hashToken, type LinkPurpose, mintToken } from "../../domain/people/one-time-token.ts";
import type { WebsiteScope } from "../../domain/people/permissions.ts";
import { hasAccounts } from "../../store/people/accounts.ts";
import { deleteLinks, deleteLinksFor, insertLink, type OneTimeLink } from "../../store/people/one-time-links.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";

const HOUR_MS = 3_600_000;
const GOOD_FOR_MS = {
  "set-up": 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
} as const satisfies Record<LinkPurpose, number>;

/** For the link that a person requests who has forgotten the password. An operator's lasts longer. */
export const REQUESTED_RESET_MS = HOUR_MS;

type LinkDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes">;

export function welcomeUrl(base: string, token: string): string {
  return `${base}/dashboard/welcome#${token}`;
}

/** For links made by commands: operators may see every link, and so may its recipient. */
const FOR_ANYBODY = { accountId: null, membershipId: null, scope: "every", shownTo: null, keptFactors: null } as const;

/** For the first owner, for a day; null if there is an account. Nodes that each make one: all are valid until a use. */
export async function makeSetUpLink(deps: LinkDeps): Promise<string | null> {
  if (await deps.store.read(hasAccounts)) return null;
  return (await deps.store.write((db) => makeLink(db, deps, "set-up", FOR_ANYBODY))).token;
}

export interface NewLink {
  token: string;
  expiresAt: Millis;
}

/**
 * An invitation, valid for a week. @param seen `scope`: websites whose members all who see the link may manage;
 * `shownTo`: the account that is shown it; null if it is only emailed, or an operator sees it.
 */
export function inviteTo(
  db: Writer,
  deps: Pick<Deps, "clock" | "randomBytes">,
  { id: membershipId, accountId }: Pick<Membership, "id" | "accountId">,
  seen: { scope: WebsiteScope; shownTo: string | null },
): Promise<NewLink> {
  return makeLink(db, deps, "invitation", { accountId, membershipId, keptFactors: null, ...seen });
}

/** Deletes earlier links of the membership. Call it before making new ones. */
export function voidInvitations(db: Writer, membership: Pick<Membership, "id" | "accountId">): Promise<void> {
  return deleteLinksFor(db, membership);
}

/**
 * An operator's link resets the password (a day), or, without one, accepts all invitations (a week). Replaces others.
 */
export async function operatorLink(
  db: Writer,
  deps: Pick<Deps, "clock" | "randomBytes">,
  account: Pick<Account, "id" | "passwordHash">,
  keptFactors: readonly string[] | null,
): Promise<NewLink> {
  await deleteLinks(db, account.id);
  const purpose = account.passwordHash === null ? "invitation" : "reset";
  return makeLink(db, deps, purpose, { ...FOR_ANYBODY, accountId: account.id, keptFactors });
}

/** A link, valid for an hour, that sets a new password and keeps second factors. Show it only to its owner. */
export function resetLink(db: Writer, deps: Pick<Deps, "clock" | "randomBytes">, accountId: string): Promise<NewLink> {
  return makeLink(db, deps, "reset", { ...FOR_ANYBODY, accountId }, REQUESTED_RESET_MS);
}

async function makeLink(
  db: Writer,
  deps: Pick<Deps, "clock" | "randomBytes">,
  purpose: LinkPurpose,
  whose: Pick<OneTimeLink, "accountId" | "membershipId" | "scope" | "shownTo" | "keptFactors">,
  goodForMs: number = GOOD_FOR_MS[purpose],
): Promise<NewLink> {
  const now = deps.clock();
  const token = mintToken(deps.randomBytes);
  const tokenHash = hashToken(token);
  const expiresAt = now + goodForMs;
  await insertLink(db, { ...whose, tokenHash, purpose, createdAt: now, expiresAt });
  return { token, expiresAt };
}
