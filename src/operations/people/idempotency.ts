/** Records an `Idempotency-Key` with the change, for a repeat after a lost answer or a crash. */
import { AppError } from "../../domain/system/errors.ts";
import { DAY_MS } from "../../domain/system/time.ts";
import { findIdempotencyKey, type IdempotencyKey, insertIdempotencyKey } from "../../store/people/idempotency-keys.ts";
import type { Writer } from "../../store/store.ts";
import type { Deps } from "../system/deps.ts";

export const IDEMPOTENCY_KEYS_KEPT_MS = DAY_MS;

/** A request that names a key. */
export type KeyedRequest = Omit<IdempotencyKey, "articleId" | "createdAt">;

/** The first request under the key is done, and this one is a repeat of it; its transaction is rolled back. */
export class AlreadyDone extends AppError {
  readonly done: IdempotencyKey;

  constructor(done: IdempotencyKey) {
    super("conflict", "The first request with this Idempotency-Key has been answered meanwhile: repeat this one.");
    this.done = done;
  }
}

/** Finds what was done under the request's key; undefined: nothing. */
export function findDone(
  deps: Pick<Deps, "store" | "clock">,
  { tokenId, key }: Pick<KeyedRequest, "tokenId" | "key">,
): Promise<IdempotencyKey | undefined> {
  return deps.store.read((db) => findIdempotencyKey(db, tokenId, key, deps.clock() - IDEMPOTENCY_KEYS_KEPT_MS));
}

/** Runs in the transaction of the request's change; a second call changes nothing. @throws AlreadyDone. */
export async function recordDone(
  db: Writer,
  deps: Pick<Deps, "clock">,
  request: KeyedRequest,
  articleId: string,
): Promise<void> {
  const createdAt = deps.clock();
  const since = createdAt - IDEMPOTENCY_KEYS_KEPT_MS;
  if (await insertIdempotencyKey(db, { ...request, articleId, createdAt }, since)) return;
  const done = await findIdempotencyKey(db, request.tokenId, request.key, since);
  if (done !== undefined && done.requestId !== request.requestId) throw new AlreadyDone(done);
}
