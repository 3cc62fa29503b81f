import {
  type AccessToken,
  ROLE_OF_SCOPE,
  TOKEN_LIFETIME_MS,
  TOKEN_PREFIX,
  TOKEN_WARNING_MS,
  type TokenScope,
} from "../../domain/people/access-token.ts";
import { SEEN_EVERY_MS } from "../../domain/people/account.ts";
import { hashKey, isWellFormedKey, keyRefusal, keyTraces, mintKey } from "../../domain/people/api-key.ts";
import { type Origin, SCHEDULE_ORIGIN } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { singleLine } from "../../domain/system/foreign-text.ts";
import { isoTime, type Millis } from "../../domain/system/time.ts";
import {
  findTokenAnywhere,
  findTokenByHash,
  insertToken,
  listExpiring,
  listTokens as listRows,
  markWarned,
  revokeToken as revokeRow,
  touchToken,
} from "../../store/people/access-tokens.ts";
import type { Snapshot } from "../../store/store.ts";
import { loadWebsite } from "../../store/system/websites.ts";
import { recordAudit } from "../system/audit.ts";
import type { Deps } from "../system/deps.ts";
import { catchFailure, type OnError } from "../system/set-aside.ts";
import { notify } from "./notifications.ts";
import type { SignedInMachine } from "./sessions.ts";

export interface NewToken {
  name: string;
  scope: TokenScope;
  /** Null: after a year. */
  expiresAt: Millis | null;
}

/** @returns the token itself, shown only once, and its stored form. @throws AppError `invalid`, `not_found`. */
export async function createToken(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  websiteId: string,
  input: NewToken,
  origin: Origin,
): Promise<{ secret: string; token: AccessToken }> {
  const name = singleLine(input.name);
  if (name === "" || name.length > 200) {
    throw new AppError(
      "invalid",
      "An access token needs a name of 1 to 200 characters. The history shows it with its changes.",
      { field: "name" },
    );
  }
  const secret = mintKey(deps.randomBytes, TOKEN_PREFIX);
  const now = deps.clock();
  const token: AccessToken = {
    ...keyTraces(secret),
    id: deps.newId(),
    websiteId,
    name,
    scope: input.scope,
    createdAt: now,
    expiresAt: input.expiresAt ?? now + TOKEN_LIFETIME_MS,
    lastUsedAt: null,
    revokedAt: null,
  };
  await deps.store.write(async (db) => {
    await loadWebsite(db, websiteId);
    await insertToken(db, token);
    await recordAudit(db, deps, origin, {
      action: "token.created",
      targetKind: "token",
      targetId: token.id,
      websiteId,
      detail: { name, prefix: token.prefix, scope: token.scope, expires_at: isoTime(token.expiresAt) },
    });
  });
  return { secret, token };
}

export function listTokens(deps: Pick<Deps, "store">, websiteId: string): Promise<AccessToken[]> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return listRows(db, websiteId);
  });
}

/** Takes effect at once everywhere: each request reads the row. Repeating is harmless. @throws AppError `not_found`. */
export function revokeToken(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  id: string,
  origin: Origin,
): Promise<AccessToken> {
  return deps.store.write(async (db) => {
    if (!(await revokeRow(db, id, deps.clock()))) return loadToken(db, id);
    const token = await loadToken(db, id);
    await recordAudit(db, deps, origin, {
      action: "token.revoked",
      targetKind: "token",
      targetId: id,
      websiteId: token.websiteId,
      detail: { name: token.name, prefix: token.prefix },
    });
    return token;
  });
}

/** Tells owners of tokens that expire soon, in their inbox and by e-mail, once for each token. */
export async function warnOfExpiry(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  onError: OnError = () => undefined,
): Promise<void> {
  const now = deps.clock();
  for (const token of await deps.store.read((db) => listExpiring(db, now, now + TOKEN_WARNING_MS))) {
    const warn = () =>
      deps.store.write(async (db) => {
        if (!(await markWarned(db, token.id, now))) return;
        await notify(db, deps, {
          kind: "token_expiring",
          websiteId: token.websiteId,
          targetId: token.id,
          actor: SCHEDULE_ORIGIN.actor,
          eventId: `token ${token.id} expires`,
          to: "everybody",
          detail: { token: token.name, expiresOn: isoTime(token.expiresAt).slice(0, 10) },
        });
      });
    await catchFailure(warn, async (error) => {
      onError(error, `owners could not be told that access token ${token.id} expires; it is retried`);
    });
  }
}

async function loadToken(db: Snapshot, id: string): Promise<AccessToken> {
  const token = await findTokenAnywhere(db, id);
  if (token === undefined) throw new AppError("not_found", `There is no access token with the id ${id}.`);
  return token;
}

/**
 * The machine that the token names, as the database has it now; undefined for an unknown, revoked or expired token. Its
 * last use is saved every five minutes at most. @param findWebsite as in `findSignedIn`.
 */
export async function findMachine(
  deps: Pick<Deps, "store" | "clock">,
  secret: string,
  findWebsite: (db: Snapshot) => Promise<string | null | undefined> = () => Promise.resolve(undefined),
): Promise<SignedInMachine | undefined> {
  if (!isWellFormedKey(secret, TOKEN_PREFIX)) return undefined;
  const now = deps.clock();
  const found = await deps.store.read(async (db) => {
    const token = await findTokenByHash(db, hashKey(secret));
    if (token === undefined || keyRefusal(token, now) !== null) return undefined;
    return { token, resourceWebsite: await findWebsite(db) };
  });
  if (found === undefined) return undefined;
  const { token, resourceWebsite } = found;
  if (token.lastUsedAt === null || now - token.lastUsedAt >= SEEN_EVERY_MS) {
    await deps.store.write((db) => touchToken(db, token.id, now), { notify: false });
  }
  return {
    id: token.id,
    token,
    memberships: [{ websiteId: token.websiteId, role: ROLE_OF_SCOPE[token.scope] }],
    // The person who made the token was asked for a second factor.
    withoutFactor: new Set(),
    resourceWebsite,
  };
}
