/** Known devices, by a cookie, have rate limits of their own; a sign-in without it is mailed. It grants no access. */
import type { Account } from "../../domain/people/account.ts";
import type { Millis } from "../../domain/system/time.ts";
import { newDeviceMail } from "../../domain/system/email.ts";
import { hashToken, mintToken } from "../../domain/people/one-time-token.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { findAccountByEmail } from "../../store/people/accounts.ts";
import { deleteDevices, findDevice, insertDevice, pruneDevices, touchDevice } from "../../store/people/devices.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";
import { writeMails } from "../system/email-outbox.ts";
import type { ClientInfo } from "./sessions.ts";

/** A device is forgotten after this time without a sign-in. */
export const DEVICE_IDLE_MS = 180 * DAY_MS;
const MAX_DEVICES = 20;

type DeviceDeps = Pick<Deps, "clock" | "newId" | "randomBytes" | "secrets" | "mail">;

/** @returns the id of the device with this token, if it is known for the person; otherwise null. */
export async function knownDevice(
  deps: Pick<Deps, "store" | "clock">,
  email: string,
  token: string | undefined,
): Promise<string | null> {
  if (token === undefined) return null;
  return deps.store.read(async (db) => {
    const account = await findAccountByEmail(db, email);
    // Also looked up for an unknown e-mail address, so that both cases take the same time.
    return (await find(db, account?.id ?? "", token, deps.clock())) ?? null;
  });
}

/** Runs in the sign-in's transaction. A new device, but the first, is mailed. @returns its token; null: it is known. */
export async function recordDevice(
  db: Writer,
  deps: DeviceDeps,
  account: Pick<Account, "id" | "email" | "lastSignInAt">,
  client: ClientInfo,
): Promise<string | null> {
  const now = deps.clock();
  const known = client.device === undefined ? undefined : await find(db, account.id, client.device, now);
  if (known !== undefined) {
    await touchDevice(db, known, now);
    return null;
  }
  const token = mintToken(deps.randomBytes);
  const device = { id: deps.newId(), accountId: account.id, tokenHash: hashToken(token) };
  await insertDevice(db, { ...device, createdAt: now, lastUsedAt: now });
  await pruneDevices(db, account.id, MAX_DEVICES);
  if (account.lastSignInAt !== null && deps.mail !== null) {
    const mail = { to: account.email, ...newDeviceMail({ base: deps.mail.base, at: now, ...client }) };
    await writeMails(db, deps, [mail], { websiteId: null });
  }
  return token;
}

/** Deletes the account's devices except the one with the token. Call it when the password changes. */
export async function forgetDevices(
  db: Writer,
  deps: Pick<Deps, "clock">,
  accountId: string,
  exceptToken: string | undefined,
): Promise<void> {
  const kept = exceptToken === undefined ? undefined : await find(db, accountId, exceptToken, deps.clock());
  await deleteDevices(db, accountId, kept ?? null);
}

function find(db: Snapshot, accountId: string, token: string, now: Millis): Promise<string | undefined> {
  return findDevice(db, accountId, hashToken(token), now - DEVICE_IDLE_MS);
}
