/** Events as webhooks and the event feed send them (docs/specification.md, section 6). */
import { Type } from "typebox";
import type { EventKind } from "../../src/domain/webhooks/event.ts";
import { DETAIL_FIELDS, EDITORIAL_ADDITIONS } from "../../src/domain/articles/api-format.ts";
import { articleStatus } from "../../src/http/contract/article.ts";
import { textOrNull, texts, time, uuid } from "../../src/http/contract/schema-helpers.ts";

/** States and derived fields are not listed. */
const NEVER_UPDATED: ReadonlySet<string> = new Set(["id", "status", "approved_at", "word_count", "reading_time"]);
const UPDATED_FIELDS = [...DETAIL_FIELDS, ...EDITORIAL_ADDITIONS].filter((field) => !NEVER_UPDATED.has(field));

const eventContent = Type.Object(
  {
    html: Type.String({ description: "As the detail endpoint delivers it." }),
    markdown: Type.String({
      description:
        "GitHub Flavored Markdown: the source of an article written in Markdown if any renderer may read it, else made from the HTML.",
    }),
    text: Type.String({ description: "The visible text." }),
  },
  { $id: "EventContent", description: "The whole body in three forms." },
);

const eventArticle = Type.Object(
  {
    article_id: uuid("The article's `id`."),
    title: Type.String(),
    slug: Type.String(),
    api_url: Type.String({ description: "Path of the detail endpoint." }),
    content: eventContent,
    meta_description: textOrNull("As in the article."),
    seo_keywords: texts("As in the article."),
    target_keyword: textOrNull("As in the article."),
    categories: texts("As in the article."),
    tags: texts("As in the article."),
    featured_image_url: textOrNull("As in the article."),
    featured_image_alt: textOrNull("As in the article."),
    status: articleStatus,
    created_at: time("As in the article."),
    user_id: Type.String({ description: "The person, key or schedule that caused the event." }),
  },
  { $id: "EventArticle", description: "The article as it was at the moment of the event." },
);

export const publishedData = Type.Intersect([eventArticle, Type.Object({ published_at: time("First publication.") })], {
  $id: "ArticlePublishedData",
});

export const updatedData = Type.Intersect(
  [
    eventArticle,
    Type.Object({
      updated_at: time("When it was changed."),
      updated_fields: Type.Unsafe<string[]>({
        type: "array",
        items: { type: "string", enum: UPDATED_FIELDS },
        description: "Names of the article's fields that changed; never empty. There may be new ones at any time.",
      }),
    }),
  ],
  { $id: "ArticleUpdatedData" },
);

export const deletedData = Type.Object(
  {
    article_id: uuid("The article's `id`."),
    deleted_at: time("When it was deleted or unpublished."),
    api_url: Type.String({ description: "Path of the detail endpoint; it no longer delivers the article." }),
  },
  { $id: "ArticleDeletedData" },
);

export function envelope<const Kind extends EventKind, Data extends Type.TSchema>(
  kind: Kind,
  data: Data,
  options: { $id: string; description: string },
) {
  return Type.Object(
    {
      event: Type.Literal(kind),
      timestamp: time("When it happened."),
      website_id: uuid("The website whose article it is."),
      data,
    },
    options,
  );
}

export const publishedEnvelope = envelope("article.published", publishedData, {
  $id: "ArticlePublishedEvent",
  description: "An article was published, for the first time or again.",
});
export const updatedEnvelope = envelope("article.updated", updatedData, {
  $id: "ArticleUpdatedEvent",
  description: "A published article was changed.",
});
export const deletedEnvelope = envelope("article.deleted", deletedData, {
  $id: "ArticleDeletedEvent",
  description: "An article was deleted, or a published one was unpublished.",
});

const feedPosition = Type.Object(
  {
    id: Type.String({
      pattern: "^msg_[0-9a-f-]{36}$",
      description: "The same as the header `webhook-id` of the event's webhook: use it to drop duplicates.",
    }),
    sequence: Type.Integer({
      minimum: 1,
      description: "1, 2, 3 … within the website, without gaps; only a restored backup makes it leap ahead.",
    }),
  },
  { $id: "FeedPosition", description: "The event's id and place in the order of events." },
);

const removable = Type.Object({
  data: Type.Object({
    content_removed: Type.Optional(
      Type.Literal(true, {
        description:
          "The content was removed: the article was deleted or unpublished later, or the event is old. `slug` is then the article's id, and what the article said is empty or null. Webhooks do not send such an event.",
      }),
    ),
  }),
});

const feedPublished = Type.Intersect([feedPosition, removable, publishedEnvelope], { $id: "FeedPublishedEvent" });
const feedUpdated = Type.Intersect([feedPosition, removable, updatedEnvelope], { $id: "FeedUpdatedEvent" });
const feedDeleted = Type.Intersect([feedPosition, deletedEnvelope], { $id: "FeedDeletedEvent" });

export const feedEvent = Type.Unsafe<Type.Static<typeof feedPublished | typeof feedUpdated | typeof feedDeleted>>({
  $id: "FeedEvent",
  description:
    "A webhook's body behind its id and place in the order of events. `event` says which of the three it is.",
  oneOf: [feedPublished, feedUpdated, feedDeleted],
  discriminator: {
    propertyName: "event",
    mapping: {
      "article.published": "#/components/schemas/FeedPublishedEvent",
      "article.updated": "#/components/schemas/FeedUpdatedEvent",
      "article.deleted": "#/components/schemas/FeedDeletedEvent",
    } satisfies Record<EventKind, string>,
  },
});
