import { type Static, Type } from "typebox";
import { OUTCOMES } from "../../../domain/webhooks/attempt.ts";
import { DELIVERY_STATES } from "../../../domain/webhooks/delivery.ts";
import { PAYLOAD_FORMS } from "../../../domain/webhooks/endpoint.ts";
import { EVENT_KINDS } from "../../../domain/webhooks/event.ts";
import {
  count,
  oneOf,
  orNull,
  strictObject,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const millisOrNull = (description: string) => Type.Unsafe<number | null>({ type: ["integer", "null"], description });

export const webhook = Type.Object({
  id: Type.String(),
  website_id: Type.String(),
  name: Type.String({ description: "For people; may be empty." }),
  description: Type.String({ description: "For people; may be empty." }),
  url: Type.String(),
  events: Type.Array(oneOf(EVENT_KINDS, {})),
  payload: oneOf(PAYLOAD_FORMS, { description: "What a message says: `thin`, only ids and `api_url`." }),
  thin: Type.Boolean({ description: "Whether `payload` is `thin`." }),
  coalesce_ms: count(
    "Within this time, in milliseconds, only the newest event of an article is sent; 0 sends every event.",
  ),
  header_names: texts("Names of its custom headers; the values are not shown."),
  has_ca: Type.Boolean({ description: "Whether a private certificate authority is trusted." }),
  created_at: time("When."),
  state: oneOf(["enabled", "paused", "disabled"] as const, {}),
  disabled_reason: textOrNull("One sentence."),
  disabled_at: timeOrNull(""),
  consecutive_failures: count("Consecutive deliveries that failed permanently."),
  disable_after: count("Number of consecutive failures at which it is disabled."),
  warning: textOrNull("What needs attention now; null: nothing."),
  last_success_at: timeOrNull("null: never."),
  last_failure_at: timeOrNull("null: never."),
  last_error: textOrNull("Error of the last failed attempt."),
  next_attempt_at: timeOrNull("Earliest planned attempt; null: nothing is waiting."),
  waiting: count("Deliveries waiting or in flight; counted up to 10,000."),
  parked: count("Parked deliveries, counted up to 10,000."),
  replaying: Type.Boolean({ description: "Whether parked deliveries are being sent." }),
  /** The newest secret, and previous ones that still sign. */
  secrets: Type.Array(Type.Object({ created_at: time(""), expires_at: timeOrNull("null: the current secret.") })),
});
export type Webhook = Static<typeof webhook>;

export const webhookList = Type.Object({ webhooks: Type.Array(webhook) });
export type WebhookList = Static<typeof webhookList>;

const settings = {
  url: Type.String({ maxLength: 8_000 }),
  name: Type.Optional(Type.String({ maxLength: 1_000, description: "100 characters at most." })),
  description: Type.Optional(Type.String({ maxLength: 8_000, description: "1,000 characters at most." })),
  events: Type.Optional(Type.Array(oneOf(EVENT_KINDS, {}), { minItems: 1, description: "Default: all." })),
  payload: Type.Optional(oneOf(PAYLOAD_FORMS, { description: "Default: `full`." })),
  thin: Type.Optional(Type.Boolean({ description: "The same as `payload`: `thin` or `full`; `payload` goes first." })),
  coalesce_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Replaces all earlier headers." })),
  ca: Type.Optional(textOrNull("PEM.")),
};

export const webhookInput = strictObject({ website_id: Type.String({ maxLength: 100 }), ...settings });
export type WebhookInput = Static<typeof webhookInput>;

/** Absent settings are left unchanged. */
export const webhookChange = Type.Partial(Type.Object(settings), { ...strict, minProperties: 1 });
export type WebhookChange = Static<typeof webhookChange>;

export const webhookMade = Type.Object({
  webhook,
  secret: Type.String({ description: "`whsec_…`; it cannot be shown again." }),
});
export type WebhookMade = Static<typeof webhookMade>;

export const rotationInput = strictObject({ overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168 })) });
export const rotated = Type.Object({
  webhook,
  secret: Type.String({ description: "The new secret; it cannot be shown again." }),
  previous_until: time("Until then the previous secrets sign as well."),
});
export type Rotated = Static<typeof rotated>;

