/** The article as in the read API (docs/specification.md, 2.1 and 2.2), in `export`, and in events (section 6). */
import {
  type Article,
  type ArticleBody,
  type FullArticle,
  parseMetrics,
  type PipelineStep,
  type QualityMetrics,
  writtenMarkdown,
} from "./article.ts";
import { isoTime, isoTimeOrNull } from "../system/time.ts";
import type { EventCause, EventKind, NewEvent } from "../webhooks/event.ts";

export type ListForm = ReturnType<typeof toListForm>;

export const LIST_FIELDS = [
  "id",
  "title",
  "excerpt",
  "slug",
  "status",
  "seo_keywords",
  "meta_description",
  "target_keyword",
  "featured_image_url",
  "featured_image_alt",
  "word_count",
  "reading_time",
  "categories",
  "tags",
  "created_at",
  "published_at",
  "platform_url",
  "platform_post_id",
] as const satisfies readonly (keyof ListForm)[];
export type ListField = (typeof LIST_FIELDS)[number];

export const DETAIL_FIELDS = [
  ...LIST_FIELDS,
  "content",
  "internal_links",
  "approved_at",
  "quality_metrics",
  "pipeline_steps",
] as const satisfies readonly (ListField | keyof ReturnType<typeof detailAdditions>)[];
export type DetailField = (typeof DETAIL_FIELDS)[number];

/** What people write that neither form of the specification has. */
export const EDITORIAL_ADDITIONS = [
  "authors",
  "meta_title",
  "canonical_url",
  "aliases",
  "language",
  "translation_group",
] as const satisfies readonly (keyof ReturnType<typeof editorialAdditions>)[];
export type EditorialAddition = (typeof EDITORIAL_ADDITIONS)[number];

/** Fields that are sent only if a request asks for them with `include` or `fields`. */
export const OPTIONAL_FIELDS = [
  ...EDITORIAL_ADDITIONS,
  "updated_at",
  "previous_slugs",
  "featured_image",
  "toc",
  "translations",
  "neighbours",
  "review_record",
] as const;
export type OptionalField = (typeof OPTIONAL_FIELDS)[number];
/** Those that a list has, too. */
export const LIST_OPTIONAL_FIELDS = OPTIONAL_FIELDS.filter(
  (field) => field !== "review_record" && field !== "neighbours",
);

export const CONTENT_FIELDS = { html: "content", markdown: "content_markdown", text: "content_text" } as const;
export const CONTENT_FORMATS = ["html", "markdown", "text"] as const satisfies readonly (keyof typeof CONTENT_FIELDS)[];
export type ContentFormat = (typeof CONTENT_FORMATS)[number];

/** The list form of section 2.1, with its fields in the order of the table. */
export function toListForm(article: Article) {
  return {
    id: article.id,
    title: article.title,
    excerpt: article.excerpt,
    slug: article.slug,
    status: article.status,
    seo_keywords: article.seoKeywords,
    meta_description: article.metaDescription,
    target_keyword: article.targetKeyword,
    featured_image_url: article.featuredImageUrl,
    featured_image_alt: article.featuredImageAlt,
    word_count: article.wordCount,
    reading_time: article.readingTime,
    categories: article.categories,
    tags: article.tags,
    created_at: isoTime(article.createdAt),
    published_at: isoTimeOrNull(article.publishedAt),
    platform_url: article.platformUrl,
    platform_post_id: article.platformPostId,
  };
}

/** The fields that people write and that neither form of the specification has. */
export function editorialAdditions(
  article: Pick<Article, "authors" | "metaTitle" | "canonicalUrl" | "aliases" | "language" | "translationGroup">,
) {
  return {
    authors: article.authors,
    meta_title: article.metaTitle,
    canonical_url: article.canonicalUrl,
    aliases: article.aliases,
    language: article.language,
    translation_group: article.translationGroup,
  };
}

/** The fields of section 2.2 that the list form lacks. */
export function detailAdditions(article: Pick<Article, "approvedAt">, body: ArticleBody) {
  return {
    content: body.html,
    internal_links: body.internalLinks,
    approved_at: isoTimeOrNull(article.approvedAt),
    quality_metrics: qualityMetrics(body),
    pipeline_steps: pipelineSteps(body),
  };
}

/** The article as a command prints it: the detail form, plus what only the owner sees. */
export function ownerForm({ article, body }: FullArticle) {
  return {
    ...toListForm(article),
    ...detailAdditions(article, body),
    ...editorialAdditions(article),
    markdown: writtenMarkdown(body),
    updated_at: isoTime(article.updatedAt),
    publish_at: isoTimeOrNull(article.publishAt),
    deleted_at: isoTimeOrNull(article.deletedAt),
    review_state: article.reviewState,
    user_id: article.userId,
  };
}

