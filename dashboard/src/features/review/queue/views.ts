import type { ArticleLine, ArticleView } from "../../../../../src/http/admin/contract/articles.ts";

/** The names of the lists, as on their tabs. */
export const VIEW_NAMES: Record<ArticleView, string> = {
  pending: "Needs review",
  approved: "Approved",
  scheduled: "Scheduled",
  published: "Published",
  drafts: "Draft copies",
  trash: "Trash",
};

/** Whether the article in its current state belongs to the view, regardless of searches and filters. */
export function isInView(
  view: ArticleView,
  line: Pick<ArticleLine, "status" | "publish_at" | "deleted_at" | "has_draft">,
): boolean {
  if (view === "trash") return line.deleted_at !== null;
  if (line.deleted_at !== null) return false;
  if (view === "drafts") return line.status === "published" && line.has_draft;
  if (view === "scheduled") return line.status === "approved" && line.publish_at !== null;
  if (view === "approved") return line.status === "approved" && line.publish_at === null;
  return line.status === view;
}