export const addressInput = strictObject({
  website_id: Type.String({ maxLength: 100 }),
  url: Type.String({ maxLength: 8_000 }),
});
export const addressCheck = Type.Object({
  ok: Type.Boolean(),
  message: textOrNull("Why the URL cannot be called, or a warning; null: no problem."),
});
export type AddressCheck = Static<typeof addressCheck>;

export const activity = Type.Object({
  step_seconds: count("Length of a step."),
  steps: Type.Array(
    Type.Object({
      start: time("When it began."),
      delivered: count("Attempts that were answered with 2xx in time."),
      failed: count("All other attempts."),
      average_ms: millisOrNull("Average duration of its attempts; null: there were none."),
    }),
    { description: "Seven days, oldest first; fewer if there were very many deliveries." },
  ),
  answers: Type.Array(
    Type.Object({
      outcome: oneOf(OUTCOMES, {}),
      status: Type.Unsafe<number | null>({
        type: ["integer", "null"],
        description: "HTTP status; null if none arrived.",
      }),
      attempts: count("How many."),
    }),
    { description: "How the attempts of these steps ended, the most frequent first." },
  ),
});
export type Activity = Static<typeof activity>;

export const missed = Type.Object({
  events: count("Events missed since its last success: parked or exhausted. Counted up to 10,000."),
  articles: count("Articles that these events are about; counted up to 10,000."),
});
export type Missed = Static<typeof missed>;

export const enableInput = strictObject({ replay: oneOf(["latest", "all", "none"] as const, {}) });
export const replayInput = strictObject({ since: time("From then on.") });
export const replayed = Type.Object({ events: count("Upper bound of the number of events that are sent again.") });

const attempt = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: time("Start of the attempt."),
  outcome: Type.String(),
  status: millisOrNull("HTTP status; null: no response."),
  error: textOrNull("What went wrong; null: success."),
  request_headers: Type.Record(Type.String(), Type.String()),
  response_headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  response_body: Type.String({ description: "The first 8 KiB." }),
  /** Milliseconds from the start; null: not reached, or a connection was reused. */
  timings: Type.Object({
    dns: orNull(Type.Number()),
    connect: orNull(Type.Number()),
    first_byte: orNull(Type.Number()),
    total: Type.Number(),
  }),
});

export const delivery = Type.Object({
  id: Type.String(),
  webhook_id: Type.String(),
  event_id: Type.String(),
  event: Type.String(),
  article_id: Type.String(),
  article_title: textOrNull("Its current title; null if there is no such article."),
  origin: oneOf(["event", "replay", "redelivery", "test"] as const, {}),
  state: oneOf(DELIVERY_STATES, {}),
  created_at: time(""),
  finished_at: timeOrNull(""),
  next_attempt_at: timeOrNull("null if none is planned."),
  attempts: Type.Array(attempt),
});
export type Delivery = Static<typeof delivery>;

export const deliveryParameters = strictObject({
  state: Type.Optional(oneOf(DELIVERY_STATES, {})),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.String({ pattern: "^(?:[1-9]\\d?|100)$", description: "1 to 100; default: 25." })),
});
export const deliveryPage = Type.Object({
  deliveries: Type.Array(delivery, {
    description: "Newest first. May be fewer than `limit`, even none, while `next_cursor` says that there may be more.",
  }),
  next_cursor: textOrNull("null on the last page."),
});
export type DeliveryPage = Static<typeof deliveryPage>;

export const deliveryDetail = Type.Object({
  delivery,
  payload: textOrNull("The body, byte for byte; null if it is no longer kept."),
});
export type DeliveryDetail = Static<typeof deliveryDetail>;
