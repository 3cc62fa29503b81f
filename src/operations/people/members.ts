/** Memberships and roles. There is always at least one account that owns every website and can sign in. */
import { type Account, type Membership, parseEmail, parseName, getAccountState } from "../../domain/people/account.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { assertAllowed, covers, managedScope, type Role } from "../../domain/people/permissions.ts";
import {
  deleteAccount,
  findAccount,
  findAccountByEmail,
  insertAccount,
  lockPeople,
  setDisabled,
} from "../../store/people/accounts.ts";
import {
  countOtherOwners,
  deleteMembership,
  findMemberAnywhere,
  insertMembership,
  listAllMemberships,
  listMembers as listRows,
  listMemberships,
  type Member,
  setRole,
} from "../../store/people/memberships.ts";
import { deleteSessions } from "../../store/people/sessions.ts";
import { deletePreviewTokensOf } from "../../store/articles/preview-tokens.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { isoTimeOrNull } from "../../domain/system/time.ts";
import { voidInvitations } from "./invitations.ts";
import { assertMayInvite } from "./invitation-limits.ts";
import { type Delivered, inviteByMail, type Inviter } from "./email-links.ts";
import { loadWebsite } from "../../store/system/websites.ts";

type MemberDeps = Pick<Deps, "store" | "clock" | "newId" | "randomBytes" | "secrets" | "mail">;

export interface Invitation extends Delivered {
  member: Member;
}

export interface NewMember {
  email: string;
  name: string;
  role: Role;
  /** null: every website. */
  websiteId: string | null;
}

/** Members of the website, including those of every website; null: all memberships. */
export function listMembers(deps: Pick<Deps, "store">, websiteId: string | null): Promise<Member[]> {
  return deps.store.read((db) => listRows(db, websiteId));
}

/** A member as the dashboard's API and the commands show it. */
export function toMemberJson(one: Member) {
  return {
    id: one.id,
    account_id: one.accountId,
    email: one.email,
    name: one.name,
    role: one.role,
    website_id: one.websiteId,
    state: one.state,
    totp: one.hasTotp,
    last_sign_in_at: isoTimeOrNull(one.lastSignInAt),
  };
}

/** Adds at once if `trustedFor` covers the website, else invites. @throws AppError `conflict` for a member. */
export function addMember(deps: MemberDeps, input: NewMember, origin: Origin): Promise<Invitation> {
  const email = parseEmail(input.email);
  const name = parseName(input.name);
  const { role, websiteId } = input;
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const inviter = await requireInviter(db, origin, websiteId);
    const website = websiteId === null ? null : await loadWebsite(db, websiteId);
    const account = (await findAccountByEmail(db, email)) ?? (await addAccount(db, deps, { email, name }));
    if ((await listAllMemberships(db, account.id)).some((one) => one.websiteId === websiteId)) {
      throw new AppError("conflict", `${email} is a member already; change the role instead.`, { field: "email" });
    }
    const now = deps.clock();
    await assertMayInvite(db, deps, origin, websiteId, email);
    const isInvited = account.passwordHash === null || !covers(account.trustedFor, websiteId);
    const acceptedAt = isInvited ? null : now;
    const membership: Membership = {
      id: deps.newId(),
      accountId: account.id,
      websiteId,
      role,
      createdAt: now,
      acceptedAt,
    };
    await insertMembership(db, membership);
    await recordAudit(db, deps, origin, {
      action: isInvited ? "member.invited" : "member.added",
      targetKind: "membership",
      targetId: membership.id,
      websiteId,
      detail: { email, role },
    });
    const member = await loadMember(db, membership.id);
    if (!isInvited) return { member, token: null, isMailed: false };
    return { member, ...(await inviteByMail(db, deps, membership, email, inviter, website)) };
  });
}

/** Replaces a lost invitation. @throws AppError `not_found`, `forbidden`; `conflict` if accepted, or without a way. */
export function inviteAgain(deps: MemberDeps, id: string, origin: Origin): Promise<Invitation> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const member = await loadMember(db, id);
    const inviter = await requireInviter(db, origin, member.websiteId);
    if (member.acceptedAt !== null) {
      throw new AppError(
        "conflict",
        `${member.email} has accepted the invitation already; "rostrum user reset-password" makes a link for a new password.`,
      );
    }
    await assertMayInvite(db, deps, origin, member.websiteId, member.email);
    await recordMemberChange(db, deps, origin, "member.invited", member, { role: member.role });
    const website = member.websiteId === null ? null : await loadWebsite(db, member.websiteId);
    const delivered = await inviteByMail(db, deps, member, member.email, inviter, website);
    if (delivered.token === null && !delivered.isMailed) {
      throw new AppError(
        "conflict",
        `${member.email} also belongs to websites that you do not own, so you cannot see this link, and this service sends no mails. ` +
          "Ask an owner of every website to make it.",
      );
    }
    return { member, ...delivered };
  });
}

