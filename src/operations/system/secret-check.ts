/** Checks whether the available key is the one that sealed the secrets in the database. */
import type { SecretBox } from "../../domain/system/secret-box.ts";
import { AppError } from "../../domain/system/errors.ts";
import { anySecret, listEndpoints, signingSecrets } from "../../store/webhooks/endpoints.ts";
import { anySenderSecret, listSenders } from "../../store/articles/senders/senders.ts";
import { anyTotp, listTotps, type Totp } from "../../store/people/second-factors.ts";
import { findCurrentKey, listReviewSecrets } from "../../store/system/signing-keys.ts";
import { listWebsites } from "../../store/system/websites.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Deps } from "./deps.ts";

/** By kind, how many secrets the key decrypts, and how many not, as it is missing or a different one. */
export interface SecretCheck {
  webhooks: SecretCounts;
  authenticators: SecretCounts;
  senders: SecretCounts;
  "review keys": SecretCounts;
}

export interface SecretCounts {
  opened: number;
  closed: number;
}

/** Tries the key on everything that is sealed. `box`: null if there is no key. */
export function checkSecrets(deps: Pick<Deps, "store" | "clock">, box: SecretBox | null): Promise<SecretCheck> {
  return deps.store.read(async (db) => {
    const check: SecretCheck = {
      webhooks: { opened: 0, closed: 0 },
      authenticators: { opened: 0, closed: 0 },
      senders: { opened: 0, closed: 0 },
      "review keys": { opened: 0, closed: 0 },
    };
    for (const website of await listWebsites(db)) {
      const ids = (await listEndpoints(db, website.id)).map(({ id }) => id);
      for (const [id, secrets] of await signingSecrets(db, ids, deps.clock())) {
        const areOpened = secrets.every(({ sealed }) => opens(box, sealed, id));
        check.webhooks[areOpened ? "opened" : "closed"]++;
      }
      for (const { id, secret } of await listSenders(db, website.id)) {
        check.senders[opens(box, secret, id) ? "opened" : "closed"]++;
      }
    }
    for (const { accountId, sealed } of await listTotps(db)) {
      check.authenticators[opens(box, sealed, accountId) ? "opened" : "closed"]++;
    }
    for (const { id, sealed } of await listReviewSecrets(db)) {
      check["review keys"][opens(box, sealed ?? "", id) ? "opened" : "closed"]++;
    }
    return check;
  });
}

/** Whether the available key opens what is sealed; true if nothing is. */
export async function hasRightKey(deps: Pick<Deps, "store" | "secrets">): Promise<boolean> {
  const { secret, totp, sender, reviewKey } = await deps.store.read(anySealed);
  if (secret === undefined && totp === undefined && sender === undefined && reviewKey === undefined) return true;
  const box = tryLoadKey(deps);
  return (
    (secret === undefined || opens(box, secret.secret, secret.endpoint_id)) &&
    (totp === undefined || opens(box, totp.sealed, totp.accountId)) &&
    (sender === undefined || opens(box, sender.secret, sender.id)) &&
    (reviewKey === undefined || opens(box, reviewKey.sealed ?? "", reviewKey.id))
  );
}

/** Call it before sealing: texts sealed with two keys could never all be opened. @throws AppError `misconfigured`. */
export function assertSameKey(deps: Pick<Deps, "store" | "secrets">): Promise<void> {
  return deps.store.read((db) => assertSameKeyIn(db, deps));
}

/** As `assertSameKey`, within a transaction. */
export async function assertSameKeyIn(db: Snapshot, deps: Pick<Deps, "secrets">): Promise<void> {
  const { secret, totp, sender } = await anySealed(db);
  if (secret !== undefined) deps.secrets().open(secret.secret, secret.endpoint_id);
  if (totp !== undefined) openTotp(deps, totp);
  if (sender !== undefined) deps.secrets().open(sender.secret, sender.id);
}

async function anySealed(db: Snapshot) {
  return {
    secret: await anySecret(db),
    totp: await anyTotp(db),
    sender: await anySenderSecret(db),
    reviewKey: await findCurrentKey(db),
  };
}

/** @returns the secret of the authenticator. @throws AppError `misconfigured`. */
export function openTotp(deps: Pick<Deps, "secrets">, { sealed, accountId }: Totp): string {
  try {
    return deps.secrets().open(sealed, accountId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(
      "misconfigured",
      'Codes of authenticators cannot be checked, as their secrets were encrypted with another key; a recovery code still works. Ask the operator of the service to set ROSTRUM_SECRET_KEY to the earlier key, or to put its secret.key back; if it is lost, "rostrum user reset-password EMAIL --without-totp" turns an authenticator off.',
      { cause: error },
    );
  }
}

/** null if the key is unavailable. */
export function tryLoadKey({ secrets }: Pick<Deps, "secrets">): SecretBox | null {
  try {
    return secrets();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Whether the key opens the sealed text; false without a key. */
export function opens(box: SecretBox | null, sealed: string, context: string): boolean {
  if (box === null) return false;
  try {
    box.open(sealed, context);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
