/**
 * Links in e-mails that turn that kind off, without a sign-in. Nothing is stored: the token, sealed, says whose, and
 * stays valid while the account has the address.
 */
import { isMailOff, type MailScope, turnMailsOff } from "../../domain/people/notification.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { SecretBox } from "../../domain/system/secret-box.ts";
import { findAccount } from "../../store/people/accounts.ts";
import { lockNotificationSettings, saveNotificationSettings } from "../../store/people/notifications.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";
import { getSettings } from "./notifications.ts";

export interface UnsubscribeLink {
  accountId: string;
  email: string;
  scope: MailScope;
}

/** Keeps other sealed texts from being used as a token. */
const CONTEXT = "unsubscribe";

export function sealUnsubscribeToken(box: SecretBox, link: UnsubscribeLink): string {
  return box.seal(JSON.stringify(link), CONTEXT);
}

/** @throws AppError `not_found` for a token that is not ours; `misconfigured` without a key. */
export function openUnsubscribeToken({ secrets }: Pick<Deps, "secrets">, token: string): UnsubscribeLink {
  const box = secrets();
  try {
    // Sealed by `sealUnsubscribeToken`.
    return JSON.parse(box.open(token, CONTEXT)) as UnsubscribeLink;
  } catch {
    throw noSuchLink();
  }
}

/** Whether these e-mails are off. @throws AppError `not_found` when the account has another address. */
export function isUnsubscribed(deps: Pick<Deps, "store">, link: UnsubscribeLink): Promise<boolean> {
  return deps.store.read(async (db) => {
    await assertSameAddress(db, link);
    return isMailOff(await getSettings(db, link.accountId), link.scope);
  });
}

/** Has no effect if these e-mails are off. @throws AppError like `isUnsubscribed`. */
export function unsubscribe(deps: Pick<Deps, "store">, link: UnsubscribeLink): Promise<void> {
  return deps.store.write(async (db) => {
    await lockNotificationSettings(db, link.accountId);
    await assertSameAddress(db, link);
    const settings = await getSettings(db, link.accountId);
    const next = turnMailsOff(settings, link.scope);
    if (next !== settings) await saveNotificationSettings(db, link.accountId, next);
  });
}

async function assertSameAddress(db: Snapshot, { accountId, email }: UnsubscribeLink): Promise<void> {
  if ((await findAccount(db, accountId))?.email !== email) throw noSuchLink();
}

function noSuchLink(): AppError {
  return new AppError(
    "not_found",
    "This link does not work, or no longer works. Sign in, and choose your e-mails under Account.",
  );
}
