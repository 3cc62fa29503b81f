import type { Article, ArticleBody, Author, ReviewState } from "../../domain/articles/article.ts";
import type { Millis } from "../../domain/system/time.ts";
import { sortKey } from "../../domain/system/collation.ts";
import { toListForm } from "../../domain/articles/api-format.ts";
import type { Row } from "../row.ts";
import type { Snapshot, StoredArticle, Value } from "../store.ts";

export const ARTICLE_COLUMNS = `row_no, id, website_id, status, title, slug, excerpt, author_excerpt, seo_keywords,
  meta_description, target_keyword, featured_image_url, featured_image_alt, categories, tags, word_count, reading_time,
  created_at, updated_at, state_since, approved_at, published_at, publish_at, platform_url, platform_post_id, user_id, content_hash,
  approved_hash, deleted_at, version, review_state, origin, author_id, assignee_id,
  authors, meta_title, canonical_url, aliases, language, translation_group`;

export type ArticleRow = Row<`SELECT ${typeof ARTICLE_COLUMNS} FROM articles`>;

export const BODY_COLUMNS = `html, markdown, markdown_source, text, source, internal_links, links_supplied, metrics, reported_metrics,
  supplied_steps, steps`;

export type BodyRow = Row<`SELECT ${typeof BODY_COLUMNS} FROM article_bodies`>;

/**
 * Every column of `articles` that a save writes. `savedAt`: the time of this save; `language`: the website's, which
 * sorts titles without one.
 */
export function articleValues(
  article: Article,
  savedAt: Millis,
  language: string | null = null,
): Record<string, Value> {
  return {
    id: article.id,
    website_id: article.websiteId,
    status: article.status,
    title: article.title,
    title_key: sortKey(article.title, article.language ?? language),
    slug: article.slug,
    excerpt: article.excerpt,
    author_excerpt: article.authorExcerpt,
    seo_keywords: JSON.stringify(article.seoKeywords),
    meta_description: article.metaDescription,
    target_keyword: article.targetKeyword,
    featured_image_url: article.featuredImageUrl,
    featured_image_alt: article.featuredImageAlt,
    categories: JSON.stringify(article.categories),
    tags: JSON.stringify(article.tags),
    word_count: article.wordCount,
    reading_time: article.readingTime,
    created_at: article.createdAt,
    updated_at: article.updatedAt,
    saved_at: savedAt,
    state_since: article.stateSince,
    approved_at: article.approvedAt,
    published_at: article.publishedAt,
    publish_at: article.publishAt,
    platform_url: article.platformUrl,
    platform_post_id: article.platformPostId,
    user_id: article.userId,
    content_hash: article.contentHash,
    approved_hash: article.approvedHash,
    deleted_at: article.deletedAt,
    version: article.version,
    list_form: JSON.stringify(toListForm(article)),
    review_state: reviewValue(article),
    origin: article.origin,
    author_id: article.authorId,
    assignee_id: article.assigneeId,
    authors: JSON.stringify(article.authors),
    meta_title: article.metaTitle,
    canonical_url: article.canonicalUrl,
    aliases: JSON.stringify(article.aliases),
    language: article.language,
    translation_group: article.translationGroup,
  };
}

/** The default is stored as null. */
export function reviewValue({ reviewState }: Pick<Article, "reviewState">): ReviewState | null {
  return reviewState === "in_review" ? null : reviewState;
}

/** Room for our own five steps: SQLite overwrites only the pages that differ while the row's size stays the same. */
const STEPS_ROOM_BYTES = 1_536;

/** Every column of `article_bodies` that a save writes, with its value. */
export function bodyValues(body: ArticleBody, engine: Snapshot["engine"]): Record<string, Value> {
  const steps = JSON.stringify(body.steps);
  return {
    html: body.html,
    markdown: body.markdown,
    markdown_source: body.markdownSource,
    text: body.text,
    source: body.source,
    internal_links: JSON.stringify(body.internalLinks),
    links_supplied: body.linksSupplied ? 1 : 0,
    metrics: body.metricsJson,
    reported_metrics: body.reportedMetrics === null ? null : JSON.stringify(body.reportedMetrics),
    supplied_steps: JSON.stringify(body.suppliedSteps),
    steps: engine === "sqlite" ? withRoom(steps) : steps,
  };
}

/** Appends spaces up to the next multiple of the room; parsers of JSON skip them. */
function withRoom(json: string): string {
  const bytes = Buffer.byteLength(json);
  return json + " ".repeat(Math.ceil(bytes / STEPS_ROOM_BYTES) * STEPS_ROOM_BYTES - bytes);
}

export function changedValues(before: Record<string, Value>, after: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => value !== before[name]));
}

export function articleFromRow(row: ArticleRow): StoredArticle {
  return {
    rowNo: row.row_no,
    id: row.id,
    websiteId: row.website_id,
    status: row.status,
    reviewState: toReviewState(row),
    origin: row.origin,
    authorId: row.author_id,
    assigneeId: row.assignee_id,
    title: row.title,
    slug: row.slug,
    excerpt: row.excerpt,
    authorExcerpt: row.author_excerpt,
    seoKeywords: JSON.parse(row.seo_keywords) as string[],
    metaDescription: row.meta_description,
    targetKeyword: row.target_keyword,
    featuredImageUrl: row.featured_image_url,
    featuredImageAlt: row.featured_image_alt,
    categories: JSON.parse(row.categories) as string[],
    tags: JSON.parse(row.tags) as string[],
    wordCount: row.word_count,
    readingTime: row.reading_time,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    stateSince: row.state_since,
    approvedAt: row.approved_at,
    publishedAt: row.published_at,
    publishAt: row.publish_at,
    platformUrl: row.platform_url,
    platformPostId: row.platform_post_id,
    userId: row.user_id,
    contentHash: row.content_hash,
    approvedHash: row.approved_hash,
    deletedAt: row.deleted_at,
    version: row.version,
    ...toEditorialAdditions(row),
  };
}

/** The JSON columns hold what `articleValues` wrote. */
export function toEditorialAdditions(
  row: Pick<ArticleRow, "authors" | "meta_title" | "canonical_url" | "aliases" | "language" | "translation_group">,
) {
  return {
    authors: JSON.parse(row.authors) as Author[],
    metaTitle: row.meta_title,
    canonicalUrl: row.canonical_url,
    aliases: JSON.parse(row.aliases) as string[],
    language: row.language,
    translationGroup: row.translation_group,
  };
}

/** An earlier version may have left the state of an article that is no longer pending. */
export function toReviewState(row: Pick<ArticleRow, "status" | "review_state">): ReviewState | null {
  return row.status === "pending" ? (row.review_state ?? "in_review") : null;
}

/** The JSON columns hold what `bodyValues` wrote. */
export function bodyFromRow(row: BodyRow): ArticleBody {
  return {
    html: row.html,
    markdown: row.markdown,
    markdownSource: row.markdown_source,
    text: row.text,
    source: row.source,
    internalLinks: JSON.parse(row.internal_links) as ArticleBody["internalLinks"],
    linksSupplied: row.links_supplied === 1,
    metricsJson: row.metrics,
    reportedMetrics:
      row.reported_metrics === null ? null : (JSON.parse(row.reported_metrics) as Record<string, unknown>),
    suppliedSteps: JSON.parse(row.supplied_steps) as ArticleBody["suppliedSteps"],
    steps: JSON.parse(row.steps) as ArticleBody["steps"],
  };
}
