/** Publishes the scheduled articles that are due. */
import type { Actor } from "../../system/deps.ts";
import { AppError, isBusy } from "../../../domain/system/errors.ts";
import { type ArticleDeps, transition } from "./transition.ts";
import { type OnError, catchFailure, describeReason, setAside } from "../../system/set-aside.ts";
import type { Snapshot, StoredArticle, Writer } from "../../../store/store.ts";
import { SCHEDULE_ORIGIN } from "../../../domain/system/audit.ts";
import { applyPublication } from "./articles.ts";
import { findArticle, listDue } from "../../../store/articles/articles.ts";
import { notifyOfFailedPublication } from "./article-notifications.ts";
import { recordAudit } from "../../system/audit.ts";

const SCHEDULER: Actor = { id: "schedule", mayApprove: false };

/**
 * Publishes up to `limit` due articles, each in its own transaction. One that cannot be published is set aside until
 * somebody changes it; one that only has to wait for other texts of its website stays due.
 *
 * @returns how many were published.
 */
export async function publishDueArticles(
  deps: ArticleDeps,
  limit: number,
  onError?: OnError,
  onPublished?: (lateMs: number) => void,
): Promise<number> {
  const due = await deps.store.read((db) => listDue(db, deps.clock(), limit));
  let published = 0;
  for (const article of due) {
    await catchFailure(
      async () => {
        await publishDue(deps, article.id, SCHEDULER);
        onPublished?.(deps.clock() - (article.publishAt ?? deps.clock()));
        published++;
      },
      (error) => setAsideDue(deps, article, error, onError),
    );
  }
  return published;
}

/** Does nothing if the article is no longer due: another process was faster, or its schedule has changed. */
async function setAsideDue(
  deps: ArticleDeps,
  { id, websiteId, title }: StoredArticle,
  error: unknown,
  onError: OnError | undefined,
): Promise<void> {
  if (isBusy(error)) return;
  const isDue = async (db: Snapshot) => {
    const now = await findArticle(db, websiteId, id);
    return now?.status === "approved" && now.deletedAt === null && (now.publishAt ?? Infinity) <= deps.clock();
  };
  if (!(await deps.store.read(isDue))) return;
  const what = { kind: "article", subjectId: id, websiteId, error } as const;
  const reason = describeReason(error);
  const saveNote = async (db: Writer) => {
    await recordAudit(db, deps, SCHEDULE_ORIGIN, {
      action: "article.not_published",
      targetKind: "article",
      targetId: id,
      websiteId,
      detail: { title, reason },
    });
    await notifyOfFailedPublication(db, deps, { id, websiteId }, reason);
  };
  await setAside(
    deps,
    what,
    `the scheduled article ${id} could not be published; it waits until it is changed`,
    onError,
    saveNote,
  );
}

/** @throws AppError `conflict` when it is no longer due. */
const publishDue = transition((context) => {
  const { publishAt } = context.full.article;
  if (publishAt === null || publishAt > context.now) {
    throw new AppError("conflict", "Somebody else has changed the schedule. Look at the new version, then try again.");
  }
  return applyPublication(context.full, context);
});
