import { type ApiKey, hashKey, isWellFormedKey } from "../../domain/people/api-key.ts";
import { findKeyByHash } from "../../store/people/api-keys.ts";
import type { Deps } from "../system/deps.ts";

/** @returns the stored key with this secret, even if it is revoked or expired; otherwise undefined. */
export async function findKey(deps: Pick<Deps, "store">, secret: string): Promise<ApiKey | undefined> {
  if (!isWellFormedKey(secret)) return undefined;
  return deps.store.read((db) => findKeyByHash(db, hashKey(secret)));
}
