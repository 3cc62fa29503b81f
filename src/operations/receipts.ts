import type { Receipt } from "../domain/attempt.ts";
import { findArticle, findBody } from "../store/articles.ts";
import { noteReceiptVersion } from "../store/receipt-versions.ts";
import type { Writer } from "../store/store.ts";
import type { Deps } from "./deps.ts";
import { save } from "./saving.ts";

/** Keeps where the receiver put the article. Readers see it; no event tells of it (decisions.md, "platform_url"). */
export async function keepReceipt(
  db: Writer,
  deps: Pick<Deps, "clock">,
  articleId: string,
  receipt: Receipt,
): Promise<void> {
  const article = await findArticle(db, articleId);
  if (article === undefined || article.deletedAt !== null) return;
  const platformUrl = receipt.platformUrl ?? article.platformUrl;
  const platformPostId = receipt.platformPostId ?? article.platformPostId;
  if (platformUrl === article.platformUrl && platformPostId === article.platformPostId) return;
  const body = await findBody(db, article.rowNo);
  const after = { article: { ...article, platformUrl, platformPostId }, body };
  const saved = await save(db, { article, body }, after, deps.clock());
  await noteReceiptVersion(db, article, saved.article.version);
}
