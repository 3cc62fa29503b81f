/**
 * Articles that machines bring as published, which they may not publish. People follow the request by publishing the article, or
 * decline it. The last entry of the audit log that settles or makes one says whether one is open.
 */
import type { Article, ArticleInput } from "../../../domain/articles/article.ts";
import { bringsNews } from "../../../domain/articles/origin.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { StoredOrigin } from "../../../store/articles/origins.ts";
import type { Snapshot, Writer } from "../../../store/store.ts";
import { findLastEntry, type TargetEntry } from "../../../store/system/audit.ts";
import { raiseReviewVersion } from "../../../store/system/websites.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange } from "./article-notes.ts";
import { loadToChange } from "./article-persistence.ts";

/** Null if none is open. */
export async function findPublicationRequest(
  db: Snapshot,
  { id, status, publishAt }: Pick<Article, "id" | "status" | "publishAt">,
): Promise<TargetEntry | null> {
  if (status === "published" || publishAt !== null) return null;
  const last = await findLastEntry(db, id, [
    "article.publication_requested",
    "article.publication_declined",
    "article.published",
    "article.unpublished",
    "article.deleted",
  ]);
  return last?.action === "article.publication_requested" ? last : null;
}

/** Records what the input asks for, unless its source has asked for it before, or people have published the article. */
export async function recordPublicationRequest(
  db: Writer,
  deps: Pick<Deps, "newId" | "clock">,
  { isMachine, inTransaction: _done, ...actor }: Actor,
  article: Pick<Article, "id" | "websiteId" | "title" | "status">,
  { input, origin }: { input: ArticleInput; origin: Pick<StoredOrigin, "fields"> | undefined },
): Promise<void> {
  const asks = input.status === "published" && bringsNews("status", input, origin?.fields ?? null);
  if (isMachine !== true || !asks || article.status === "published") return;
  await recordArticleChange(db, deps, actor, article, { action: "article.publication_requested" });
  await raiseReviewVersion(db, article.websiteId);
}

/** @param askedAt when the request was made that the person saw. @throws AppError `conflict` when that is no longer open. */
export function declinePublication(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  id: string,
  askedAt: Millis,
  actor: Actor,
): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    if ((await findPublicationRequest(db, article))?.at !== askedAt) {
      throw new AppError("conflict", "This request to publish is settled, or there is a newer one. Reload the page.");
    }
    await recordArticleChange(db, deps, actor, article, { action: "article.publication_declined" });
    await raiseReviewVersion(db, article.websiteId);
  });
}
