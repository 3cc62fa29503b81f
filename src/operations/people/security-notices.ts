import { securityMail } from "../../domain/system/email.ts";
import { findAccount } from "../../store/people/accounts.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";
import { writeMails } from "../system/email-outbox.ts";

const SENTENCES = {
  "password-changed": "Your password was changed",
  "totp-enabled": "An authenticator was added to your account",
  "totp-disabled": "The authenticator was removed from your account",
  "codes-renewed": "New recovery codes were made for your account",
  "passkey-added": "A passkey was added to your account",
  "passkey-removed": "A passkey was removed from your account",
} as const;

/** Emails the person about a change, in the transaction of that change. Does nothing if email is not configured. */
export async function notifyAccount(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId" | "secrets" | "mail">,
  accountId: string,
  change: keyof typeof SENTENCES,
): Promise<void> {
  const account = deps.mail === null ? undefined : await findAccount(db, accountId);
  if (account === undefined || deps.mail === null) return;
  const facts = { base: deps.mail.base, at: deps.clock() };
  await writeMails(db, deps, [{ to: account.email, ...securityMail(SENTENCES[change], facts) }], { websiteId: null });
}
