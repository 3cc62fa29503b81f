/**
 * Links that work once: at the first start for the owner, for those who are invited, and for those who lost their
 * password. The token stands in the address's fragment, which browsers send to nobody: it is in no log.
 */
import { type Account, parseEmail, parseName, stateOf } from "../domain/account.ts";
import type { Millis } from "../domain/article.ts";
import { AppError } from "../domain/errors.ts";
import { hashToken, mintToken } from "../domain/one-time-token.ts";
import { checkPassword } from "../domain/password.ts";
import {
  findAccount,
  hasAccounts,
  insertAccount,
  lockPeople,
  noteSignIn,
  setName,
  setPasswordHash,
} from "../store/accounts.ts";
import {
  deleteLinks,
  findLink,
  insertLink,
  type LinkPurpose,
  type OneTimeLink,
  pruneLinks,
  takeLink,
} from "../store/invitations.ts";
import { insertMembership } from "../store/memberships.ts";
import { deleteSessions } from "../store/sessions.ts";
import type { Reader, Writer } from "../store/store.ts";
import { noteAudit } from "./audit.ts";
import type { Deps } from "./deps.ts";
import type { Passwords } from "./passwords.ts";
import { type Client, startSession, type StartedSession } from "./sessions.ts";

const HOUR_MS = 3_600_000;
const GOOD_FOR_MS = {
  "set-up": 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
} as const satisfies Record<LinkPurpose, number>;

type LinkDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes">;

/** Where the person goes. `base`: the service's address. */
export function welcomeUrl(base: string, token: string): string {
  return `${base}/dashboard/welcome#${token}`;
}

/** The token of a link for the first owner; null when there is somebody already. Good for a day. */
export async function makeSetUpLink(deps: LinkDeps): Promise<string | null> {
  if (await deps.store.read(hasAccounts)) return null;
  return (await deps.store.write((db) => makeLink(db, deps, "set-up", null))).token;
}

export interface NewLink {
  token: string;
  expiresAt: Millis;
}

/** An invitation, good for a week; earlier links of the account are void. */
export function inviteTo(db: Writer, deps: Pick<Deps, "clock" | "randomBytes">, accountId: string): Promise<NewLink> {
  return makeLink(db, deps, "invitation", accountId);
}

/** A link that sets a new password, good for a day; earlier links of the account are void. */
export function resetLink(db: Writer, deps: Pick<Deps, "clock" | "randomBytes">, accountId: string): Promise<NewLink> {
  return makeLink(db, deps, "reset", accountId);
}

/** What a link is for, without using it. @throws AppError `not_found` when it is not good any more. */
export function readLink(
  deps: Pick<Deps, "store" | "clock">,
  token: string,
): Promise<{ purpose: LinkPurpose; email: string | null; name: string | null }> {
  return deps.store.read(async (db) => {
    const link = await findLink(db, hashToken(token), deps.clock());
    const { account } = await check(db, link);
    return { purpose: link?.purpose ?? "set-up", email: account?.email ?? null, name: account?.name ?? null };
  });
}

export interface Welcome {
  token: string;
  /** For the first owner only: anybody else's is known. */
  email?: string | undefined;
  name?: string | undefined;
  password: string;
}

/**
 * Sets the password and, but for a reset, signs in: a reset must not lead around the second factor. A reset ends all
 * sessions.
 *
 * @throws AppError `not_found` when the link is not good any more; `invalid`.
 */
export async function acceptLink(
  deps: LinkDeps & { passwords: Passwords },
  { token, password, ...input }: Welcome,
  client: Client,
): Promise<{ purpose: LinkPurpose; started: StartedSession | null }> {
  const known = await deps.store.read(async (db) => check(db, await findLink(db, hashToken(token), deps.clock())));
  const email = known.account?.email ?? parseEmail(input.email ?? "");
  const name = input.name === undefined ? undefined : parseName(input.name);
  checkPassword(password, email);
  const hash = await deps.passwords.hash(password);
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const taken = await takeLink(db, hashToken(token), deps.clock());
    const { link, account } = await check(db, taken);
    const accountId = account?.id ?? (await addOwner(db, deps, { email, name: name ?? "" }));
    await setPasswordHash(db, accountId, hash);
    if (account !== undefined && name !== undefined && link.purpose === "invitation") {
      await setName(db, accountId, name);
    }
    await deleteSessions(db, accountId, null);
    await deleteLinks(db, account === undefined ? null : accountId);
    await noteAudit(
      db,
      deps,
      { actor: accountId, address: client.address },
      {
        action: "password.set",
        targetKind: "account",
        targetId: accountId,
        detail: { by: link.purpose },
      },
    );
    // After a reset one signs in by oneself.
    if (link.purpose === "reset") return { purpose: link.purpose, started: null };
    await noteSignIn(db, { id: accountId, passwordHash: hash }, deps.clock());
    return { purpose: link.purpose, started: await startSession(db, deps, accountId, client, "link") };
  });
}

/** @throws AppError `not_found` unless the link can be used now. */
async function check(
  db: Reader,
  link: OneTimeLink | undefined,
): Promise<{ link: OneTimeLink; account: Account | undefined }> {
  if (link !== undefined) {
    const account = link.accountId === null ? undefined : await findAccount(db, link.accountId);
    const isGood = link.accountId === null ? !(await hasAccounts(db)) : account !== undefined && isOpen(account);
    if (isGood) return { link, account };
  }
  throw new AppError(
    "not_found",
    "This link was used before or is too old; ask an owner for another one, or run rostrum user reset-password.",
  );
}

function isOpen(account: Account): boolean {
  return stateOf(account) !== "disabled";
}

/** @returns its id. */
async function addOwner(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  person: Pick<Account, "email" | "name">,
): Promise<string> {
  const [id, createdAt] = [deps.newId(), deps.clock()];
  await insertAccount(db, { ...person, id, passwordHash: null, createdAt, disabledAt: null, lastSignInAt: null });
  await insertMembership(db, { id: deps.newId(), accountId: id, websiteId: null, role: "owner", createdAt });
  return id;
}

async function makeLink(
  db: Writer,
  deps: Pick<Deps, "clock" | "randomBytes">,
  purpose: LinkPurpose,
  accountId: string | null,
): Promise<NewLink> {
  const now = deps.clock();
  const token = mintToken(deps.randomBytes);
  await pruneLinks(db, now);
  // Several nodes that start together each print one for the first owner: all are good until one was used.
  if (accountId !== null) await deleteLinks(db, accountId);
  const tokenHash = hashToken(token);
  const expiresAt = now + GOOD_FOR_MS[purpose];
  await insertLink(db, { tokenHash, purpose, accountId, createdAt: now, expiresAt });
  return { token, expiresAt };
}
