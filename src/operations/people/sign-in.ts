import { type Account, normaliseEmail, getAccountState } from "../../domain/people/account.ts";
import { AppError } from "../../domain/system/errors.ts";
import { findAccountByEmail, recordSignIn, renewPasswordHash } from "../../store/people/accounts.ts";
import { findTotp } from "../../store/people/second-factors.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { recordDevice } from "./devices.ts";
import type { Passwords } from "../system/passwords.ts";
import { takeSecondFactor } from "./second-factors.ts";
import { type ClientInfo, startSession, type StartedSession } from "./sessions.ts";

export interface SignInDeps extends Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail"> {
  passwords: Passwords;
  /** Runs after the response, so that its duration reveals nothing. */
  later: (work: Promise<void>) => void;
}

export interface Credentials {
  email: string;
  password: string;
  /** From the authenticator, or a recovery code. */
  code?: string | undefined;
}

/** Runs `work` under the rate limit for codes; called once the password is right. */
type TryCode = <T>(accountId: string, work: () => Promise<T>) => Promise<T>;

/**
 * @returns the session, or that a code is required. @throws AppError `unauthenticated`, with one message and after the
 * same time whatever is wrong, so that nobody learns who has an account.
 */
export async function signIn(
  deps: SignInDeps,
  { email, password, code }: Credentials,
  client: ClientInfo,
  tryCode: TryCode = (_accountId, work) => work(),
): Promise<StartedSession | "needs-code"> {
  const found = await deps.store.read(async (db) => {
    const account = await findAccountByEmail(db, normaliseEmail(email));
    // Also queried without an account, so that the timing is the same.
    const totp = await findTotp(db, account?.id ?? "");
    return account && { account, hasTotp: totp?.confirmedAt != null };
  });
  const isActive = found !== undefined && getAccountState(found.account) === "active";
  const isRight = await deps.passwords.verify(password, isActive ? found.account.passwordHash : null);
  if (!isRight) {
    if (found !== undefined)
      deps.later(recordFailedSignIn(deps, found.account, client, isActive ? "password" : "state"));
    throw refusal();
  }
  // The types cannot express it: the password is right only if an account was found.
  const { account, hasTotp } = found as NonNullable<typeof found>;
  if (hasTotp && code === undefined) return "needs-code";
  const newHash = await renewHash(deps.passwords, account, password);
  const enter = () =>
    deps.store.write(async (db) => {
      // The account was disabled or its password changed meanwhile: its sessions have ended, and no new one may start.
      if (!(await recordSignIn(db, account, deps.clock()))) throw refusal();
      const origin = { actor: account.id, address: client.address };
      if (!(await takeSecondFactor(db, deps, account.id, code ?? "", origin))) throw refusal();
      if (newHash !== null) await renewPasswordHash(db, account.id, account.passwordHash ?? "", newHash);
      const device = await recordDevice(db, deps, account, client);
      return startSession(db, deps, { accountId: account.id, device }, client, hasTotp ? "code" : "password");
    });
  try {
    return await (hasTotp ? tryCode(account.id, enter) : enter());
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") {
      deps.later(recordFailedSignIn(deps, account, client, "code"));
    }
    throw error;
  }
}

function refusal(): AppError {
  return new AppError("unauthenticated", "The e-mail address, the password or the code is wrong.");
}

/** A hash with today's parameters if the stored one has others; otherwise null. */
async function renewHash(passwords: Passwords, account: Account, password: string): Promise<string | null> {
  return passwords.isOutdated(account.passwordHash ?? "") ? passwords.hash(password) : null;
}

export function recordFailedSignIn(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  account: Account,
  { address }: ClientInfo,
  reason: "password" | "state" | "code" | "passkey",
): Promise<void> {
  return deps.store.write(
    (db) =>
      recordAudit(
        db,
        deps,
        { actor: account.id, address },
        {
          action: "session.refused",
          targetKind: "account",
          targetId: account.id,
          detail: { reason },
        },
      ),
    { notify: false },
  );
}
