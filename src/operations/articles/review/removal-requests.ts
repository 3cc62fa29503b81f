/**
 * Machines request that an article is removed; people delete it, or decline. The last entry of the audit log about it
 * says whether a request is open.
 */
import { AppError } from "../../../domain/system/errors.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { settleNotifications } from "../../../store/people/notifications.ts";
import type { Snapshot } from "../../../store/store.ts";
import { findLastEntry, type TargetEntry } from "../../../store/system/audit.ts";
import { raiseReviewVersion } from "../../../store/system/websites.ts";
import { notifyOfArticle } from "../../people/notifications.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange } from "../write/article-notes.ts";
import { loadToChange } from "../write/article-persistence.ts";

type RequestDeps = Pick<Deps, "store" | "clock" | "newId">;

/** The open request; null if there is none. */
export async function findRemovalRequest(db: Snapshot, articleId: string): Promise<TargetEntry | null> {
  const last = await findLastEntry(db, articleId, [
    "article.removal_requested",
    "article.removal_declined",
    "article.deleted",
  ]);
  return last?.action === "article.removal_requested" ? last : null;
}

/** Changes nothing if the same is asked already. @throws AppError `conflict` when the article is in the trash. */
export function requestRemoval(deps: RequestDeps, id: string, reason: string, actor: Actor): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    if (article.deletedAt !== null) throw new AppError("conflict", "This article is in the trash already.");
    if ((await findRemovalRequest(db, id))?.detail["reason"] === reason) return;
    const entry = { id: deps.newId(), at: deps.clock() };
    const note = { action: "article.removal_requested", detail: { reason } } as const;
    await recordArticleChange(db, deps, actor, article, note, entry);
    await raiseReviewVersion(db, article.websiteId);
    await notifyOfArticle(db, deps, article, actor, {
      kind: "removal_requested",
      to: "everybody",
      eventId: entry.id,
      detail: { text: reason },
    });
  });
}

/** @param askedAt when the request was made that the person saw. @throws AppError `conflict` when that is no longer open. */
export function declineRemoval(deps: RequestDeps, id: string, askedAt: Millis, actor: Actor): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    if ((await findRemovalRequest(db, id))?.at !== askedAt) {
      throw new AppError("conflict", "This request to delete is settled, or there is a newer one. Reload the page.");
    }
    await recordArticleChange(db, deps, actor, article, { action: "article.removal_declined" });
    await raiseReviewVersion(db, article.websiteId);
    await settleNotifications(db, id, ["removal_requested"], deps.clock());
  });
}
