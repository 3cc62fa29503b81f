import { type Static, Type } from "typebox";
import { LIVE_TOPICS } from "../../../domain/people/live-topics.ts";
import { count, oneOf, orNull, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";
import { articleCounts, articleListItem } from "./articles.ts";

export const overviewParameters = Type.Object(
  { website_id: Type.String({ maxLength: 100 }) },
  { additionalProperties: false },
);

export const liveParameters = Type.Object(
  {
    ...overviewParameters.properties,
    since: Type.Optional(
      Type.String({ maxLength: 200, description: "From the session: only what has changed since." }),
    ),
  },
  { additionalProperties: false },
);

const hour = time("Start of the hour.");

export const overview = Type.Object({
  counts: articleCounts,
  /** The articles that have waited longest for review, at most five. */
  waiting: Type.Array(articleListItem),
  /** The next scheduled articles, at most five. */
  scheduled: Type.Array(articleListItem),
  /** The articles that were published here last, at most five. */
  published: Type.Array(articleListItem),
  /** The last 24 hours, oldest first, ending with the current one; hours without deliveries are included. */
  deliveries: Type.Array(
    Type.Object({
      hour,
      delivered: count("Arrived."),
      exhausted: count("Exhausted deliveries."),
      retried: count("Failed attempts that are retried."),
    }),
  ),
  reads: Type.Array(Type.Object({ hour, requests: count("Requests with API keys; at most a minute behind.") })),
  /** Webhooks that need attention; empty for users who may not manage webhooks. */
  warnings: Type.Array(
    Type.Object({
      webhook_id: Type.String(),
      name: Type.String({ description: "May be empty." }),
      url: Type.String(),
      state: Type.String(),
      message: Type.String(),
    }),
  ),
  recheck: orNull(
    Type.Number(),
    "How much of the articles has new scores after an upgrade, 0 to 1; null: all of them.",
  ),
});
export type Overview = Static<typeof overview>;

export const gettingStarted = Type.Object({
  base_url: Type.String({ description: "Public URL of the service." }),
  website: Type.Object({ id: Type.String(), name: Type.String(), url: textOrNull("") }),
  example_article: orNull(
    Type.Object({ id: Type.String(), title: Type.String(), slug: Type.String() }),
    "A published article; null if there is none yet.",
  ),
  has_articles: Type.Boolean(),
  has_key: Type.Boolean({ description: "Whether there is a valid key." }),
  has_webhook: Type.Boolean(),
  first_request_at: timeOrNull("First request with a key of this website; null: none yet."),
  first_delivery_at: timeOrNull("First delivered webhook; null: none yet."),
});
export type GettingStarted = Static<typeof gettingStarted>;

/**
 * GET live: server-sent events. `event: change`, with one of these as `data:`, names what the client should fetch
 * again. Each stream starts with one, since changes may have been missed. `event: superseded` is the last event of a
 * stream that is closed in favour of a later one of the same session: the client should not reconnect while its page is
 * hidden.
 */
const liveChange = Type.Object({
  website_id: Type.String(),
  topics: Type.Array(oneOf(LIVE_TOPICS, {})),
});
export type LiveChange = Static<typeof liveChange>;
