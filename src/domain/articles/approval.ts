/**
 * An approval covers everything that readers and receivers get: a later change to any of it needs a new approval.
 *
 * Not covered: what the service adds (time and address of a publication) and what a receiver reports (the published
 * article's address and id).
 */
import { createHash } from "node:crypto";
import type { FullArticle } from "./article.ts";
import { editorialAdditions } from "./api-format.ts";
import { AppError } from "../system/errors.ts";

/** Hashes everything that is delivered of an article, except its status and the times of its changes. */
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
    body.metricsJson,
    body.reportedMetrics,
    body.suppliedSteps,
  ];
  // Without empty ones, so that a field added here later leaves the hashes of articles as they are that have none.
  const additions = Object.entries(editorialAdditions(article)).filter(([, value]) => !isEmpty(value));
  return hashAll([...delivered, additions]);
}

function isEmpty(value: string | readonly unknown[] | null): boolean {
  return value === null || value.length === 0;
}

/** Hashes texts with their lengths, and all else as JSON: writing long texts as JSON takes longer than hashing them. */
function hashAll(elements: readonly unknown[]): string {
  const hash = createHash("sha256");
  for (const element of elements) {
    if (typeof element === "string") hash.update(`s${element.length},`).update(element);
    else hash.update(`${JSON.stringify(element) ?? "null"},`);
  }
  return hash.digest("hex");
}

export function withContentHash(full: FullArticle): FullArticle {
  return { ...full, article: { ...full.article, contentHash: deliveryHash(full) } };
}

export function withApprovedContent(full: FullArticle): FullArticle {
  const { article, body } = withContentHash(full);
  return { article: { ...article, approvedHash: article.contentHash }, body };
}

/** Whether what would be delivered is what was approved. */
function isApproved(full: FullArticle): boolean {
  const { approvedHash, contentHash } = full.article;
  return approvedHash !== null && approvedHash === contentHash && approvedHash === deliveryHash(full);
}

/** @throws AppError `conflict`. */
export function assertApproved(full: FullArticle): void {
  if (isApproved(full)) return;
  throw new AppError("conflict", "The article changed since it was approved: have it approved again, then publish it.");
}

/** Keeps an approval valid for `after`, which differs from `before` in nothing that an editor wrote. */
export function carryApproval(before: FullArticle, after: FullArticle): FullArticle {
  const { article, body } = withContentHash(after);
  return { article: isApproved(before) ? { ...article, approvedHash: article.contentHash } : article, body };
}
