/** Sends a link that sets a new password, if there is an account with the address. */
import { getAccountState, normaliseEmail } from "../../domain/people/account.ts";
import { forgottenMail } from "../../domain/system/email.ts";
import { findAccountByEmail, lockPeople } from "../../store/people/accounts.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { writeMails } from "../system/email-outbox.ts";
import { resetLink, welcomeUrl } from "./invitations.ts";

/** Does nothing without an active account. Run it after the response, so that its duration reveals nothing. */
export async function mailResetLink(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">,
  email: string,
  address: string,
): Promise<void> {
  const { mail } = deps;
  if (mail === null) return;
  await deps.store.write(async (db) => {
    await lockPeople(db);
    const account = await findAccountByEmail(db, normaliseEmail(email));
    if (account === undefined || getAccountState(account) !== "active") return;
    const { token, expiresAt } = await resetLink(db, deps, account.id);
    await recordAudit(
      db,
      deps,
      { actor: account.id, address },
      {
        action: "password.reset_requested",
        targetKind: "account",
        targetId: account.id,
        detail: { email: account.email },
      },
    );
    const content = forgottenMail({ link: welcomeUrl(mail.base, token) });
    await writeMails(db, deps, [{ to: account.email, ...content }], { websiteId: null, expiresAt });
  });
}
