/** Passkeys (WebAuthn) with a verified user count as two factors. A challenge is valid for five minutes, and once. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { type Account, parseName, getAccountState } from "../../domain/people/account.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { hashToken, mintToken } from "../../domain/people/one-time-token.ts";
import { findAccount, recordSignIn } from "../../store/people/accounts.ts";
import {
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys as listRows,
  recordPasskeyUse,
  type Passkey,
  takeChallenge,
} from "../../store/people/passkeys.ts";
import { findTotp, type Totp } from "../../store/people/second-factors.ts";
import { markSecondFactor } from "../../store/people/sessions.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { recordDevice } from "./devices.ts";
import { type Passwords, assertPassword } from "../system/passwords.ts";
import { forgetShownFactors, removeTotp } from "./second-factors.ts";
import { notifyAccount } from "./security-notices.ts";
import { assertSession, type ClientInfo, startSession, type StartedSession } from "./sessions.ts";
import { recordFailedSignIn } from "./sign-in.ts";

/** The site that passkeys belong to: browsers offer them on no other. */
export interface RelyingParty {
  /** A host name. */
  id: string;
  origin: string;
}

type PasskeyDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes">;

const NAME = "Rostrum";
const CHALLENGE_MS = 5 * 60_000;
const MAX_PASSKEYS = 20;

export function listPasskeys(deps: Pick<Deps, "store">, accountId: string): Promise<Passkey[]> {
  return deps.store.read((db) => listRows(db, accountId));
}

/** Starts adding a passkey. @returns the options for the browser. @throws AppError `invalid`, `conflict`. */
export async function beginPasskey(
  deps: PasskeyDeps & { passwords: Passwords },
  account: Account,
  password: string,
  party: RelyingParty,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  await assertPassword(deps.passwords, account, password);
  const known = await listPasskeys(deps, account.id);
  if (known.length >= MAX_PASSKEYS) {
    throw new AppError("conflict", `You have ${MAX_PASSKEYS} passkeys already; remove one first.`);
  }
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: party.id,
    userName: account.email,
    userDisplayName: account.name || account.email,
    userID: new TextEncoder().encode(account.id),
    challenge: await newChallenge(deps, account.id),
    timeout: CHALLENGE_MS,
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** `response`: from the browser. @throws AppError `invalid`, `conflict`. */
export async function addPasskey(
  deps: PasskeyDeps & Pick<Deps, "secrets" | "mail">,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  { name, response }: { name: string; response: unknown },
  party: RelyingParty,
  origin: Origin,
): Promise<Passkey> {
  const { verifyRegistrationResponse } = await webauthn();
  const challenges: string[] = [];
  const { registrationInfo } = await verifyRegistrationResponse({
    // Not validated before: the library does so, and throws if it is malformed.
    response: response as RegistrationResponseJSON,
    expectedChallenge: (challenge) => challenges.push(challenge) > 0,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
  }).catch((cause: unknown) => throwInvalidResponse(cause));
  if (registrationInfo === undefined) return throwInvalidResponse(undefined);
  const { credential } = registrationInfo;
  const passkey: Passkey = {
    id: credential.id,
    accountId,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: credential.transports ?? [],
    name: parseName(name),
    createdAt: deps.clock(),
    lastUsedAt: null,
  };
  await deps.store.write(async (db) => {
    await assertSession(db, sessionId);
    if (!(await takeChallenge(db, hashToken(challenges[0] ?? ""), accountId, deps.clock())))
      throwInvalidResponse(undefined);
    // With another factor, the person must sign in with that one; adding a passkey does not count.
    const isFirstFactor =
      (await findTotp(db, accountId))?.confirmedAt == null && (await listRows(db, accountId)).length === 0;
    if (isFirstFactor) await markSecondFactor(db, sessionId);
    if (!(await insertPasskey(db, passkey))) throw new AppError("conflict", "This passkey is in use already.");
    await recordAudit(db, deps, origin, {
      action: "passkey.added",
      targetKind: "account",
      targetId: accountId,
      detail: { name: passkey.name },
    });
    await notifyAccount(db, deps, accountId, "passkey-added");
  });
  return passkey;
}

/** @throws AppError `not_found`. */
export function removePasskey(
  deps: Pick<Deps, "store" | "clock" | "newId" | "secrets" | "mail">,
  accountId: string,
  id: string,
  origin: Origin,
): Promise<void> {
  return deps.store.write(async (db) => {
    if (!(await deletePasskey(db, accountId, id)))
      throw new AppError("not_found", "There is no such passkey any more.");
    await forgetShownFactors(db, accountId);
    await recordAudit(db, deps, origin, { action: "passkey.removed", targetKind: "account", targetId: accountId });
    await notifyAccount(db, deps, accountId, "passkey-removed");
  });
}

/** Removes the account's passkeys except those whose ids are in `kept`, within the caller's transaction. */
export async function removePasskeys(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId" | "secrets" | "mail">,
  accountId: string,
  origin: Origin,
  kept: readonly string[] = [],
): Promise<void> {
  const passkeys = (await listRows(db, accountId)).filter(({ id }) => !kept.includes(id));
  if (passkeys.length === 0) return;
  for (const { id } of passkeys) {
    await deletePasskey(db, accountId, id);
    await recordAudit(db, deps, origin, { action: "passkey.removed", targetKind: "account", targetId: accountId });
  }
  await forgetShownFactors(db, accountId);
  await notifyAccount(db, deps, accountId, "passkey-removed");
}

/** Ids of the account's factors: those of its passkeys, and `totp:<created_at>` for a confirmed authenticator. */
export async function factorIds(db: Snapshot, accountId: string): Promise<string[]> {
  const totp = await findTotp(db, accountId);
  const passkeys = (await listRows(db, accountId)).map(({ id }) => id);
  return totp === undefined || totp.confirmedAt === null ? passkeys : [...passkeys, totpId(totp)];
}

/** Runs within the caller's transaction. `kept`: ids from `factorIds`. */
export async function removeOtherFactors(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId" | "secrets" | "mail">,
  accountId: string,
  kept: readonly string[],
  origin: Origin,
): Promise<void> {
  const totp = await findTotp(db, accountId);
  if (totp !== undefined && totp.confirmedAt !== null && !kept.includes(totpId(totp)))
    await removeTotp(db, deps, accountId, origin);
  await removePasskeys(db, deps, accountId, origin, kept);
}

function totpId({ createdAt }: Totp): string {
  return `totp:${createdAt}`;
}

export async function beginPasskeySignIn(
  deps: PasskeyDeps,
  party: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: await newChallenge(deps, null),
    timeout: CHALLENGE_MS,
    userVerification: "required",
  });
}

