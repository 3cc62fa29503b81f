import type { Millis } from "../../domain/system/time.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface PreviewToken {
  /** SHA-256 of the token, hexadecimal. */
  hash: string;
  websiteId: string;
  articleId: string;
  /** An account's id, or "cli". */
  createdBy: string;
  createdAt: Millis;
  expiresAt: Millis;
}

export async function insertPreviewToken(db: Writer, token: PreviewToken): Promise<void> {
  await db.run(
    `INSERT INTO preview_tokens (hash, website_id, article_id, created_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    token.hash,
    token.websiteId,
    token.articleId,
    token.createdBy,
    token.createdAt,
    token.expiresAt,
  );
}

/** @returns the id of the article that the token shows, or undefined if it is not valid on this website. */
export async function findPreviewedId(
  db: Snapshot,
  websiteId: string,
  hash: string,
  now: Millis,
): Promise<string | undefined> {
  const row = await db.get(
    "SELECT article_id FROM preview_tokens WHERE hash = ? AND website_id = ? AND expires_at > ?",
    hash,
    websiteId,
    now,
  );
  return row?.article_id;
}

export async function hasPreviewToken(
  db: Snapshot,
  { articleId, createdBy }: Pick<PreviewToken, "articleId" | "createdBy">,
  now: Millis,
): Promise<boolean> {
  const row = await db.get(
    "SELECT 1 AS found FROM preview_tokens WHERE created_by = ? AND article_id = ? AND expires_at > ? LIMIT 1",
    createdBy,
    articleId,
    now,
  );
  return row !== undefined;
}

/** Deletes the article's tokens. @returns how many. */
export function deletePreviewTokens(db: Writer, websiteId: string, articleId: string): Promise<number> {
  return db.run("DELETE FROM preview_tokens WHERE website_id = ? AND article_id = ?", websiteId, articleId);
}

export async function deletePreviewTokensOf(db: Writer, accountId: string): Promise<void> {
  await db.run("DELETE FROM preview_tokens WHERE created_by = ?", accountId);
}
