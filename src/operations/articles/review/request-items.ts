/**
 * Ticks of the items of a request for changes: what is done. The last entry of the audit log about it says which have one, so
 * that they go with the request, and its history says who set them.
 */
import { listRequestItems } from "../../../domain/articles/request-items.ts";
import { AppError } from "../../../domain/system/errors.ts";
import type { Millis } from "../../../domain/system/time.ts";
import type { Snapshot } from "../../../store/store.ts";
import { findLastEntry, type TargetEntry } from "../../../store/system/audit.ts";
import { raiseReviewVersion } from "../../../store/system/websites.ts";
import type { Actor, Deps } from "../../system/deps.ts";
import { recordArticleChange } from "../write/article-notes.ts";
import { loadToChange } from "../write/article-persistence.ts";

export interface RequestItem {
  text: string;
  isDone: boolean;
}

const TICKS = ["article.request_item_done", "article.request_item_reopened"] as const;
const SHOWN_LENGTH = 200;

/** The request that is open, or was answered last; undefined if it is settled. */
export async function findRequest(
  db: Snapshot,
  { id, reviewState }: { id: string; reviewState: string | null },
): Promise<TargetEntry | undefined> {
  const wasAsked = reviewState === "changes_requested" || reviewState === "resubmitted";
  return wasAsked ? findLastEntry(db, id, ["article.changes_requested"]) : undefined;
}

export async function loadRequestItems(db: Snapshot, request: TargetEntry): Promise<RequestItem[]> {
  const done = await findDone(db, request);
  return listRequestItems(String(request.detail["reason"] ?? "")).map((text, no) => ({ text, isDone: done.has(no) }));
}

/**
 * @param item its number, from 0.
 * @param askedAt when the request was made that the person saw. @throws AppError `conflict` when that is no longer the last one.
 */
export function tickRequestItem(
  deps: Pick<Deps, "store" | "clock" | "newId">,
  id: string,
  { item, isDone, askedAt }: { item: number; isDone: boolean; askedAt: Millis },
  actor: Actor,
): Promise<void> {
  return deps.store.write(async (db) => {
    const { article } = (await loadToChange(db, id)).full;
    const request = await findRequest(db, article);
    if (request?.at !== askedAt) {
      throw new AppError("conflict", "This request for changes is settled, or there is a newer one. Reload the page.");
    }
    const text = listRequestItems(String(request.detail["reason"] ?? ""))[item];
    if (text === undefined) throw new AppError("invalid", "The request for changes has no such item.");
    const done = await findDone(db, request);
    if (done.has(item) === isDone) return;
    if (isDone) done.add(item);
    else done.delete(item);
    await recordArticleChange(db, deps, actor, article, {
      action: isDone ? "article.request_item_done" : "article.request_item_reopened",
      detail: { item: text.slice(0, SHOWN_LENGTH).toWellFormed(), request: request.id, done: [...done].join(" ") },
    });
    await raiseReviewVersion(db, article.websiteId);
  });
}

async function findDone(db: Snapshot, request: TargetEntry): Promise<Set<number>> {
  const last = request.targetId === null ? undefined : await findLastEntry(db, request.targetId, TICKS);
  const done = last?.detail["request"] === request.id ? String(last.detail["done"]) : "";
  return new Set(done.split(" ").filter(Boolean).map(Number));
}
