/** What an article lacks that readers or search engines would miss, by its quality checks. */
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";

type Check = ReviewedArticle["article"]["quality_metrics"]["checks"][number];

/** By the name of the check: whether its result is worth a question before publishing. */
const CHECKLIST: Record<string, (check: Check) => boolean> = {
  images_without_alt: () => true,
  featured_image_alt: () => true,
  // Missing, or cut off; one that could be longer is only advice.
  meta_description_length: ({ value, message }) => value === 0 || message.startsWith("Shorten"),
  title_length: ({ message }) => message.startsWith("Shorten"),
  h1_in_content: () => true,
  heading_texts: () => true,
};

/** What to do, in sentences; empty if nothing is missing. */
export function listMissing({ article }: Pick<ReviewedArticle, "article">): string[] {
  return article.quality_metrics.checks
    .filter((check) => check.status !== "pass" && CHECKLIST[check.id]?.(check) === true)
    .map(({ message }) => message);
}
