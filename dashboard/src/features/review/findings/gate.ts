/** What holds an article's approval and publication. */
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { nameFinding } from "../../../shared/finding-kinds.ts";

/** “Blocked by: A chatbot speaks, Gap to fill in.” */
export function describeHold(reviewed: ReviewedArticle): string {
  return `Blocked by: ${reviewed.gate.kinds.map(nameFinding).join(", ")}.`;
}
