/** The expected state of an article after a decision, shown before the service answers. */
import type { ArticleListItem } from "../../../../../src/http/admin/contract/articles.ts";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import type { Decision } from "./actions.ts";

type Line = Pick<
  ArticleListItem,
  "status" | "publish_at" | "deleted_at" | "has_draft" | "review_state" | "is_resubmitted"
>;

export function predictLine(
  decision: Exclude<Decision, "edit">,
  { line, publish_delay_seconds: delay }: Pick<ReviewedArticle, "line" | "publish_delay_seconds">,
  input: Record<string, unknown>,
): Line {
  const publishAt = typeof input["publish_at"] === "string" ? input["publish_at"] : null;
  const now = new Date().toISOString();
  const settled = { review_state: null, is_resubmitted: false } as const;
  const published: Line = { ...line, ...settled, status: "published", publish_at: null };
  switch (decision) {
    case "approve":
      return { ...line, ...settled, status: "approved" };
    case "approve-and-schedule":
    case "schedule":
      return { ...line, ...settled, status: "approved", publish_at: publishAt };
    case "publish":
    case "approve-and-publish":
      return delay > 0 ? { ...published, status: "approved", publish_at: now } : published;
    case "publish-draft":
      return { ...line, has_draft: false };
    case "unpublish":
      return { ...line, status: "approved" };
    case "unapprove":
    case "submit":
      return {
        ...line,
        status: "pending",
        publish_at: null,
        review_state: "in_review",
        is_resubmitted: line.review_state === "changes_requested",
      };
    case "withdraw":
      return { ...line, ...settled, review_state: "draft" };
    case "request-changes":
      return { ...line, ...settled, status: "pending", publish_at: null, review_state: "changes_requested" };
    case "delete":
      return { ...line, deleted_at: now };
    default:
      return { ...line, deleted_at: null };
  }
}
