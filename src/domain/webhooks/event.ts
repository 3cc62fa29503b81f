import type { Millis } from "../system/time.ts";

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
  /** A UUIDv7. */
  id: string;
  at: Millis;
  /** The person, key or schedule that caused it. */
  actor: string;
  traceparent: string | null;
}

/** An extended payload's additions where none are stored: its content was removed, or it is a test. */
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
  // Only articles/api-format.ts and this module write payloads and extensions.
  const { data, ...envelope } = JSON.parse(payload) as { event: EventKind; data: object };
  const added = extension === null ? NO_EXTENSION[envelope.event] : (JSON.parse(extension) as object);
  return JSON.stringify({ ...envelope, data: { ...data, ...added } });
}

/** Removes the content: fields of sections 6.4 and 6.5 keep their types, the slug becomes the id, which no page has. */
export function withoutContent(payload: string): string {
  // Only articles/api-format.ts and this module write payloads.
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
