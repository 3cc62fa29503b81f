/** An article as a row of the dashboard's lists. */
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import type { ArticleSummary } from "../../../store/articles/article-lists.ts";
import type { Person } from "../../../store/system/audit.ts";
import type { ArticleLine } from "../contract/articles.ts";

export function presentPerson({ id, name }: Person): { id: string; name: string } {
  return { id, name: name ?? id };
}

export function presentLine(one: Omit<ArticleSummary, "rowNo">): ArticleLine {
  return {
    id: one.id,
    title: one.title,
    slug: one.slug,
    excerpt: one.excerpt,
    status: one.status,
    target_keyword: one.targetKeyword,
    featured_image_url: one.featuredImageUrl,
    categories: one.categories,
    tags: one.tags,
    word_count: one.wordCount,
    reading_time: one.readingTime,
    score: one.score,
    created_at: isoTime(one.createdAt),
    updated_at: isoTime(one.updatedAt),
    approved_at: isoTimeOrNull(one.approvedAt),
    published_at: isoTimeOrNull(one.publishedAt),
    publish_at: isoTimeOrNull(one.publishAt),
    deleted_at: isoTimeOrNull(one.deletedAt),
    has_draft: one.hasDraft,
    review_state: one.reviewState === "resubmitted" ? "in_review" : one.reviewState,
    is_resubmitted: one.reviewState === "resubmitted",
    author: one.author && presentPerson(one.author),
    assignee: one.assignee && presentPerson(one.assignee),
    open_comments: one.openComments,
    version: one.version,
  };
}
