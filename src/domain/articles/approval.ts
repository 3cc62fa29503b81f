/**
 * An approval is bound to everything that readers and receivers get: whatever of it changes afterwards needs a new one.
 *
 * `contentHash` of an article is the hash of what it delivers now, `approvedHash` that of what was approved. What the service
 * itself adds (the time and the address of a publication) and what a receiver reports (where the published article stands)
 * does not come from an editor: the approval follows it.
 */
import { createHash } from "node:crypto";
import type { FullArticle } from "./article.ts";
import { contentHash } from "./content/hash.ts";
import { AppError } from "../system/errors.ts";

/** Marks hashes of this definition. The earlier one left out labels, slug, Markdown and addresses, and had no prefix. */
const PREFIX = "2:";

/** The hash of everything that is delivered of an article, in any status, but for its status and the times of its changes. */
function deliveryHash({ article, body }: FullArticle): string {
  const delivered = [
    article.title,
    article.slug,
    article.excerpt,
    article.authorExcerpt,
    article.seoKeywords,
    article.metaDescription,
    article.targetKeyword,
    article.featuredImageUrl,
    article.featuredImageAlt,
    article.wordCount,
    article.readingTime,
    article.categories,
    article.tags,
    article.createdAt,
    article.publishedAt,
    article.platformUrl,
    article.platformPostId,
    article.userId,
    body.html,
    body.markdown,
    body.text,
    body.source,
    body.internalLinks,
    body.linksSupplied,
    body.metrics,
    body.reportedMetrics,
    body.suppliedSteps,
  ];
  return PREFIX + createHash("sha256").update(JSON.stringify(delivered)).digest("hex");
}

/** With the hash of what it delivers now. */
export function withContentHash(full: FullArticle): FullArticle {
  return { ...full, article: { ...full.article, contentHash: deliveryHash(full) } };
}

/** Whether it was last saved by a version that kept an author's Markdown as it came. */
export function isOfEarlierVersion({ article }: Pick<FullArticle, "article">): boolean {
  return !article.contentHash.startsWith(PREFIX);
}

/** Whether what would be delivered is what was approved; an approval of an earlier version by the definition of that time. */
function isApproved(full: FullArticle): boolean {
  const { approvedHash, contentHash: current } = full.article;
  if (approvedHash === null || approvedHash !== current) return false;
  return approvedHash === (isOfEarlierVersion(full) ? earlierHash(full) : deliveryHash(full));
}

function earlierHash({ article, body }: FullArticle): string {
  return contentHash({ ...article, html: body.html });
}

/** @throws AppError `conflict`. */
export function assertApproved(full: FullArticle): void {
  if (isApproved(full)) return;
  throw new AppError("conflict", "The article changed since it was approved: have it approved again, then publish it.");
}

/** `after` differs from `before` by nothing that an editor has written: what was approved stays approved. */
export function carryApproval(before: FullArticle, after: FullArticle): FullArticle {
  const { article, body } = withContentHash(after);
  return { article: isApproved(before) ? { ...article, approvedHash: article.contentHash } : article, body };
}
