/** Uses the quality checks to find what an article lacks that readers or search engines would miss. */
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";

type Check = ReviewedArticle["article"]["quality_metrics"]["checks"][number];

/** By check: whether its result justifies a question before publishing. */
const CHECKLIST: Record<string, (check: Check) => boolean> = {
  images_without_alt: () => true,
  featured_image_alt: () => true,
  // Missing or cut off; a description that could be longer is only advice.
  meta_description_length: ({ value, message }) => value === 0 || message.startsWith("Shorten"),
  title_length: ({ message }) => message.startsWith("Shorten"),
  h1_in_content: () => true,
  heading_texts: () => true,
};

/** Sentences that say what to do; empty if nothing is missing. */
export function listMissing({ article }: Pick<ReviewedArticle, "article">): string[] {
  return article.quality_metrics.checks
    .filter((check) => check.status !== "pass" && CHECKLIST[check.id]?.(check) === true)
    .map(({ message }) => message);
}
