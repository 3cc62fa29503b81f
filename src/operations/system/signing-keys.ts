/** Keys that sign review records. The first is made at its first use; a rotation adds one, and earlier ones stay. */
import { createHmac } from "node:crypto";
import type { Origin } from "../../domain/system/audit.ts";
import { AppError } from "../../domain/system/errors.ts";
import { SEED_BYTES, type SigningKey, toJwks, toSigningKey } from "../../domain/system/signing-key.ts";
import { isoTime, type Millis } from "../../domain/system/time.ts";
import {
  deletePseudonymKey,
  findCurrentKey,
  findPseudonymKey,
  insertPseudonymKey,
  insertSigningKey,
  listSigningKeys,
  retireSigningKeys,
  revokeSigningKey,
  type SealedKey,
} from "../../store/system/signing-keys.ts";
import type { Snapshot, Writer } from "../../store/store.ts";
import { recordAudit } from "./audit.ts";
import type { Deps } from "./deps.ts";
import { assertSameKeyIn, opens } from "./secret-check.ts";

type SealingDeps = Pick<Deps, "secrets" | "randomBytes">;
type KeyDeps = SealingDeps & Pick<Deps, "store" | "clock" | "newId">;

/** A key with what it signs with. */
export interface Signer {
  id: string;
  seed: Buffer;
}

/** The key that signs, made if there is none. @throws AppError `misconfigured` when the secret key is another one. */
export async function loadSigner(db: Writer, deps: SealingDeps, now: Millis): Promise<Signer> {
  const current = await findCurrentKey(db);
  if (current !== undefined) return { id: current.id, seed: Buffer.from(open(deps, current), "base64url") };
  return makeKey(db, deps, now);
}

async function makeKey(db: Writer, deps: SealingDeps, now: Millis): Promise<Signer> {
  await assertSameKeyIn(db, deps);
  const seed = deps.randomBytes(SEED_BYTES);
  const key = toSigningKey(seed, now);
  // The command that revokes a key would take such an id for an option.
  if (key.id.startsWith("-")) return makeKey(db, deps, now);
  await insertSigningKey(db, key, deps.secrets().seal(seed.toString("base64url"), key.id));
  return { id: key.id, seed };
}

const PSEUDONYM_LENGTH = 22;

/** What a person is called in all records of a website; only who has the service's secrets can tell who it is. */
export async function pseudonym(db: Writer, deps: SealingDeps, websiteId: string, accountId: string): Promise<string> {
  let found = await findPseudonymKey(db);
  if (found === undefined) {
    await assertSameKeyIn(db, deps);
    const key = deps.randomBytes(SEED_BYTES).toString("base64url");
    await insertPseudonymKey(db, (context) => deps.secrets().seal(key, context));
    found = await findPseudonymKey(db);
  }
  const key = found === undefined ? "" : open(deps, found);
  return createHmac("sha256", Buffer.from(key, "base64url"))
    .update(`${websiteId}\0${accountId}`)
    .digest("base64url")
    .slice(0, PSEUDONYM_LENGTH);
}

function open({ secrets }: Pick<Deps, "secrets">, { sealed, id }: SealedKey): string {
  try {
    return secrets().open(sealed ?? "", id);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(
      "misconfigured",
      'The keys of review records were encrypted with another key. Ask the operator of the service to set ROSTRUM_SECRET_KEY to the earlier key, or to put its secret.key back; if it is lost, "rostrum review-key rotate" makes new ones.',
      { cause: error },
    );
  }
}

/** Oldest first. */
export function listReviewKeys(deps: Pick<Deps, "store">): Promise<SigningKey[]> {
  return deps.store.read(listSigningKeys);
}

/** The key set that records are checked with. */
export async function readKeySet(deps: Pick<Deps, "store">): Promise<ReturnType<typeof toJwks>> {
  return toJwks(await listReviewKeys(deps));
}

/** Makes a new key that signs from now on. If the secret key was lost, people get new pseudonyms, too. */
export function rotateReviewKey(deps: KeyDeps, origin: Origin): Promise<SigningKey> {
  return deps.store.write(async (db) => {
    const now = deps.clock();
    await retireSigningKeys(db, now);
    const ofPseudonyms = await findPseudonymKey(db);
    const isLost = ofPseudonyms !== undefined && !opens(deps.secrets(), ofPseudonyms.sealed ?? "", ofPseudonyms.id);
    if (isLost) await deletePseudonymKey(db);
    const { id } = await makeKey(db, deps, now);
    await recordAudit(db, deps, origin, { action: "review_key.rotated", targetKind: "review_key", targetId: id });
    return loadKey(db, id);
  });
}

/**
 * What the key has signed since that time is not valid, and it signs nothing more; the next record is signed by a new
 * one. @param since default: now. @throws AppError `not_found`; `invalid` for a time in the future.
 */
export function revokeReviewKey(
  deps: KeyDeps,
  id: string,
  since: Millis | undefined,
  origin: Origin,
): Promise<SigningKey> {
  return deps.store.write(async (db) => {
    const now = deps.clock();
    const { revokedAt } = await loadKey(db, id);
    const at = Math.min(since ?? now, revokedAt ?? Infinity);
    if (at > now) throw new AppError("invalid", "Choose a time that is not in the future.", { field: "since" });
    await revokeSigningKey(db, id, at, now);
    await recordAudit(db, deps, origin, {
      action: "review_key.revoked",
      targetKind: "review_key",
      targetId: id,
      detail: { since: isoTime(at) },
    });
    return loadKey(db, id);
  });
}

async function loadKey(db: Snapshot, id: string): Promise<SigningKey> {
  const found = (await listSigningKeys(db)).find((key) => key.id === id);
  if (found === undefined) throw new AppError("not_found", `There is no review key with the id ${id}.`);
  return found;
}
