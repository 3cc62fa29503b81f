import { stateOf, type Account, type Membership } from "../domain/account.ts";
import type { Origin } from "../domain/audit.ts";
import { AppError } from "../domain/errors.ts";
import { hashToken, mintToken } from "../domain/one-time-token.ts";
import { isLive, SEEN_EVERY_MS, type Session } from "../domain/session.ts";
import { findAccount } from "../store/accounts.ts";
import { listMemberships } from "../store/memberships.ts";
import {
  deleteSession,
  findSessionByHash,
  insertSession,
  listSessions as listRows,
  pruneSessions,
  touchSession,
} from "../store/sessions.ts";
import type { Writer } from "../store/store.ts";
import { noteAudit } from "./audit.ts";
import type { Deps } from "./deps.ts";

/** Where a request comes from. */
export interface Client {
  address: string;
  userAgent: string;
}

export interface SignedIn {
  account: Account;
  session: Session;
  memberships: Membership[];
}

export interface StartedSession {
  /** For the cookie; it is nowhere else. */
  token: string;
  session: Session;
}

const LONGEST_USER_AGENT = 300;

/** In the transaction that has made sure who it is. */
export async function startSession(
  db: Writer,
  deps: Pick<Deps, "clock" | "newId" | "randomBytes">,
  accountId: string,
  client: Client,
  by: "password" | "passkey" | "link",
): Promise<StartedSession> {
  const now = deps.clock();
  const token = mintToken(deps.randomBytes);
  const session: Session = {
    id: deps.newId(),
    accountId,
    tokenHash: hashToken(token),
    createdAt: now,
    lastSeenAt: now,
    address: client.address,
    userAgent: client.userAgent.slice(0, LONGEST_USER_AGENT),
  };
  await pruneSessions(db, now);
  await insertSession(db, session);
  await noteAudit(
    db,
    deps,
    { actor: accountId, address: client.address },
    {
      action: "session.started",
      targetKind: "session",
      targetId: session.id,
      detail: { by },
    },
  );
  return { token, session };
}

/**
 * Whose session the token is, as the database knows it now: one that was ended on another node is over here, too.
 * Undefined when it is nobody's. That it is in use is written down every five minutes at most.
 */
export async function findSignedIn(deps: Pick<Deps, "store" | "clock">, token: string): Promise<SignedIn | undefined> {
  const now = deps.clock();
  const found = await deps.store.read(async (db) => {
    const session = await findSessionByHash(db, hashToken(token));
    if (session === undefined || !isLive(session, now)) return undefined;
    const account = await findAccount(db, session.accountId);
    if (account === undefined || stateOf(account) !== "active") return undefined;
    return { session, account, memberships: await listMemberships(db, account.id) };
  });
  if (found !== undefined && now - found.session.lastSeenAt >= SEEN_EVERY_MS) {
    await deps.store.write((db) => touchSession(db, found.session.id, now), { isQuiet: true });
    found.session.lastSeenAt = now;
  }
  return found;
}

/** Of one person, those that are live; the last used first. */
export async function listSessions(deps: Pick<Deps, "store" | "clock">, accountId: string): Promise<Session[]> {
  const now = deps.clock();
  return (await deps.store.read((db) => listRows(db, accountId))).filter((session) => isLive(session, now));
}

/** On every node, at once. @throws AppError `not_found` when the person has no such session. */
export function endSession(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  accountId: string,
  id: string,
  origin: Origin,
): Promise<void> {
  return deps.store.write(async (db) => {
    if (!(await deleteSession(db, accountId, id)))
      throw new AppError("not_found", "There is no such session any more.");
    await noteAudit(db, deps, origin, { action: "session.ended", targetKind: "session", targetId: id });
  });
}
