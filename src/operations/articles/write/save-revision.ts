/** Copy on write: what replaces content saves the previous one, so an article that never changes costs nothing. */
import { createHash } from "node:crypto";
import type { FullArticle } from "../../../domain/articles/article.ts";
import {
  toRevisionFields,
  firstMark,
  isSameText,
  type RevisionMark,
  type RevisionText,
  toRevisionText,
  wasApproved,
} from "../../../domain/articles/revision.ts";
import { findFirstEntry } from "../../../store/system/audit.ts";
import { findHead, insertRevision, insertText, saveHead, pruneRevisions } from "../../../store/articles/revisions.ts";
import type { Snapshot, StoredArticle, Writer } from "../../../store/store.ts";

/** The newest revisions kept per article. The one approved last is kept as well, even if it is older. */
export const REVISIONS_KEPT = 50;

/** Does nothing unless content that people write has changed. */
export async function saveRevision(
  db: Writer,
  before: FullArticle & { article: StoredArticle },
  after: FullArticle,
  mark: RevisionMark,
): Promise<void> {
  const fields = toRevisionFields(before);
  const text = toRevisionText(before.body);
  const isNewText = !isSameText(text, toRevisionText(after.body));
  if (!isNewText && JSON.stringify(fields) === JSON.stringify(toRevisionFields(after))) return;

  const { rowNo } = before.article;
  const head = await findHead(db, rowNo);
  const textHash = hashText(text);
  const kept = { fields, textHash, wasApproved: wasApproved(before, head?.at ?? null) };
  const number = head?.number ?? 1;
  const first = head === undefined ? await findFirstMark(db, before) : undefined;
  await Promise.all([
    first === undefined ? saveHead(db, rowNo, number, kept) : insertRevision(db, before.article, number, first, kept),
    isNewText ? insertText(db, before.article, textHash, text) : undefined,
    insertRevision(db, before.article, number + 1, mark, null),
  ]);
  if (number >= REVISIONS_KEPT) await pruneRevisions(db, rowNo, number + 1 - REVISIONS_KEPT);
}

/** How an article without revisions was created. */
export async function findFirstMark(db: Snapshot, full: FullArticle): Promise<RevisionMark> {
  const entry = await findFirstEntry(db, full.article.id, "article.created");
  return entry === undefined
    ? firstMark(full)
    : { id: entry.id, at: entry.at, actor: entry.actor, action: "article.created" };
}

function hashText({ html, markdown }: RevisionText): string {
  // Text contains no NUL, so the two cannot be confused.
  return createHash("sha256")
    .update(html)
    .update("\0")
    .update(markdown ?? "\0")
    .digest("hex");
}