/** @throws AppError `not_found`, `forbidden`; `conflict` for the last owner. */
export function changeRole(deps: MemberDeps, id: string, role: Role, origin: Origin): Promise<Member> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const member = await loadMember(db, id);
    await requireInviter(db, origin, member.websiteId);
    if (member.role === role) return member;
    if (role !== "owner") await assertNotLastOwnership(db, member);
    await setRole(db, id, role);
    await recordMemberChange(db, deps, origin, "member.changed", member, { from: member.role, to: role });
    return { ...member, role };
  });
}

/** Keeps memberships. @throws AppError `not_found`; `forbidden` unless owner of all websites; `conflict`: the last. */
export function setMemberDisabled(deps: MemberDeps, id: string, isDisabled: boolean, origin: Origin): Promise<Member> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const member = await loadMember(db, id);
    await requireInviter(db, origin, null);
    const account = await loadAccount(db, member.accountId);
    if ((account.disabledAt !== null) === isDisabled) return member;
    if (isDisabled) await assertNotLastOwner(db, account);
    await setDisabled(db, account.id, isDisabled ? deps.clock() : null);
    if (isDisabled) await deleteSessions(db, account.id, null);
    await recordAudit(db, deps, origin, {
      action: isDisabled ? "account.disabled" : "account.enabled",
      targetKind: "account",
      targetId: account.id,
      detail: { email: account.email },
    });
    return loadMember(db, id);
  });
}

/** Deletes the account with its last membership. @throws AppError `not_found`, `forbidden`; `conflict`: last owner. */
export function removeMember(deps: MemberDeps, id: string, origin: Origin): Promise<void> {
  return deps.store.write(async (db) => {
    await lockPeople(db);
    const member = await loadMember(db, id);
    await requireInviter(db, origin, member.websiteId);
    await assertNotLastOwnership(db, member);
    await removeMembership(db, deps, member, origin);
  });
}

/** Call it in a transaction that holds `lockPeople`. */
export async function removeMembership(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  member: Member,
  origin: Origin,
): Promise<void> {
  await voidInvitations(db, member);
  await deletePreviewTokensOf(db, member.accountId);
  await deleteMembership(db, member.id);
  await recordMemberChange(db, deps, origin, "member.removed", member, { role: member.role });
  if ((await listAllMemberships(db, member.accountId)).length > 0) return;
  await deleteAccount(db, member.accountId);
  await recordAudit(db, deps, origin, {
    action: "account.removed",
    targetKind: "account",
    targetId: member.accountId,
    detail: { email: member.email },
  });
}

/** Runs in the transaction: the actor's role may be gone. Commands may do anything. @throws AppError `forbidden`. */
async function requireInviter(db: Snapshot, origin: Origin, websiteId: string | null): Promise<Inviter> {
  if (origin.actor === "cli") return { scope: "every", shownTo: null };
  const grants = await listMemberships(db, origin.actor);
  assertAllowed(grants, "members.manage", websiteId);
  return { scope: managedScope(grants), shownTo: origin.actor };
}

async function addAccount(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  person: Pick<Account, "email" | "name">,
): Promise<Account> {
  const account: Account = {
    ...person,
    id: deps.newId(),
    passwordHash: null,
    trustedFor: [],
    createdAt: deps.clock(),
    disabledAt: null,
    lastSignInAt: null,
  };
  await insertAccount(db, account);
  return account;
}

/** @throws AppError `conflict` when no owner of every website would be left without this membership. */
async function assertNotLastOwnership(db: Snapshot, member: Member): Promise<void> {
  if (member.websiteId !== null || member.role !== "owner" || member.state !== "active") return;
  await assertOtherOwner(db, member.accountId);
}

async function assertNotLastOwner(db: Snapshot, account: Account): Promise<void> {
  const grants = await listMemberships(db, account.id);
  const isOwner = grants.some(({ websiteId, role }) => websiteId === null && role === "owner");
  if (isOwner && getAccountState(account) === "active") await assertOtherOwner(db, account.id);
}

async function assertOtherOwner(db: Snapshot, accountId: string): Promise<void> {
  if ((await countOtherOwners(db, accountId)) > 0) return;
  throw new AppError("conflict", "This is the last owner: make somebody else an owner of every website first.");
}

async function loadMember(db: Snapshot, id: string): Promise<Member> {
  const member = await findMemberAnywhere(db, id);
  if (member === undefined) throw new AppError("not_found", `There is no member with the id ${id}.`);
  return member;
}

async function loadAccount(db: Snapshot, id: string): Promise<Account> {
  const account = await findAccount(db, id);
  if (account === undefined) throw new Error(`no account ${id}`);
  return account;
}

function recordMemberChange(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  origin: Origin,
  action: "member.invited" | "member.changed" | "member.removed",
  { id, email, websiteId }: Member,
  detail: Record<string, string>,
): Promise<void> {
  const targetKind = "membership";
  return recordAudit(db, deps, origin, { action, targetKind, targetId: id, websiteId, detail: { email, ...detail } });
}
