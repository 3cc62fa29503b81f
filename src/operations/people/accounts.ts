import { type Account, normaliseEmail, parseName } from "../../domain/people/account.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { hashToken, mintToken } from "../../domain/people/one-time-token.ts";
import { findAccount, findAccountByEmail, lockPeople, setName, setPasswordHash } from "../../store/people/accounts.ts";
import { deleteEmailChanges } from "../../store/people/email-changes.ts";
import { deleteResetLinks } from "../../store/people/one-time-links.ts";
import { confirmSession, deleteSessions, replaceToken } from "../../store/people/sessions.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { forgetDevices } from "./devices.ts";
import { operatorLinkByMail } from "./email-links.ts";
import { REQUESTED_RESET_MS } from "./invitations.ts";
import { factorIds, removePasskeys } from "./passkeys.ts";
import { type Passwords, assertPassword } from "../system/passwords.ts";
import { removeTotp } from "./second-factors.ts";
import { notifyAccount } from "./security-notices.ts";

/**
 * Makes a link that sets a new password; the current one works until then. After `without…` it also removes passkeys
 * and authenticators that are added before it is used: someone else may have had the account until then.
 * @returns its token, and whether it is also emailed. @throws AppError `not_found`.
 */
export function requestReset(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">,
  email: string,
  { withoutTotp = false, withoutPasskeys = false }: { withoutTotp?: boolean; withoutPasskeys?: boolean },
  origin: Origin,
): Promise<{ account: Account; token: string; isMailed: boolean }> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const account = await findAccountByEmail(db, normaliseEmail(email));
    if (account === undefined) {
      throw new AppError(
        "not_found",
        `Nobody has the e-mail address ${email}; "rostrum user list" shows all accounts.`,
      );
    }
    if (account.disabledAt !== null) {
      throw new AppError("conflict", `The account of ${account.email} is disabled; an owner can enable it.`);
    }
    if (withoutTotp) await removeTotp(db, deps, account.id, origin);
    if (withoutPasskeys) await removePasskeys(db, deps, account.id, origin);
    await recordAudit(db, deps, origin, {
      action: "password.reset_requested",
      targetKind: "account",
      targetId: account.id,
      detail: { email: account.email },
    });
    const keptFactors = withoutTotp || withoutPasskeys ? await factorIds(db, account.id) : null;
    return { account, ...(await operatorLinkByMail(db, deps, account, keptFactors)) };
  });
}

/**
 * Ends other sessions, and forgets devices and links for a forgotten password. An operator's link stays: it may be
 * meant to take the account back. This session gets a new token, so that a copy of the earlier one is useless.
 *
 * @param signedIn `device`: the token of the browser's device cookie, if any.
 * @throws AppError `invalid` when the current password is wrong, or the new one is not acceptable.
 */
export async function changePassword(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail"> & { passwords: Passwords },
  { account, sessionId, device }: { account: Account; sessionId: string; device: string | undefined },
  passwords: { current: string; next: string },
  origin: Origin,
): Promise<string> {
  await assertPassword(deps.passwords, account, passwords.current);
  await deps.passwords.check(passwords.next, account.email);
  const hash = await deps.passwords.hash(passwords.next);
  const token = mintToken(deps.randomBytes);
  return deps.store.write(async (db) => {
    await lockPeople(db);
    // The second of two concurrent changes was checked against an outdated password.
    if ((await findAccount(db, account.id))?.passwordHash !== account.passwordHash) {
      throw new AppError("conflict", "The password has been changed meanwhile. Sign in again.");
    }
    await setPasswordHash(db, account.id, hash);
    await deleteEmailChanges(db, account.id, "confirm");
    await deleteResetLinks(db, account.id, REQUESTED_RESET_MS);
    const ended = await deleteSessions(db, account.id, sessionId);
    await forgetDevices(db, deps, account.id, device);
    await replaceToken(db, sessionId, hashToken(token));
    await confirmSession(db, sessionId, deps.clock());
    await recordAudit(db, deps, origin, {
      action: "password.changed",
      targetKind: "account",
      targetId: account.id,
      detail: { sessions_ended: ended },
    });
    await notifyAccount(db, deps, account.id, "password-changed");
    return token;
  });
}

/** Teammates see the name. @throws AppError `invalid`. */
export async function renameAccount(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  account: Pick<Account, "id">,
  input: string,
  origin: Origin,
): Promise<void> {
  const name = parseName(input);
  await deps.store.write(async (db) => {
    if ((await findAccount(db, account.id))?.name === name) return;
    await setName(db, account.id, name);
    await recordAudit(db, deps, origin, {
      action: "account.renamed",
      targetKind: "account",
      targetId: account.id,
      detail: { name },
    });
  });
}

/** Checks the password and records the time, for `assertConfirmed`. @throws AppError `invalid`. */
export async function confirmPassword(
  deps: Pick<Deps, "store" | "clock"> & { passwords: Passwords },
  { account, sessionId }: { account: Account; sessionId: string },
  password: string,
): Promise<void> {
  await assertPassword(deps.passwords, account, password);
  await deps.store.write((db) => confirmSession(db, sessionId, deps.clock()), { notify: false });
}
