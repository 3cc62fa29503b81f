import type { Account } from "../../domain/people/account.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import {
  hashRecoveryCode,
  mintRecoveryCodes,
  mintTotpSecret,
  findCodeStep,
  totpUri,
} from "../../domain/people/totp.ts";
import {
  beginTotp as beginRow,
  confirmTotp as confirmRow,
  countRecoveryCodes,
  deleteTotp,
  findTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeTotpStep,
} from "../../store/people/second-factors.ts";
import { listPasskeys } from "../../store/people/passkeys.ts";
import { markSecondFactor, unmarkSecondFactors } from "../../store/people/sessions.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { type Passwords, assertPassword } from "../system/passwords.ts";
import { notifyAccount } from "./security-notices.ts";
import { openTotp, assertSameKey } from "../system/secret-check.ts";
import { assertSession } from "./sessions.ts";

type TotpDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">;

export interface TotpState {
  isEnabled: boolean;
  recoveryCodesLeft: number;
}

export function readTotp(deps: Pick<Deps, "store">, accountId: string): Promise<TotpState> {
  return deps.store.read(async (db) => ({
    isEnabled: (await findTotp(db, accountId))?.confirmedAt != null,
    recoveryCodesLeft: await countRecoveryCodes(db, accountId),
  }));
}

/** Needs no code until `confirmTotp`. @returns the secret. @throws AppError `conflict`, `invalid`, `misconfigured`. */
export async function beginTotp(
  deps: TotpDeps & { passwords: Passwords },
  account: Account,
  password: string,
): Promise<{ secret: string; uri: string }> {
  await assertPassword(deps.passwords, account, password);
  await assertSameKey(deps);
  const secret = mintTotpSecret(deps.randomBytes);
  const sealed = deps.secrets().seal(secret, account.id);
  const hasBegun = await deps.store.write((db) => beginRow(db, account.id, sealed, deps.clock()));
  if (!hasBegun) throw new AppError("conflict", "You already use an authenticator; turn it off first.");
  return { secret, uri: totpUri(secret, account.email) };
}

/** Codes are needed from now on. @returns the recovery codes, shown once. @throws AppError `invalid`, `conflict`. */
export function confirmTotp(
  deps: TotpDeps,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  code: string,
  origin: Origin,
): Promise<string[]> {
  const codes = mintRecoveryCodes(deps.randomBytes);
  return deps.store.write(async (db) => {
    await assertSession(db, sessionId);
    const totp = await findTotp(db, accountId);
    if (totp === undefined || totp.confirmedAt !== null) {
      throw new AppError("conflict", "No authenticator is being set up. Start again.");
    }
    const step = findCodeStep(openTotp(deps, totp), code, deps.clock());
    if (step === null) {
      throw new AppError(
        "invalid",
        "This code is wrong. Check the clock of the device with the app, then try the next code.",
        {
          field: "code",
        },
      );
    }
    if (!(await confirmRow(db, totp, step, deps.clock()))) {
      throw new AppError("conflict", "The setup has been started again meanwhile; use the newest secret.");
    }
    await replaceRecoveryCodes(db, accountId, hashCodes(codes));
    // With a passkey, the person must sign in with it; adding an authenticator does not count.
    if ((await listPasskeys(db, accountId)).length === 0) await markSecondFactor(db, sessionId);
    await recordAudit(db, deps, origin, { action: "totp.enabled", targetKind: "account", targetId: accountId });
    await notifyAccount(db, deps, accountId, "totp-enabled");
    return codes;
  });
}

/** Replaces the remaining recovery codes. @throws AppError `invalid`, `conflict`. */
export async function renewRecoveryCodes(
  deps: TotpDeps & { passwords: Passwords },
  account: Account,
  password: string,
  origin: Origin,
): Promise<string[]> {
  await assertPassword(deps.passwords, account, password);
  const codes = mintRecoveryCodes(deps.randomBytes);
  return deps.store.write(async (db) => {
    if ((await findTotp(db, account.id))?.confirmedAt == null) {
      throw new AppError("conflict", "You use no authenticator, so there is nothing to recover.");
    }
    await replaceRecoveryCodes(db, account.id, hashCodes(codes));
    await recordAudit(db, deps, origin, {
      action: "recovery_codes.renewed",
      targetKind: "account",
      targetId: account.id,
    });
    await notifyAccount(db, deps, account.id, "codes-renewed");
    return codes;
  });
}

/** Makes sign-in require only the password. @throws AppError `invalid`. */
export async function disableTotp(
  deps: TotpDeps & { passwords: Passwords },
  account: Account,
  password: string,
  origin: Origin,
): Promise<void> {
  await assertPassword(deps.passwords, account, password);
  await deps.store.write((db) => removeTotp(db, deps, account.id, origin));
}

/**
 * Consumes a sign-in's code in its transaction. @returns whether it was valid; true without an authenticator.
 * @throws AppError `misconfigured` when authenticator codes cannot be checked; recovery codes still can.
 */
export async function takeSecondFactor(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId" | "secrets">,
  accountId: string,
  code: string,
  origin: Origin,
): Promise<boolean> {
  const totp = await findTotp(db, accountId);
  if (totp === undefined || totp.confirmedAt === null) return true;
  const hash = hashRecoveryCode(code);
  if (hash === null) {
    const step = findCodeStep(openTotp(deps, totp), code, deps.clock());
    return step !== null && (await takeTotpStep(db, totp, step));
  }
  if (!(await takeRecoveryCode(db, accountId, hash))) return false;
  const left = await countRecoveryCodes(db, accountId);
  await recordAudit(db, deps, origin, {
    action: "recovery_code.used",
    targetKind: "account",
    targetId: accountId,
    detail: { left },
  });
  return true;
}

export async function removeTotp(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock" | "secrets" | "mail">,
  accountId: string,
  origin: Origin,
): Promise<void> {
  if (!(await deleteTotp(db, accountId))) return;
  await forgetShownFactors(db, accountId);
  await recordAudit(db, deps, origin, { action: "totp.disabled", targetKind: "account", targetId: accountId });
  await notifyAccount(db, deps, accountId, "totp-disabled");
}

/** Call it after removing a factor: without any left, the person's sessions no longer count as having shown one. */
export async function forgetShownFactors(db: Writer, accountId: string): Promise<void> {
  if (!(await isProtected(db, accountId))) await unmarkSecondFactors(db, accountId);
}

/** Whether the person has an authenticator or a passkey. */
export function hasFactor(deps: Pick<Deps, "store">, accountId: string): Promise<boolean> {
  return deps.store.read((db) => isProtected(db, accountId));
}

export async function isProtected(db: Snapshot, accountId: string): Promise<boolean> {
  return (await findTotp(db, accountId))?.confirmedAt != null || (await listPasskeys(db, accountId)).length > 0;
}

function hashCodes(codes: readonly string[]): string[] {
  return codes.map((code) => hashRecoveryCode(code) ?? "");
}
