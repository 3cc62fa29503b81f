/**
 * What one-time links (invitations.ts) do when they are used.
 *
 * Anybody who sees a link can use it. An invitation's `scope` is therefore limited to the websites whose members every
 * account that has seen it may manage, both when it is made and when it is used.
 *
 * - Accepting an invitation replaces the account's password and factors, and accepts the memberships within the scope.
 * - It is refused when the account has an accepted membership outside the scope.
 * - The account stores the scope (`trustedFor`). Later memberships within it count at once; others need a link of their
 *   own.
 *
 * So the accepted memberships of an account are always within the scope of the link that was used last.
 */
import { type Account, type Membership, parseEmail, parseName, getAccountState } from "../../domain/people/account.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { hashToken, type LinkPurpose } from "../../domain/people/one-time-token.ts";
import { covers, coversAll, intersection, managedScope, type WebsiteScope } from "../../domain/people/permissions.ts";
import {
  deleteFactors,
  findAccount,
  hasAccounts,
  insertAccount,
  lockPeople,
  recordSignIn,
  setName,
  setPasswordHash,
  setTrustedFor,
} from "../../store/people/accounts.ts";
import {
  deleteLink,
  deleteLinks,
  findLink,
  listOneTimeLinks,
  type OneTimeLink,
  takeLink,
} from "../../store/people/one-time-links.ts";
import {
  acceptMembership,
  insertMembership,
  listAllMemberships,
  listMemberships,
} from "../../store/people/memberships.ts";
import { deleteEmailChanges } from "../../store/people/email-changes.ts";
import { deleteSessions } from "../../store/people/sessions.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { forgetDevices, recordDevice } from "./devices.ts";
import { removeOtherFactors } from "./passkeys.ts";
import type { Passwords } from "../system/passwords.ts";
import { notifyAccount } from "./security-notices.ts";
import { type ClientInfo, startSession, type StartedSession } from "./sessions.ts";

type LinkDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">;

interface LinkFacts {
  purpose: LinkPurpose;
  /** null: the first owner enters it. */
  email: string | null;
  name: string | null;
  /** Whether the account already has a password, which the link replaces. */
  hasPassword: boolean;
}

/** Describes a link without using it. @throws AppError `not_found` when it is no longer valid. */
export function readLink(deps: Pick<Deps, "store" | "clock">, token: string): Promise<LinkFacts> {
  return deps.store.read(async (db) => {
    const link = await findLink(db, hashToken(token), deps.clock());
    const { account } = await check(db, link);
    return {
      purpose: link?.purpose ?? "set-up",
      email: account?.email ?? null,
      name: account?.name ?? null,
      hasPassword: account?.passwordHash != null,
    };
  });
}

export interface Welcome {
  token: string;
  /** Only for the first owner; other accounts have one. */
  email?: string | undefined;
  name?: string | undefined;
  password: string;
}

/**
 * Sets the password, ends all sessions and forgets all devices. Signs in, but not after a reset, which must not bypass
 * the second factor. @throws AppError `not_found` when the link is no longer valid; `invalid`.
 */
export async function acceptLink(
  deps: LinkDeps & { passwords: Passwords },
  { token, password, ...input }: Welcome,
  client: ClientInfo,
): Promise<{ purpose: LinkPurpose; email: string; started: StartedSession | null }> {
  const known = await deps.store.read(async (db) => check(db, await findLink(db, hashToken(token), deps.clock())));
  const email = known.account?.email ?? parseEmail(input.email ?? "");
  const name = input.name === undefined ? undefined : parseName(input.name);
  await deps.passwords.check(password, email);
  const hash = await deps.passwords.hash(password);
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const taken = await takeLink(db, hashToken(token), deps.clock());
    const { link, account, offered } = await check(db, taken);
    const accountId = account?.id ?? (await addOwner(db, deps, { email, name: name ?? "" }));
    const origin = { actor: accountId, address: client.address };
    await setPasswordHash(db, accountId, hash);
    await deleteEmailChanges(db, accountId, "confirm");
    await deleteSessions(db, accountId, null);
    if (link.purpose === "invitation") {
      if (name !== undefined) await setName(db, accountId, name);
      await openAnew(db, deps, { ...link, accountId }, offered, origin);
    } else {
      await deleteLinks(db, link.accountId);
      await forgetDevices(db, deps, accountId, undefined);
      if (link.keptFactors !== null) await removeOtherFactors(db, deps, accountId, link.keptFactors, origin);
    }
    await recordAudit(db, deps, origin, {
      action: "password.set",
      targetKind: "account",
      targetId: accountId,
      detail: { by: link.purpose },
    });
    if (account !== undefined && account.passwordHash !== null) {
      await notifyAccount(db, deps, accountId, "password-changed");
    }
    // A reset does not sign in: that requires the second factor.
    if (link.purpose === "reset") return { purpose: link.purpose, email, started: null };
    await recordSignIn(db, { id: accountId, passwordHash: hash }, deps.clock());
    // `lastSignInAt: null` sends no email about a new device: all earlier ones were removed.
    const device = await recordDevice(db, deps, { id: accountId, email, lastSignInAt: null }, client);
    const started = await startSession(db, deps, { accountId, device }, client, "link");
    return { purpose: link.purpose, email, started };
  });
}

