import { type Account, normaliseEmail } from "../domain/account.ts";
import type { Origin } from "../domain/audit.ts";
import { AppError } from "../domain/errors.ts";
import { checkPassword } from "../domain/password.ts";
import { findAccount, findAccountByEmail, lockPeople, setPasswordHash } from "../store/accounts.ts";
import { deleteSessions } from "../store/sessions.ts";
import { noteAudit } from "./audit.ts";
import type { Deps } from "./deps.ts";
import { inviteByMail, resetByMail } from "./mailed-links.ts";
import { type Passwords, refuseOtherPassword } from "./passwords.ts";
import { removeTotp } from "./second-factors.ts";

/**
 * A link that sets a new password. The earlier one goes on working until the link is used: whoever asked for it may have
 * been mistaken. `withoutTotp`: for whoever has lost the authenticator and the recovery codes.
 *
 * @returns the link's token, and whether it is on its way by mail, too. @throws AppError `not_found`.
 */
export function requestReset(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">,
  email: string,
  withoutTotp: boolean,
  origin: Origin,
): Promise<{ account: Account; token: string; isMailed: boolean }> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const account = await findAccountByEmail(db, normaliseEmail(email));
    if (account === undefined) {
      throw new AppError(
        "not_found",
        `Nobody has the e-mail address ${email}; "rostrum user list" shows who there is.`,
      );
    }
    if (account.disabledAt !== null) {
      throw new AppError("conflict", `The account of ${account.email} is disabled; an owner can enable it.`);
    }
    if (withoutTotp) await removeTotp(db, deps, account.id, origin);
    await noteAudit(db, deps, origin, {
      action: "password.reset_requested",
      targetKind: "account",
      targetId: account.id,
      detail: { email: account.email },
    });
    const link =
      account.passwordHash === null
        ? await inviteByMail(db, deps, account, null)
        : await resetByMail(db, deps, account);
    return { account, ...link };
  });
}

/** Ends the person's other sessions. @throws AppError `invalid` when it is not the current one, or no good one. */
export async function changePassword(
  deps: Pick<Deps, "store" | "clock" | "newId"> & { passwords: Passwords },
  { account, sessionId }: { account: Account; sessionId: string },
  passwords: { current: string; next: string },
  origin: Origin,
): Promise<void> {
  await refuseOtherPassword(deps.passwords, account, passwords.current);
  checkPassword(passwords.next, account.email);
  const hash = await deps.passwords.hash(passwords.next);
  await deps.store.write(async (db) => {
    await lockPeople(db);
    // Of two changes at once, the second no longer knows the current one.
    if ((await findAccount(db, account.id))?.passwordHash !== account.passwordHash) {
      throw new AppError("conflict", "The password was changed meanwhile; sign in anew.");
    }
    await setPasswordHash(db, account.id, hash);
    const ended = await deleteSessions(db, account.id, sessionId);
    await noteAudit(db, deps, origin, {
      action: "password.changed",
      targetKind: "account",
      targetId: account.id,
      detail: { sessions_ended: ended },
    });
  });
}
