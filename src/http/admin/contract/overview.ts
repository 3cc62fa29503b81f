import { type Static, Type } from "typebox";
import { LIVE_TOPICS } from "../../../domain/system/live-topics.ts";
import { count, oneOf, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";
import { articleCounts, articleLine } from "./articles.ts";

export const overviewQuery = Type.Object(
  { website_id: Type.String({ maxLength: 100 }) },
  { additionalProperties: false },
);

const hour = time("Its beginning.");

export const overview = Type.Object({
  counts: articleCounts,
  /** The oldest that wait for review, at most five. */
  waiting: Type.Array(articleLine),
  /** Planned next, at most five. */
  scheduled: Type.Array(articleLine),
  /** Published last, at most five. */
  published: Type.Array(articleLine),
  /** The last 24 hours, oldest first, this one last; every hour is there. */
  deliveries: Type.Array(
    Type.Object({
      hour,
      delivered: count("Arrived."),
      exhausted: count("Failed for good."),
      retried: count("Attempts that failed and are tried again."),
    }),
  ),
  reads: Type.Array(Type.Object({ hour, requests: count("Requests of API keys; a minute behind at most.") })),
  /** Webhooks that somebody should look at; none for those who may not manage them. */
  warnings: Type.Array(
    Type.Object({ webhook_id: Type.String(), url: Type.String(), state: Type.String(), message: Type.String() }),
  ),
});
export type Overview = Static<typeof overview>;

/** What the getting-started page fills in and ticks off. */
export const gettingStarted = Type.Object({
  base_url: Type.String({ description: "Where others reach the service." }),
  website: Type.Object({ id: Type.String(), name: Type.String(), url: textOrNull("") }),
  example_article: Type.Union(
    [Type.Object({ id: Type.String(), title: Type.String(), slug: Type.String() }), Type.Null()],
    {
      description: "A published one; null: there is none yet.",
    },
  ),
  has_articles: Type.Boolean(),
  has_key: Type.Boolean({ description: "One that is accepted." }),
  has_webhook: Type.Boolean(),
  first_request_at: timeOrNull("The first request with a key of this website; null: none yet."),
  first_delivery_at: timeOrNull("The first webhook that arrived; null: none yet."),
});
export type GettingStarted = Static<typeof gettingStarted>;

/**
 * GET live: server-sent events. `event: change`, `data:` one of these: what should be asked again. One comes at the
 * beginning of the stream, too, as nobody knows what was missed. `event: superseded` is the last of a stream that had to
 * make room for a later one of the same session: it should not come again for as long as nobody looks at its page.
 */
const liveChange = Type.Object({
  website_id: Type.String(),
  topics: Type.Array(oneOf(LIVE_TOPICS, {})),
});
export type LiveChange = Static<typeof liveChange>;