/** Removes all earlier credentials of the account, and accepts the offered memberships. */
async function openAnew(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  { accountId, scope }: { accountId: string; scope: WebsiteScope },
  offered: readonly Membership[],
  origin: Origin,
): Promise<void> {
  await deleteFactors(db, accountId);
  await setTrustedFor(db, accountId, scope);
  for (const { id, websiteId, role } of offered) {
    await acceptMembership(db, id, deps.clock());
    const accepted = { targetKind: "membership", targetId: id, websiteId, detail: { role } } as const;
    await recordAudit(db, deps, origin, { action: "member.accepted", ...accepted });
  }
  // A link with a wider scope is still needed for the memberships that this one does not cover.
  for (const other of await listOneTimeLinks(db, accountId)) {
    if (coversAll(scope, other.scope)) await deleteLink(db, other.tokenHash);
  }
}

interface Usable {
  link: OneTimeLink;
  account: Account | undefined;
  /** Memberships that using the link accepts. */
  offered: Membership[];
}

/** @throws AppError `not_found` unless the link can be used now. */
async function check(db: Snapshot, link: OneTimeLink | undefined): Promise<Usable> {
  if (link !== undefined) {
    const { accountId, purpose } = link;
    const account = accountId === null ? undefined : await findAccount(db, accountId);
    const isGood = accountId === null ? !(await hasAccounts(db)) : account !== undefined && isOpen(account);
    const scope = await currentScope(db, link);
    const offered = purpose === "invitation" && accountId !== null ? await offeredBy(db, accountId, scope) : [];
    if (isGood && (purpose !== "invitation" || offered.length > 0))
      return { link: { ...link, scope }, account, offered };
  }
  throw new AppError(
    "not_found",
    "This link has been used or has expired; ask an owner for another one, or run rostrum user reset-password.",
  );
}

/** The memberships that an invitation accepts; none when the account has an accepted membership outside the scope. */
async function offeredBy(db: Snapshot, accountId: string, scope: WebsiteScope): Promise<Membership[]> {
  const within: Membership[] = [];
  for (const membership of await listAllMemberships(db, accountId)) {
    const isWithin = covers(scope, membership.websiteId);
    if (membership.acceptedAt === null && isWithin) within.push(membership);
    else if (membership.acceptedAt !== null && !isWithin) return [];
  }
  return within;
}

/** The link's scope, reduced to the websites whose members the account that saw it may still manage. */
async function currentScope(db: Snapshot, { scope, shownTo }: OneTimeLink): Promise<WebsiteScope> {
  if (shownTo === null) return scope;
  const account = await findAccount(db, shownTo);
  if (account === undefined || !isOpen(account)) return [];
  return intersection(scope, managedScope(await listMemberships(db, shownTo)));
}

function isOpen(account: Account): boolean {
  return getAccountState(account) !== "disabled";
}

/** @returns its id. */
async function addOwner(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  person: Pick<Account, "email" | "name">,
): Promise<string> {
  const [id, createdAt] = [deps.newId(), deps.clock()];
  const fresh = { passwordHash: null, disabledAt: null, lastSignInAt: null };
  await insertAccount(db, { ...person, ...fresh, id, trustedFor: "every", createdAt });
  const membership = { id: deps.newId(), accountId: id, websiteId: null, role: "owner" } as const;
  await insertMembership(db, { ...membership, createdAt, acceptedAt: createdAt });
  return id;
}
