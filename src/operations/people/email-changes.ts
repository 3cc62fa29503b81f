/**
 * The password proves who asks, a link to the new address that it is theirs; one to the earlier address can undo the
 * change for a week. Whether somebody else uses an address is never revealed: no link is then sent to it.
 */
import { type Account, getAccountState, parseEmail } from "../../domain/people/account.ts";
import { hashToken, mintToken } from "../../domain/people/one-time-token.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { confirmEmailMail, emailChangedMail } from "../../domain/system/email.ts";
import { AppError } from "../../domain/system/errors.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { findAccount, findAccountByEmail, lockPeople, setEmail } from "../../store/people/accounts.ts";
import {
  deleteEmailChanges,
  type EmailChange,
  findPendingEmail,
  insertEmailChange,
  takeEmailChange,
} from "../../store/people/email-changes.ts";
import { deleteResetLinks } from "../../store/people/one-time-links.ts";
import { deleteSessions } from "../../store/people/sessions.ts";
import type { Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps, MailDeps } from "../system/deps.ts";
import { writeMails } from "../system/email-outbox.ts";
import { forgetDevices } from "./devices.ts";
import { resetLink } from "./invitations.ts";
import { assertPassword, type Passwords } from "../system/passwords.ts";

const CONFIRM_WITHIN_MS = DAY_MS;
const UNDO_WITHIN_MS = 7 * DAY_MS;

type ChangeDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">;

/** `limit` is called with valid input, and may throw. @throws AppError `invalid`; `conflict` if no e-mails are sent. */
export async function requestEmailChange(
  deps: ChangeDeps & { passwords: Passwords },
  { account, sessionId }: { account: Account; sessionId: string },
  { password, email: input }: { password: string; email: string },
  origin: Origin,
  limit: () => void,
): Promise<void> {
  const { mail } = deps;
  if (mail === null) {
    throw new AppError("conflict", "This service sends no e-mails, so the new address cannot be confirmed.");
  }
  await assertPassword(deps.passwords, account, password);
  const email = parseEmail(input);
  if (email === account.email) throw new AppError("invalid", "This is your address already.", { field: "email" });
  limit();
  await deps.store.write(async (db) => {
    await lockPeople(db);
    // The password was checked above.
    const current = await findAccount(db, account.id);
    if (current?.passwordHash !== account.passwordHash) {
      throw new AppError("conflict", "The password has been changed meanwhile. Sign in again.");
    }
    await deleteEmailChanges(db, account.id, "confirm");
    const target = { accountId: account.id, kind: "confirm", email, sessionId } as const;
    const token = await insertToken(db, deps, target, CONFIRM_WITHIN_MS);
    await recordAudit(db, deps, origin, {
      action: "email.change_requested",
      targetKind: "account",
      targetId: account.id,
      detail: { email },
    });
    if ((await findAccountByEmail(db, email)) !== undefined) return;
    const link = `${mail.base}/dashboard/confirm-email#${token}`;
    const expiresAt = deps.clock() + CONFIRM_WITHIN_MS;
    await writeMails(db, deps, [{ to: email, ...confirmEmailMail({ link }) }], { websiteId: null, expiresAt });
  });
}

/** The address that is waiting for confirmation; null for none. */
export function readPendingEmail(deps: Pick<Deps, "store" | "clock">, accountId: string): Promise<string | null> {
  return deps.store.read((db) => findPendingEmail(db, accountId, deps.clock()));
}

export async function cancelEmailChange(deps: Pick<Deps, "store">, accountId: string): Promise<void> {
  await deps.store.write((db) => deleteEmailChanges(db, accountId, "confirm"));
}

/** Ends other sessions and links to the earlier address. @returns the address. @throws AppError `not_found`. */
export function confirmEmailChange(deps: ChangeDeps, token: string, address: string): Promise<string> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const { change, account } = await take(db, deps, token, "confirm");
    const { email, sessionId } = change;
    await applyChange(db, deps, account, email);
    await deleteSessions(db, account.id, sessionId);
    await recordAudit(
      db,
      deps,
      { actor: account.id, address },
      {
        action: "email.changed",
        targetKind: "account",
        targetId: account.id,
        detail: { from: account.email, to: email },
      },
    );
    const { mail } = deps;
    if (mail !== null) await mailUndo(db, { ...deps, mail }, account, email);
    return email;
  });
}

/** Ends all sessions, as others may know the password. @returns a reset link's token. @throws AppError `not_found`. */
export function undoEmailChange(
  deps: ChangeDeps,
  token: string,
  address: string,
): Promise<{ token: string; email: string }> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const { change, account } = await take(db, deps, token, "undo");
    await applyChange(db, deps, account, change.email);
    await deleteSessions(db, account.id, null);
    await deleteEmailChanges(db, account.id, "undo");
    await recordAudit(
      db,
      deps,
      { actor: account.id, address },
      {
        action: "email.change_undone",
        targetKind: "account",
        targetId: account.id,
        detail: { from: account.email, to: change.email },
      },
    );
    const link = await resetLink(db, deps, account.id);
    return { token: link.token, email: change.email };
  });
}

async function mailUndo(db: Writer, deps: ChangeDeps & { mail: MailDeps }, { id, email }: Account, next: string) {
  const target = { accountId: id, kind: "undo", email, sessionId: null } as const;
  const token = await insertToken(db, deps, target, UNDO_WITHIN_MS);
  const facts = { link: `${deps.mail.base}/dashboard/undo-email#${token}`, email: next, at: deps.clock() };
  const expiresAt = deps.clock() + UNDO_WITHIN_MS;
  await writeMails(db, deps, [{ to: email, ...emailChangedMail(facts) }], { websiteId: null, expiresAt });
}

async function insertToken(
  db: Writer,
  deps: Pick<Deps, "clock" | "randomBytes">,
  target: Pick<EmailChange, "accountId" | "kind" | "email" | "sessionId">,
  goodForMs: number,
): Promise<string> {
  const token = mintToken(deps.randomBytes);
  const createdAt = deps.clock();
  await insertEmailChange(db, { ...target, tokenHash: hashToken(token), createdAt, expiresAt: createdAt + goodForMs });
  return token;
}

/** @throws AppError `not_found` unless the link is valid. */
async function take(
  db: Writer,
  deps: Pick<Deps, "clock">,
  token: string,
  kind: EmailChange["kind"],
): Promise<{ change: EmailChange; account: Account }> {
  const change = await takeEmailChange(db, hashToken(token), kind, deps.clock());
  const account = change && (await findAccount(db, change.accountId));
  const isFree = change !== undefined && (await findAccountByEmail(db, change.email)) === undefined;
  if (account === undefined || !isFree || getAccountState(account) !== "active") {
    throw new AppError("not_found", "This link has been used or has expired. Start again to get another one.");
  }
  return { change, account };
}

/** Also revokes what the other address could still be used for. */
async function applyChange(db: Writer, deps: Pick<Deps, "clock">, { id }: Account, email: string): Promise<void> {
  await setEmail(db, id, email);
  await deleteEmailChanges(db, id, "confirm");
  await deleteResetLinks(db, id);
  await forgetDevices(db, deps, id, undefined);
}
