import {
  type Account,
  CONFIRMED_MS,
  getAccountState,
  isLive,
  SEEN_EVERY_MS,
  type Session,
} from "../../domain/people/account.ts";
import type { AccessToken } from "../../domain/people/access-token.ts";
import type { Grant } from "../../domain/people/permissions.ts";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError, ProofNeeded } from "../../domain/system/errors.ts";
import { foreignLine } from "../../domain/system/foreign-text.ts";
import { hashToken, mintToken } from "../../domain/people/one-time-token.ts";
import { findAccount, lockPeople } from "../../store/people/accounts.ts";
import { listMemberships } from "../../store/people/memberships.ts";
import {
  deleteSession,
  findSessionByHash,
  hasSession,
  insertSession,
  listSessions as listRows,
  touchSession,
} from "../../store/people/sessions.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { listRequiringSecondFactor } from "../../store/system/websites.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";

export interface ClientInfo {
  address: string;
  userAgent: string;
  device?: string | undefined;
}

interface Caller {
  /** The id of the account or the access token. */
  id: string;
  memberships: readonly Grant[];
  /** Ids of all websites that require a second factor, if this session has not shown one; otherwise empty. */
  withoutFactor: ReadonlySet<string>;
  /** Website of the resource in the request; null: all websites, undefined: there is no such resource. */
  resourceWebsite: string | null | undefined;
}

export interface SignedInPerson extends Caller {
  account: Account;
  session: Session;
}

export interface SignedInMachine extends Caller {
  token: AccessToken;
}

/** Who makes a request, and what they may do. */
export type SignedIn = SignedInPerson | SignedInMachine;

export interface StartedSession {
  /** For the cookie; stored nowhere else. */
  token: string;
  session: Session;
  /** Token for the device cookie of a new device (devices.ts); null for a known one. */
  device: string | null;
}

const MAX_USER_AGENT = 300;

/** Call it in the transaction that has verified the person. */
export async function startSession(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId" | "randomBytes">,
  { accountId, device }: { accountId: string; device: string | null },
  client: ClientInfo,
  by: "password" | "code" | "passkey" | "link",
): Promise<StartedSession> {
  const now = deps.clock();
  const token = mintToken(deps.randomBytes);
  const session: Session = {
    id: deps.newId(),
    accountId,
    tokenHash: hashToken(token),
    createdAt: now,
    lastSeenAt: now,
    confirmedAt: now,
    address: client.address,
    userAgent: foreignLine(client.userAgent, MAX_USER_AGENT),
    hasSecondFactor: by === "code" || by === "passkey",
  };
  await insertSession(db, session);
  await recordAudit(
    db,
    deps,
    { actor: accountId, address: client.address },
    {
      action: "session.started",
      targetKind: "session",
      targetId: session.id,
      detail: { by: by === "code" ? "password" : by },
    },
  );
  return { token, session, device };
}

/**
 * The token's session as the database has it now, also if ended on another node. Its last use is saved every five
 * minutes at most. @param findWebsite the website of what the request is about, in the same transaction.
 */
export async function findSignedIn(
  deps: Pick<Deps, "store" | "clock">,
  token: string,
  findWebsite: (db: Snapshot) => Promise<string | null | undefined> = () => Promise.resolve(undefined),
): Promise<SignedInPerson | undefined> {
  const now = deps.clock();
  const found = await deps.store.read(async (db) => {
    const session = await findSessionByHash(db, hashToken(token));
    if (session === undefined || !isLive(session, now)) return undefined;
    const account = await findAccount(db, session.accountId);
    if (account === undefined || getAccountState(account) !== "active") return undefined;
    const withoutFactor = new Set(session.hasSecondFactor ? [] : await listRequiringSecondFactor(db));
    const memberships = await listMemberships(db, account.id);
    return { id: account.id, session, account, memberships, withoutFactor, resourceWebsite: await findWebsite(db) };
  });
  if (found !== undefined && now - found.session.lastSeenAt >= SEEN_EVERY_MS) {
    await deps.store.write((db) => touchSession(db, found.session.id, now), { notify: false });
    found.session.lastSeenAt = now;
  }
  return found;
}

export async function listSessions(deps: Pick<Deps, "store" | "clock">, accountId: string): Promise<Session[]> {
  const now = deps.clock();
  return (await deps.store.read((db) => listRows(db, accountId))).filter((session) => isLive(session, now));
}

/** Takes effect on every node at once. @throws AppError `not_found` when the person has no such session. */
export function endSession(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  accountId: string,
  id: string,
  origin: Origin,
): Promise<void> {
  return deps.store.write(async (db) => {
    if (!(await deleteSession(db, accountId, id)))
      throw new AppError("not_found", "There is no such session any more.");
    await recordAudit(db, deps, origin, { action: "session.ended", targetKind: "session", targetId: id });
  });
}

/** Runs in the transaction that adds a factor: the session may just have ended. @throws AppError `unauthenticated`. */
export async function assertSession(db: Writer, id: string): Promise<void> {
  await lockPeople(db);
  if (!(await hasSession(db, id))) throw new AppError("unauthenticated", "Your session has ended. Sign in again.");
}

/** Anybody may be at the keyboard of an open session. @throws ProofNeeded, `current_password`, after 10 minutes. */
export function assertConfirmed(deps: Pick<Deps, "clock">, { confirmedAt }: Session): void {
  if (deps.clock() < confirmedAt + CONFIRMED_MS) return;
  throw new ProofNeeded("Enter your password again: the last time was more than 10 minutes ago.", {
    field: "current_password",
  });
}
