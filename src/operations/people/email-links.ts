/** Makes one-time links, and emails them if email is configured. */
import type { Account, Membership } from "../../domain/people/account.ts";
import { invitationMail, type Mail, resetMail } from "../../domain/system/email.ts";
import type { Website } from "../../domain/system/website.ts";
import { covers, type WebsiteScope } from "../../domain/people/permissions.ts";
import { listAllMemberships } from "../../store/people/memberships.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";
import { inviteTo, type NewLink, operatorLink, voidInvitations, welcomeUrl } from "./invitations.ts";
import { writeMails } from "../system/email-outbox.ts";

type LinkDeps = Pick<Deps, "clock" | "newId" | "randomBytes" | "secrets" | "mail">;

export interface Delivered {
  /** Shown to the inviter; null if the inviter must not see it. */
  token: string | null;
  isMailed: boolean;
}

export interface Inviter {
  /** Websites whose members the inviter manages. */
  scope: WebsiteScope;
  /** The inviter's account; null for an operator. */
  shownTo: string | null;
}

/**
 * Invites to one membership, in place of earlier invitations. The emailed link proves access to the mailbox, so its
 * scope is every website; the one shown has the inviter's, and is not made if the account has or is invited to more.
 * @param website null: every website.
 */
export async function inviteByMail(
  db: Writer,
  deps: LinkDeps,
  membership: Pick<Membership, "id" | "accountId">,
  email: string,
  { scope, shownTo }: Inviter,
  website: Pick<Website, "id" | "name"> | null,
): Promise<Delivered> {
  await voidInvitations(db, membership);
  const all = await listAllMemberships(db, membership.accountId);
  const isShown = all.every(({ websiteId }) => covers(scope, websiteId));
  const token = isShown ? (await inviteTo(db, deps, membership, { scope, shownTo })).token : null;
  if (deps.mail === null) return { token, isMailed: false };
  const link = await inviteTo(db, deps, membership, { scope: "every", shownTo: null });
  const isMailed = await mailLink(db, deps, email, link, website?.id ?? null, (url) =>
    invitationMail({ link: url, websiteName: website?.name ?? null }),
  );
  return { token, isMailed };
}

/** For an operator, who may see every link. `keptFactors`: see `OneTimeLink`. */
export async function operatorLinkByMail(
  db: Writer,
  deps: LinkDeps,
  account: Account,
  keptFactors: readonly string[] | null,
): Promise<{ token: string; isMailed: boolean }> {
  const link = await operatorLink(db, deps, account, keptFactors);
  const isInvited = account.passwordHash === null;
  const isMailed = await mailLink(db, deps, account.email, link, null, (url) =>
    isInvited ? invitationMail({ link: url, websiteName: null }) : resetMail({ link: url }),
  );
  return { token: link.token, isMailed };
}

async function mailLink(
  db: Writer,
  deps: LinkDeps,
  to: string,
  { token, expiresAt }: NewLink,
  websiteId: string | null,
  compose: (url: string) => Omit<Mail, "to">,
): Promise<boolean> {
  if (deps.mail === null) return false;
  const mail = { to, ...compose(welcomeUrl(deps.mail.base, token)) };
  return writeMails(db, deps, [mail], { websiteId, expiresAt });
}