/** One line of an export: only what was supplied, so that exporting an import gives the same bytes. */
export function exportForm(
  { article, body }: FullArticle,
  { author, assignee }: { author: string | null; assignee: string | null },
) {
  return {
    id: article.id,
    title: article.title,
    slug: article.slug,
    status: article.status,
    review_state: article.reviewState,
    author_email: author,
    assignee_email: assignee,
    content: body.html,
    markdown: writtenMarkdown(body),
    excerpt: article.authorExcerpt,
    ...editorialAdditions(article),
    seo_keywords: article.seoKeywords,
    meta_description: article.metaDescription,
    target_keyword: article.targetKeyword,
    featured_image_url: article.featuredImageUrl,
    featured_image_alt: article.featuredImageAlt,
    categories: article.categories,
    tags: article.tags,
    internal_links: body.linksSupplied ? body.internalLinks : null,
    created_at: isoTime(article.createdAt),
    updated_at: isoTime(article.updatedAt),
    approved_at: isoTimeOrNull(article.approvedAt),
    published_at: isoTimeOrNull(article.publishedAt),
    publish_at: isoTimeOrNull(article.publishAt),
    platform_url: article.platformUrl,
    platform_post_id: article.platformPostId,
    user_id: article.userId,
    quality_metrics: body.reportedMetrics,
    pipeline_steps: body.suppliedSteps,
  };
}

function qualityMetrics(body: ArticleBody): QualityMetrics & { reported: Record<string, unknown> | null } {
  return { ...parseMetrics(body.metricsJson), reported: body.reportedMetrics };
}

function pipelineSteps(body: ArticleBody): PipelineStep[] {
  return [...body.suppliedSteps, ...body.steps];
}

export function apiUrl(articleId: string): string {
  return `/api/public/articles/${articleId}`;
}

/** Section 6.4. */
export function publishedEvent({ article, body }: FullArticle, cause: EventCause): NewEvent {
  const data = {
    ...identity(article),
    published_at: isoTimeOrNull(article.publishedAt),
    ...sharedFields(article, body, cause),
  };
  return newEvent("article.published", article, cause, data, listFields(article));
}

/** Section 6.5. `updatedFields` are field names of the API. */
export function updatedEvent(
  { article, body }: FullArticle,
  before: PageKeys,
  updatedFields: readonly string[],
  cause: EventCause,
): NewEvent {
  const data = {
    ...identity(article),
    updated_at: isoTime(article.updatedAt),
    updated_fields: updatedFields,
    ...sharedFields(article, body, cause),
  };
  const extension = {
    ...listFields(article),
    published_at: isoTimeOrNull(article.publishedAt),
    previous: pageKeys(before),
  };
  return newEvent("article.updated", article, cause, data, extension);
}

/** Section 6.6: basic fields only. `article`: as it was before; where there was none, only its id. */
export function deletedEvent(article: Article | Pick<Article, "id" | "websiteId">, cause: EventCause): NewEvent {
  const data = { article_id: article.id, deleted_at: isoTime(cause.at), api_url: apiUrl(article.id) };
  const previous = "slug" in article ? pageKeys(article) : null;
  const extension = previous && { slug: previous.slug, previous };
  return newEvent("article.deleted", article, cause, data, extension);
}

type PageKeys = Pick<Article, "slug" | "tags" | "categories" | "language" | "platformUrl" | "status">;

function pageKeys({ slug, tags, categories, language, platformUrl, status }: PageKeys) {
  return { slug, tags, categories, language, platform_url: platformUrl, status };
}

/** The fields of the list form (section 2.1) that section 6.4 does not have, and what neither form has. */
function listFields(article: Article) {
  return {
    excerpt: article.excerpt,
    word_count: article.wordCount,
    reading_time: article.readingTime,
    platform_url: article.platformUrl,
    platform_post_id: article.platformPostId,
    ...editorialAdditions(article),
  };
}

function identity(article: Article) {
  return { article_id: article.id, title: article.title, slug: article.slug };
}

function sharedFields(article: Article, body: ArticleBody, cause: EventCause) {
  return {
    api_url: apiUrl(article.id),
    content: { html: body.html, markdown: body.markdown, text: body.text },
    meta_description: article.metaDescription,
    seo_keywords: article.seoKeywords,
    target_keyword: article.targetKeyword,
    categories: article.categories,
    tags: article.tags,
    featured_image_url: article.featuredImageUrl,
    featured_image_alt: article.featuredImageAlt,
    status: article.status,
    created_at: isoTime(article.createdAt),
    user_id: cause.actor,
  };
}

function newEvent(
  kind: EventKind,
  article: Pick<Article, "id" | "websiteId">,
  cause: EventCause,
  data: object,
  extension: object | null,
): NewEvent {
  return {
    id: cause.id,
    websiteId: article.websiteId,
    kind,
    articleId: article.id,
    createdAt: cause.at,
    traceparent: cause.traceparent,
    payload: JSON.stringify({ event: kind, timestamp: isoTime(cause.at), website_id: article.websiteId, data }),
    extension: extension === null ? null : JSON.stringify(extension),
  };
}
