import type { Article, ArticleBody, FullArticle, Millis } from "../articles/article.ts";
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
  return newEvent("article.published", article, cause, {
    ...identity(article),
    published_at: isoTimeOrNull(article.publishedAt),
    ...rest(article, body, cause),
  });
}

/** Section 6.5. `updatedFields` are field names of the API. */
export function updatedEvent(
  { article, body }: FullArticle,
  updatedFields: readonly string[],
  cause: EventCause,
): NewEvent {
  return newEvent("article.updated", article, cause, {
    ...identity(article),
    updated_at: isoTime(article.updatedAt),
    updated_fields: updatedFields,
    ...rest(article, body, cause),
  });
}

/** Section 6.6: basic fields only. */
export function deletedEvent(article: Pick<Article, "id" | "websiteId">, cause: EventCause): NewEvent {
  return newEvent("article.deleted", article, cause, {
    article_id: article.id,
    deleted_at: isoTime(cause.at),
    api_url: apiUrl(article.id),
  });
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

function rest(article: Article, body: ArticleBody, cause: EventCause) {
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
): NewEvent {
  return {
    id: cause.id,
    websiteId: article.websiteId,
    kind,
    articleId: article.id,
    createdAt: cause.at,
    traceparent: cause.traceparent,
    payload: JSON.stringify({ event: kind, timestamp: isoTime(cause.at), website_id: article.websiteId, data }),
  };
}
