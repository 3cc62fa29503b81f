/** Links that let somebody without an account review one text of one article. */
import type { Millis } from "../../domain/system/time.ts";
import type { Row } from "../row.ts";
import { toCamelCase } from "../../domain/system/camel-case.ts";
import type { Snapshot, Writer } from "../store.ts";

export type GuestDecision = "approve" | "request-changes";

export interface ReviewLink {
  id: string;
  websiteId: string;
  articleId: string;
  /** Hash of the text that the link is for. */
  contentHash: string;
  /** Who the link is for, in its creator's words. */
  label: string;
  /** An account's id, or "cli". */
  createdBy: string;
  createdAt: Millis;
  expiresAt: Millis;
  revokedAt: Millis | null;
  /** The guest who decided or commented, in words. */
  guest: string | null;
  decision: GuestDecision | null;
  decidedAt: Millis | null;
}

const COLUMNS = `id, website_id, article_id, content_hash, label, created_by, created_at, expires_at, revoked_at, guest,
  decision, decided_at`;

/** @param hash SHA-256 of its token, hexadecimal. */
export async function insertReviewLink(
  db: Writer,
  hash: string,
  link: Omit<ReviewLink, "revokedAt" | "guest" | "decision" | "decidedAt">,
): Promise<void> {
  await db.run(
    `INSERT INTO review_links (id, hash, website_id, article_id, content_hash, label, created_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    link.id,
    hash,
    link.websiteId,
    link.articleId,
    link.contentHash,
    link.label,
    link.createdBy,
    link.createdAt,
    link.expiresAt,
  );
}

/** The link with that token; undefined if it has expired or was revoked. */
export async function findReviewLink(db: Snapshot, hash: string, now: Millis): Promise<ReviewLink | undefined> {
  const row = await db.get(
    `SELECT ${COLUMNS} FROM review_links WHERE hash = ? AND expires_at > ? AND revoked_at IS NULL`,
    hash,
    now,
  );
  return row && fromRow(row);
}

/** Links that have not expired, newest first. */
export async function listReviewLinks(db: Snapshot, articleId: string, now: Millis): Promise<ReviewLink[]> {
  const rows = await db.all(
    `SELECT ${COLUMNS} FROM review_links WHERE article_id = ? AND expires_at > ? ORDER BY created_at DESC, id DESC`,
    articleId,
    now,
  );
  return rows.map(fromRow);
}

/** The guests of the article's other links, in words, expired ones included. */
export async function listOtherGuests(db: Snapshot, { id, articleId }: ReviewLink): Promise<string[]> {
  const rows = await db.all(
    "SELECT guest FROM review_links WHERE article_id = ? AND id <> ? AND guest IS NOT NULL",
    articleId,
    id,
  );
  return rows.flatMap(({ guest }) => guest ?? []);
}

/** @returns false if there is no such link, or it was already revoked. */
export async function revokeReviewLink(db: Writer, articleId: string, id: string, now: Millis): Promise<boolean> {
  const count = await db.run(
    "UPDATE review_links SET revoked_at = ? WHERE id = ? AND article_id = ? AND revoked_at IS NULL",
    now,
    id,
    articleId,
  );
  return count === 1;
}

export async function setGuestDecision(
  db: Writer,
  id: string,
  { guest, decision, at }: { guest: string; decision: GuestDecision; at: Millis },
): Promise<void> {
  await db.run("UPDATE review_links SET guest = ?, decision = ?, decided_at = ? WHERE id = ?", guest, decision, at, id);
}

/** Names the guest who uses the link, unless somebody has used it before. */
export async function setGuest(db: Writer, id: string, guest: string): Promise<void> {
  await db.run("UPDATE review_links SET guest = ? WHERE id = ? AND guest IS NULL", guest, id);
}

function fromRow(row: Row<`SELECT ${typeof COLUMNS} FROM review_links`>): ReviewLink {
  return {
    ...toCamelCase(row),
    // Written by `setGuestDecision`.
    decision: row.decision as GuestDecision | null,
  };
}
