import type { Receipt } from "../../../domain/webhooks/attempt.ts";
import { carryApproval } from "../../../domain/articles/approval.ts";
import { findFullArticle, saveReceiptVersion } from "../../../store/articles/articles.ts";
import { moveReviewRecord } from "../../../store/articles/quality/review-records.ts";
import type { Writer } from "../../../store/store.ts";
import type { Deps } from "../../system/deps.ts";
import { save } from "../write/article-persistence.ts";

/**
 * Saves where the receiver put the article. It needs no event or approval: it comes from the website that the owner has
 * connected, and concerns only where the approved text is, not the text.
 */
export async function saveReceipt(
  db: Writer,
  deps: Pick<Deps, "clock">,
  { websiteId, articleId }: { websiteId: string; articleId: string },
  receipt: Receipt,
): Promise<void> {
  const before = await findFullArticle(db, websiteId, articleId);
  // The location of an article that was taken down meanwhile is reported again when it is published again.
  if (before === undefined || before.article.deletedAt !== null || before.article.status !== "published") return;
  const { article, body } = before;
  const platformUrl = receipt.platformUrl ?? article.platformUrl;
  const platformPostId = receipt.platformPostId ?? article.platformPostId;
  if (platformUrl === article.platformUrl && platformPostId === article.platformPostId) return;
  const after = carryApproval(before, { article: { ...article, platformUrl, platformPostId }, body });
  const saved = await save(db, before, after, deps.clock());
  await moveReviewRecord(db, before.article.rowNo, article.contentHash, saved.article.contentHash);
  await saveReceiptVersion(db, article, saved.article.version);
}
