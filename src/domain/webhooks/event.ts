import { editorialAdditions } from "../articles/api-format.ts";
import type { Article, ArticleBody, FullArticle } from "../articles/article.ts";
import type { Millis } from "../system/time.ts";
import { isoTime, isoTimeOrNull } from "../system/time.ts";

/** Specification, section 6.1. */
export const EVENT_KINDS = ["article.published", "article.updated", "article.deleted"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** One change that receivers are notified of. The payload is frozen: every delivery of the event sends these bytes. */
export interface ArticleEvent {
  /** UUIDv7; `msg_<id>` on the wire. */
  id: string;
  websiteId: string;
  /** 1, 2, 3 … within the website, without gaps; restoring a backup makes it jump ahead. */
  sequence: number;
  kind: EventKind;
  articleId: string;
  createdAt: Millis;
  /** The envelope of section 6.3 as JSON. */
  payload: string;
  /** `traceparent` (W3C Trace Context) of the request that caused the event; null if it had none. */
  traceparent: string | null;
  /** What extended payloads add to `data`, as JSON; null: nothing was stored. */
  extension: string | null;
  /** Whether `withoutContent` has reduced the payload. */
  isContentRemoved: boolean;
}

/** An event that the store has not numbered yet. */
export type NewEvent = Omit<ArticleEvent, "sequence" | "isContentRemoved">;

export interface EventCause {
  /** UUIDv7 of the event. */
  id: string;
  at: Millis;
  /** The person, key or schedule that caused it. */
  actor: string;
  traceparent: string | null;
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

/** The fields by which a website finds its pages. */
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

/** An extended payload's additions where none were stored: the event was recorded by an earlier version, or is a test. */
const NO_LIST_FIELDS = {
  excerpt: null,
  word_count: null,
  reading_time: null,
  platform_url: null,
  platform_post_id: null,
};
const NO_EXTENSION: Record<EventKind, object> = {
  "article.published": NO_LIST_FIELDS,
  "article.updated": { ...NO_LIST_FIELDS, published_at: null, previous: null },
  "article.deleted": { slug: null, previous: null },
};

/** The envelope, with the additions of extended payloads in `data`. The same event always yields the same text. */
export function extendedPayload(payload: string, extension: string | null): string {
  // Only this module writes payloads and extensions.
  const { data, ...envelope } = JSON.parse(payload) as { event: EventKind; data: object };
  const added = extension === null ? NO_EXTENSION[envelope.event] : (JSON.parse(extension) as object);
  return JSON.stringify({ ...envelope, data: { ...data, ...added } });
}

/**
 * Removes the article's content from a published or updated event. Every field of sections 6.4 and 6.5 keeps a value of its
 * type. The slug becomes the article's id, which no other page has.
 */
export function withoutContent(payload: string): string {
  // Only this module writes payloads.
  const { data, ...envelope } = JSON.parse(payload) as { data: Record<string, unknown> };
  const { article_id, published_at, updated_at, updated_fields, api_url, status, created_at, user_id } = data;
  return JSON.stringify({
    ...envelope,
    data: {
      article_id,
      title: "",
      slug: article_id,
      // Only the fields of this event's kind are present.
      published_at,
      updated_at,
      updated_fields,
      api_url,
      content: { html: "", markdown: "", text: "" },
      meta_description: null,
      seo_keywords: [],
      target_keyword: null,
      categories: [],
      tags: [],
      featured_image_url: null,
      featured_image_alt: null,
      status,
      created_at,
      user_id,
      content_removed: true,
    },
  });
}

/** The path of the detail endpoint, as the specification writes it. */
export function apiUrl(articleId: string): string {
  return `/api/public/articles/${articleId}`;
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
