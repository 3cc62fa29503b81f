import type { FastifyRequest } from "fastify";
import {
  type ArticleInput,
  type FullArticle,
  parseMetrics,
  writtenMarkdown,
} from "../../../domain/articles/article.ts";
import { distinctKinds } from "../../../domain/articles/integrity-gate.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import { roleOn } from "../../../domain/people/permissions.ts";
import { patternUrl } from "../../../domain/system/website.ts";
import { detailAdditions, editorialAdditions, toListForm } from "../../../domain/articles/api-format.ts";
import { getReviewedBy, type Reviewer } from "../../../operations/articles/review/article-review.ts";
import { findOriginOf, type OriginFacts } from "../../../operations/articles/review/article-origin.ts";
import { type ArticleChanges, type ReviewedArticle, reviewedArticle } from "../contract/review.ts";
import { parseTimeParam } from "../parameters.ts";
import { type Admin, type ArticleForm, getSignedIn, getWebsiteId } from "../routes.ts";
import type { ArticleSummary } from "../../../store/articles/article-lists.ts";
import type { Person, TargetEntry } from "../../../store/system/audit.ts";
import type { ArticleListItem } from "../contract/articles.ts";

export const articlePage: ArticleForm = { schema: reviewedArticle, show: showArticle };

/** The article as the signed-in user sees it. `saved`: as the request has just saved it, to be read no second time. */
export async function showArticle(
  { deps }: Admin,
  request: FastifyRequest,
  id: string,
  saved?: FullArticle,
): Promise<ReviewedArticle> {
  const reviewed = await getReviewedBy(deps, id, getReviewer(request), saved);
  return presentReviewed(reviewed, await findOriginOf(deps, reviewed.full));
}

/** Who makes the request, as `getReviewedBy` needs it. */
function getReviewer(request: FastifyRequest): Reviewer {
  const signedIn = getSignedIn(request);
  const role = roleOn(signedIn.memberships, getWebsiteId(request));
  return { id: signedIn.id, role, ...("token" in signedIn ? { isMachine: true } : {}) };
}

function presentReviewed(reviewed: Awaited<ReturnType<typeof getReviewedBy>>, origin: OriginFacts): ReviewedArticle {
  const { full, draft, website, author, assignee, openComments, request, removal, publication, alike, verbs, gate } =
    reviewed;
  const { article } = full;
  const body = { ...full.body, metricsJson: reviewed.recheckedJson ?? full.body.metricsJson };
  const metrics = parseMetrics(body.metricsJson);
  const isLive = article.status === "published" && article.deletedAt === null;
  return {
    website_id: article.websiteId,
    line: presentListItem({
      ...article,
      score: metrics.overall_score,
      isBlocked: metrics.integrity.status === "fail",
      hasDraft: draft !== undefined,
      author,
      assignee,
      openComments,
    }),
    verbs,
    publish_delay_seconds: website.publishDelaySeconds,
    request:
      request === null
        ? null
        : {
            reason: String(request.detail["reason"] ?? ""),
            comments: Number(request.detail["comments"] ?? 0),
            by: presentPerson(request.person),
            at: isoTime(request.at),
            items: request.items.map(({ text, isDone }) => ({ text, is_done: isDone })),
          },
    origin: {
      kind: origin.kind,
      by: origin.person && presentPerson(origin.person),
      at: isoTime(origin.at),
      source: origin.source,
      external_id: origin.externalId,
    },
    removal_request: removal && { reason: String(removal.detail["reason"] ?? ""), ...presentAsked(removal) },
    publication_request: publication && presentAsked(publication),
    alike: alike.map(({ id: article_id, title, language, share, blocks }) => ({
      article_id,
      title,
      language,
      share,
      blocks,
    })),
    article: { ...toListForm(article), ...detailAdditions(article, body) },
    source: body.source,
    markdown: writtenMarkdown(body) ?? body.markdown,
    author_excerpt: article.authorExcerpt,
    ...editorialAdditions(article),
    draft:
      draft === undefined
        ? null
        : { changes: presentChanges(draft.changes), by: presentPerson(draft.person), saved_at: isoTime(draft.savedAt) },
    gate: {
      holds: gate.held.length > 0 && article.status !== "published",
      kinds: distinctKinds(gate.held),
      overridden: gate.overridden.map(({ kind, reason, person, at }) => {
        return { kind, reason, actor: presentPerson(person), at: isoTime(at) };
      }),
    },
    approval: { is_current: article.approvedHash !== null && article.approvedHash === article.contentHash },
    has_site_preview: website.previewUrl !== null,
    public_url: isLive ? (article.platformUrl ?? patternUrl(website, article)) : null,
  };
}

export function presentAsked({ person, at }: Pick<TargetEntry, "person" | "at">) {
  return { by: presentPerson(person), at: isoTime(at) };
}

export function draftSeen(text: string | null | undefined): number | null {
  return text == null ? null : parseTimeParam("draft_saved_at", text);
}

/** Presents only the fields that can be edited here, also for drafts that a command saved. */
export function presentChanges(changes: ArticleInput): ArticleChanges {
  const written: { [Name in keyof ArticleChanges]: ArticleChanges[Name] | undefined } = {
    title: changes.title,
    slug: changes.slug,
    excerpt: changes.excerpt,
    content: changes.content,
    markdown: changes.markdown,
    authors: changes.authors,
    meta_title: changes.metaTitle,
    meta_description: changes.metaDescription,
    target_keyword: changes.targetKeyword,
    seo_keywords: changes.seoKeywords,
    categories: changes.categories,
    tags: changes.tags,
    featured_image_url: changes.featuredImageUrl,
    featured_image_alt: changes.featuredImageAlt,
    canonical_url: changes.canonicalUrl,
    aliases: changes.aliases,
    language: changes.language,
    translation_group: changes.translationGroup,
    platform_url: changes.platformUrl,
    platform_post_id: changes.platformPostId,
    published_at: changes.publishedAt === undefined ? undefined : isoTimeOrNull(changes.publishedAt),
  };
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

export function presentPerson({ id, name }: Person): { id: string; name: string } {
  return { id, name: name ?? id };
}

export function presentListItem(one: Omit<ArticleSummary, "rowNo">): ArticleListItem {
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
    is_blocked: one.isBlocked,
    created_at: isoTime(one.createdAt),
    updated_at: isoTime(one.updatedAt),
    state_since: isoTime(one.stateSince),
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
