/** The description's `webhooks` (docs/specification.md, section 6; docs/webhooks.md). */
import { Type } from "typebox";
import type { EditorialAddition } from "../../src/domain/articles/api-format.ts";
import { ARTICLE_STATUSES } from "../../src/domain/articles/article.ts";
import { PAYLOAD_FORMS } from "../../src/domain/webhooks/endpoint.ts";
import { EVENT_KINDS, type EventKind } from "../../src/domain/webhooks/event.ts";
import { author } from "../../src/http/contract/article.ts";
import {
  deletedData,
  deletedEnvelope,
  envelope,
  publishedData,
  publishedEnvelope,
  updatedData,
  updatedEnvelope,
} from "./event.ts";
import type { EXAMPLES } from "./examples.ts";
import { oneOf, textOrNull, texts, time, timeOrNull, uuid } from "../../src/http/contract/schema-helpers.ts";

const header = (
  name: string,
  description: string,
  example: string | number,
  { schema = Type.String(), required = true }: { schema?: Type.TSchema; required?: boolean } = {},
) => ({ name, in: "header", required, description, schema, example });

/** The headers that domain/webhooks/webhook-message.ts sends. OpenAPI has `Content-Type` with the body instead. */
const HEADERS = [
  header("User-Agent", "Who sends it.", "Rostrum-Webhooks/1.0"),
  header(
    "webhook-id",
    "The event's id, the same on every attempt and replay: use it to drop duplicates.",
    "msg_0198a3b9-0d2e-7f40-9a1b-3c5d7e9f0a2b",
  ),
  header("webhook-timestamp", "Unix seconds of this attempt. Refuse what is older than five minutes.", "1772528400"),
  header(
    "webhook-signature",
    "`v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>` with your endpoint's secret (Standard Webhooks); several with spaces between them while a secret is being rotated.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
  header("webhook-attempt", "1 for the first attempt, 2 for the first retry, and so on.", 1, {
    schema: Type.Integer({ minimum: 1 }),
  }),
  header(
    "webhook-sequence",
    "The event's `sequence` in the event feed: of two events the one with the greater number happened later. A test has none.",
    14,
    { schema: Type.Integer({ minimum: 1 }), required: false },
  ),
  header("Content-Version", "The version of the body's form.", "v1"),
  header("webhook-payload", "What the body says: everything, only ids, or everything with additions.", "full", {
    schema: oneOf(PAYLOAD_FORMS, {}),
  }),
  header(
    "traceparent",
    "W3C Trace Context: all attempts of an event belong to one trace, that of the request which caused it, if that had one.",
    "00-0198a3b90d2e7f409a1b3c5d7e9f0a2b-5b8aa5a2d2c872e8-01",
  ),
];

const DELIVERY =
  "Answer with any 2xx status within 10 seconds. Anything else is tried again after about 10 seconds, 2 minutes and " +
  "24 minutes. After 10 failed deliveries in a row the webhook is disabled. The same event may arrive more than once. " +
  "Beside these headers come those that the webhook was given of its own.";

const DIRECTIVE = {
  "webhook-delivery": {
    description:
      "Not needed. `disable`: send nothing to this address any more. `abort-message`: do not try this event again.",
    schema: oneOf(["disable", "abort-message"], {}),
    example: "abort-message",
  },
};

const LATER = {
  "Retry-After": {
    description: "Seconds, or a date: the next attempt is made no earlier, as far as that is within an hour.",
    schema: Type.String(),
    example: "120",
  },
};

const receipt = Type.Object({
  platform_url: Type.Optional(Type.String()),
  platform_post_id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
});

const thinEnvelope = Type.Object(
  {
    event: oneOf(EVENT_KINDS, {}),
    timestamp: time("When it happened."),
    website_id: uuid("The website whose article it is."),
    data: Type.Object({
      article_id: uuid("The article's `id`."),
      api_url: Type.String({ description: "Path of the detail endpoint." }),
    }),
  },
  { $id: "ThinArticleEvent", description: "What a webhook gets that asked for thin payloads." },
);

const THIN = {
  event: "article.published",
  timestamp: "2026-03-03T09:00:00.004Z",
  website_id: "0198a3b0-77aa-7c3e-9b1f-2d4e6f8a0b1c",
  data: {
    article_id: "0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b",
    api_url: "/api/public/articles/0198a3b2-4c1d-7e5f-8a6b-9c0d1e2f3a4b",
  },
} satisfies Type.Static<typeof thinEnvelope>;

const previous = Type.Unsafe<object | null>({
  type: ["object", "null"],
  properties: {
    slug: Type.String(),
    tags: Type.Array(Type.String()),
    categories: Type.Array(Type.String()),
    language: textOrNull("Null: the website's own."),
    platform_url: textOrNull("Null: none."),
    status: oneOf(ARTICLE_STATUSES, {}),
  },
  required: ["slug", "tags", "categories", "language", "platform_url", "status"],
  description:
    "The article's slug, labels, language, address and status before the change; null: they were not recorded.",
});

const countOrNull = (description: string) => Type.Unsafe<number | null>({ type: ["integer", "null"], description });
const reviewRecord = {
  review_record: Type.Optional(
    Type.String({
      description: "The signed statement about the approval, a JWS (docs/review-records.md), if there is one.",
    }),
  ),
};
const listFields = {
  excerpt: textOrNull("As in the article."),
  word_count: countOrNull("As in the article."),
  reading_time: countOrNull("Minutes."),
  platform_url: textOrNull("As in the article."),
  platform_post_id: textOrNull("As in the article."),
  // Absent if the content of the event was removed.
  authors: Type.Optional(Type.Array(author, { description: "As in the article." })),
  meta_title: Type.Optional(textOrNull("As in the article.")),
  canonical_url: Type.Optional(textOrNull("As in the article.")),
  aliases: Type.Optional(texts("As in the article.")),
  language: Type.Optional(textOrNull("As in the article.")),
  translation_group: Type.Optional(textOrNull("As in the article.")),
} satisfies Record<EditorialAddition, Type.TSchema> & Type.TProperties;

function extended(kind: EventKind, data: Type.TSchema, additions: Type.TProperties, id: string) {
  return envelope(kind, Type.Intersect([data, Type.Object(additions)]), {
    $id: id,
    description: "What a webhook gets that asked for extended payloads. What was not recorded with the event is null.",
  });
}

const EXTENDED = {
  "article.published": extended(
    "article.published",
    publishedData,
    { ...listFields, ...reviewRecord },
    "ExtendedArticlePublishedEvent",
  ),
  "article.updated": extended(
    "article.updated",
    updatedData,
    { ...listFields, ...reviewRecord, published_at: timeOrNull("First publication."), previous },
    "ExtendedArticleUpdatedEvent",
  ),
  "article.deleted": extended(
    "article.deleted",
    deletedData,
    { slug: textOrNull("The slug that it had."), previous },
    "ExtendedArticleDeletedEvent",
  ),
};

function webhook(
  operationId: string,
  summary: string,
  schema: Type.TSchema,
  example: keyof typeof EXAMPLES,
  { kind, takesReceipt }: { kind: EventKind; takesReceipt: boolean },
) {
  const received = takesReceipt
    ? {
        description:
          "Received. A JSON answer may say where the article stands now; the API then delivers that as `platform_url` and `platform_post_id`.",
        headers: DIRECTIVE,
        content: {
          "application/json": {
            schema: receipt,
            example: {
              platform_url: "https://www.example.com/blog/brew-first-flush-darjeeling",
              platform_post_id: "1090",
            },
          },
        },
      }
    : { description: "Received.", headers: DIRECTIVE };
  return {
    post: {
      operationId,
      tags: ["Webhooks"],
      summary,
      description: DELIVERY,
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: Type.Unsafe({ anyOf: [schema, EXTENDED[kind], thinEnvelope] }),
            examples: {
              [example]: { $ref: `#/components/examples/${example}` },
              thin: { summary: "The same with thin payloads", value: { ...THIN, event: kind } },
            },
          },
        },
      },
      responses: {
        "2XX": received,
        410: { description: "The address is gone: the webhook is disabled at once." },
        429: { description: "Not now: it is tried again.", headers: { ...LATER, ...DIRECTIVE } },
        503: { description: "Not now: it is tried again.", headers: { ...LATER, ...DIRECTIVE } },
        default: {
          description: "Not received: it is tried again. Redirects are not followed.",
          headers: DIRECTIVE,
        },
      },
    },
  };
}

export const WEBHOOKS = {
  "article.published": webhook("articlePublished", "An article was published", publishedEnvelope, "published", {
    kind: "article.published",
    takesReceipt: true,
  }),
  "article.updated": webhook("articleUpdated", "A published article was changed", updatedEnvelope, "updated", {
    kind: "article.updated",
    takesReceipt: true,
  }),
  "article.deleted": webhook("articleDeleted", "An article was deleted or unpublished", deletedEnvelope, "deleted", {
    kind: "article.deleted",
    takesReceipt: false,
  }),
};
