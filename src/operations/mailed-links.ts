/** Links that work once, which also go out by mail where mails do. */
import type { Account } from "../domain/account.ts";
import { invitationMail, type Mail, resetMail } from "../domain/mail.ts";
import type { Website } from "../domain/website.ts";
import type { Writer } from "../store/store.ts";
import type { Deps } from "./deps.ts";
import { inviteTo, type NewLink, resetLink, welcomeUrl } from "./invitations.ts";
import { writeMails } from "./mails.ts";

type LinkDeps = Pick<Deps, "clock" | "newId" | "randomBytes" | "secrets" | "mail">;
type Recipient = Pick<Account, "id" | "email">;

/** For whoever shows the link, too. */
interface MailedLink {
  token: string;
  isMailed: boolean;
}

/** `website` null: to every one. */
export async function inviteByMail(
  db: Writer,
  deps: LinkDeps,
  account: Recipient,
  website: Pick<Website, "id" | "name"> | null,
): Promise<MailedLink> {
  const link = await inviteTo(db, deps, account.id);
  const websiteName = website?.name ?? null;
  return mailed(db, deps, account, link, website?.id ?? null, (url) => invitationMail({ link: url, websiteName }));
}

export async function resetByMail(db: Writer, deps: LinkDeps, account: Recipient): Promise<MailedLink> {
  return mailed(db, deps, account, await resetLink(db, deps, account.id), null, (url) => resetMail({ link: url }));
}

async function mailed(
  db: Writer,
  deps: LinkDeps,
  { email: to }: Recipient,
  { token, expiresAt }: NewLink,
  websiteId: string | null,
  compose: (url: string) => Omit<Mail, "to">,
): Promise<MailedLink> {
  if (deps.mail === null) return { token, isMailed: false };
  const mail = { to, ...compose(welcomeUrl(deps.mail.base, token)) };
  return { token, isMailed: await writeMails(db, deps, [mail], { websiteId, expiresAt }) };
}
