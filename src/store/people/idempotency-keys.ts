/** What access tokens have done under their idempotency keys. */
import type { Millis } from "../../domain/system/time.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface IdempotencyKey {
  tokenId: string;
  key: string;
  websiteId: string;
  /** Tells the request itself from a repeat under its key. */
  requestId: string;
  /** SHA-256 of method, path and body. */
  hash: string;
  articleId: string;
  /** HTTP status of the answer. */
  status: number;
  createdAt: Millis;
}

const COLUMNS = "token_id, key, website_id, request_id, hash, article_id, status, created_at";

/** Finds what was done under a key; undefined if that is older than `since`. */
export async function findIdempotencyKey(
  db: Snapshot,
  tokenId: string,
  key: string,
  since: Millis,
): Promise<IdempotencyKey | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM idempotency_keys WHERE token_id = ? AND key = ? AND created_at >= ?`,
    tokenId,
    key,
    since,
  );
  return row && toCamelCase(row);
}

/** Replaces a row that is older than `since`. @returns false if there is one already. */
export async function insertIdempotencyKey(db: Writer, row: IdempotencyKey, since: Millis): Promise<boolean> {
  const changed = await db.run(
    `INSERT INTO idempotency_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (token_id, key) DO UPDATE SET request_id = excluded.request_id, hash = excluded.hash,
       article_id = excluded.article_id, status = excluded.status, created_at = excluded.created_at
     WHERE idempotency_keys.created_at < ?`,
    row.tokenId,
    row.key,
    row.websiteId,
    row.requestId,
    row.hash,
    row.articleId,
    row.status,
    row.createdAt,
    since,
  );
  return changed > 0;
}
