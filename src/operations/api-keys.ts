import type { Millis } from "../domain/article.ts";
import { type ApiKey, hashKey, isWellFormedKey, type KeyScope, keyTraces, mintKey } from "../domain/api-key.ts";
import { AppError } from "../domain/errors.ts";
import { findKeyByHash, insertKey, listKeys as listRows, revokeKey as revokeRow, touchKey } from "../store/api-keys.ts";
import type { Deps } from "./deps.ts";
import { loadWebsite } from "./saving.ts";

export interface NewKey {
  name: string;
  scope: KeyScope;
  expiresAt: Millis | null;
  /** Requests per second; null: the service's default; 0: unlimited. */
  rateLimit: number | null;
}

/** @returns the key itself, which is shown this once, and what is kept of it. @throws AppError `invalid`, `not_found`. */
export async function createKey(
  deps: Pick<Deps, "store" | "clock" | "newId" | "randomBytes">,
  websiteId: string,
  input: NewKey,
): Promise<{ secret: string; key: ApiKey }> {
  const name = input.name.trim();
  if (name === "" || name.length > 200) {
    throw new AppError("invalid", "A key needs a name of 1 to 200 characters, to tell it from others.", {
      field: "name",
    });
  }
  const secret = mintKey(deps.randomBytes);
  const key: ApiKey = {
    ...input,
    ...keyTraces(secret),
    id: deps.newId(),
    websiteId,
    name,
    createdAt: deps.clock(),
    lastUsedAt: null,
    revokedAt: null,
  };
  await deps.store.write(async (db) => {
    await loadWebsite(db, websiteId);
    await insertKey(db, key);
  });
  return { secret, key };
}

/** @returns the stored key whose secret this is, also when it is revoked or expired; undefined for anything else. */
export async function findKey(deps: Pick<Deps, "store">, secret: string): Promise<ApiKey | undefined> {
  if (!isWellFormedKey(secret)) return undefined;
  return deps.store.read((db) => findKeyByHash(db, hashKey(secret)));
}

export function listKeys(deps: Pick<Deps, "store">, websiteId: string): Promise<ApiKey[]> {
  return deps.store.read(async (db) => {
    await loadWebsite(db, websiteId);
    return listRows(db, websiteId);
  });
}

/** Effective at once in this process and within a second in every other. @throws AppError `not_found`. */
export async function revokeKey(deps: Pick<Deps, "store" | "clock">, id: string): Promise<ApiKey> {
  const key = await deps.store.write((db) => revokeRow(db, id, deps.clock()));
  if (key === undefined) throw new AppError("not_found", `There is no API key with the id ${id}.`);
  return key;
}

/** Writes down when keys were last used. */
export async function noteKeyUse(
  deps: Pick<Deps, "store">,
  uses: readonly { id: string; usedAt: Millis }[],
): Promise<void> {
  if (uses.length === 0) return;
  const inOrder = uses.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await deps.store.write(
    async (db) => {
      for (const use of inOrder) await touchKey(db, use.id, use.usedAt);
    },
    { isQuiet: true },
  );
}
