import type { ArticleListItem } from "../../../../../src/http/admin/contract/articles.ts";
import type { Queue } from "../../../shared/article-queue.ts";

/** The names of the lists, as on their tabs. */
export const VIEW_NAMES: Record<Queue, string> = {
  in_review: "To review",
  resubmitted: "Resubmitted",
  with_author: "With the author",
  mine: "Mine",
  approved: "Approved",
  scheduled: "Scheduled",
  published: "Published",
  drafts: "Draft copies",
  held: "Held changes",
  all: "All",
  trash: "Trash",
};

/** Whether the article in its current state belongs to the view, regardless of searches and filters. */
export function isInView(
  view: Queue,
  line: Pick<ArticleListItem, "status" | "publish_at" | "deleted_at" | "has_draft" | "review_state" | "is_resubmitted">,
): boolean {
  if (view === "trash") return line.deleted_at !== null;
  if (line.deleted_at !== null) return false;
  switch (view) {
    case "all":
    // A decision settles nothing that is held.
    case "held":
      return true;
    // Whose it is does not change with a decision.
    case "mine":
      return line.status !== "published";
    case "in_review":
      return line.review_state === "in_review" && !line.is_resubmitted;
    case "resubmitted":
      return line.is_resubmitted;
    case "with_author":
      return line.review_state === "draft" || line.review_state === "changes_requested";
    case "drafts":
      return line.status === "published" && line.has_draft;
    case "scheduled":
      return line.status === "approved" && line.publish_at !== null;
    case "approved":
      return line.status === "approved" && line.publish_at === null;
    default:
      return line.status === "published";
  }
}