/** `response`: from the browser. @throws AppError `unauthenticated`, with the same message whatever is wrong. */
export async function signInByPasskey(
  deps: PasskeyDeps & Pick<Deps, "secrets" | "mail"> & { later: (work: Promise<void>) => void },
  response: unknown,
  party: RelyingParty,
  client: ClientInfo & { deviceOf: (email: string) => string | undefined },
): Promise<{ email: string; started: StartedSession }> {
  // The library validates it, and throws if it is malformed.
  const answer = response as AuthenticationResponseJSON;
  if (typeof answer.id !== "string") throw refusal();
  const found = await deps.store.read(async (db) => {
    const passkey = await findPasskey(db, answer.id);
    const account = passkey && (await findAccount(db, passkey.accountId));
    return passkey && account && { passkey, account };
  });
  if (found === undefined) throw refusal();
  const { passkey, account } = found;
  try {
    const { challenge, counter } = await verify(answer, passkey, party);
    if (getAccountState(account) !== "active") throw refusal();
    return await deps.store.write(async (db) => {
      const now = deps.clock();
      const isGood =
        (await takeChallenge(db, hashToken(challenge), null, now)) &&
        (await recordSignIn(db, account, now)) &&
        (await recordPasskeyUse(db, passkey, counter, now));
      if (!isGood) throw refusal();
      const device = await recordDevice(db, deps, account, { ...client, device: client.deviceOf(account.email) });
      const started = await startSession(db, deps, { accountId: account.id, device }, client, "passkey");
      return { email: account.email, started };
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") {
      deps.later(recordFailedSignIn(deps, account, client, "passkey"));
    }
    throw error;
  }
}

/** @throws AppError `unauthenticated`. */
async function verify(
  response: AuthenticationResponseJSON,
  { id, accountId, publicKey, counter, transports }: Passkey,
  party: RelyingParty,
): Promise<{ challenge: string; counter: number }> {
  const { verifyAuthenticationResponse } = await webauthn();
  const challenges: string[] = [];
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => challenges.push(challenge) > 0,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id, publicKey: Uint8Array.from(Buffer.from(publicKey, "base64url")), counter, transports },
    });
    const handle = response.response.userHandle;
    const isTheirs = handle === undefined || Buffer.from(handle, "base64url").toString() === accountId;
    if (!verified || !isTheirs) throw refusal();
    return { challenge: challenges[0] ?? "", counter: authenticationInfo.newCounter };
  } catch (cause) {
    throw cause instanceof AppError ? cause : refusal(cause);
  }
}

/** Returns the challenge as bytes. `accountId`: null for a sign-in. */
async function newChallenge(deps: PasskeyDeps, accountId: string | null): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = mintToken(deps.randomBytes);
  const now = deps.clock();
  await deps.store.write(
    (db) => insertChallenge(db, { hash: hashToken(challenge), accountId, expiresAt: now + CHALLENGE_MS }),
    { notify: false },
  );
  return Uint8Array.from(Buffer.from(challenge, "base64url"));
}

function throwInvalidResponse(cause: unknown): never {
  throw new AppError("invalid", "The request for the passkey has expired. Try again.", {
    cause,
  });
}

function refusal(cause?: unknown): AppError {
  return new AppError(
    "unauthenticated",
    "This passkey is not known here, or the request has expired. Try again, or sign in with your password.",
    { cause },
  );
}

/** Loaded when the first passkey is used: it takes 30 MB and 160 ms. */
function webauthn() {
  return import("@simplewebauthn/server");
}
