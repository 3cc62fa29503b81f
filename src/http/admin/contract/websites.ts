import { type Static, Type } from "typebox";
import { INTEGRITY_GATES, PUBLISH_DELAY_SECONDS } from "../../../domain/system/website.ts";
import { oneOf, orNull, strictObject, textOrNull, time } from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };

export const ofWebsite = strictObject({ website_id: Type.String({ maxLength: 100 }) });

export const website = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: textOrNull("`https://example.com`, without a slash at the end."),
  url_pattern: textOrNull(
    "URL of its articles, such as `https://example.com/blog/{slug}`; `{id}`, `{lang}` and the publication's `{year}`, `{month}` and `{day}` (UTC) are filled in, too, and `{/lang}` is a slash and the language, or nothing in the website's own. A change applies to articles published from then on: published articles keep their URL.",
  ),
  preview_url: textOrNull(
    "Where the website shows an article that is not published, such as `https://example.com/preview?id={id}&token={token}`.",
  ),
  asset_url: textOrNull(
    "The address before `/assets/…` of its pictures, such as `https://cdn.example.com`. A change applies to pictures added to a text from then on.",
  ),
  language: textOrNull("BCP 47, such as `de`: the language of articles that name none; null: unknown."),
  time_zone: Type.String({ description: "IANA name, such as `Europe/Berlin`: the zone in which its people plan." }),
  slugs_per_language: Type.Boolean({
    description:
      "Whether a slug is unique within the website and a language, not within the website. It needs `language`, and `{lang}`, `{/lang}` or `{id}` in `url_pattern`.",
  }),
  requires_second_factor: Type.Boolean({ description: "Whether members must sign in with a second factor." }),
  requires_second_person: Type.Boolean({
    description: "Whether an article is approved by somebody other than those who wrote it, or last changed it.",
  }),
  publish_delay_seconds: Type.Integer({
    minimum: 0,
    maximum: PUBLISH_DELAY_SECONDS.max,
    description: "How long a publication in the dashboard waits, so that it can be undone.",
  }),
  integrity_gate: oneOf(INTEGRITY_GATES, {
    description:
      "Whose articles wait for a person while they have blocking findings: `machine` means those that senders, access tokens and generators delivered.",
  }),
  series_labels: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 50,
    description: "Tags and categories whose articles are alike on purpose, such as release notes.",
  }),
  responsible_name: textOrNull("Legal name of who answers for what it publishes; null: not told."),
  responsible_url: textOrNull("Address of the imprint; null: not told."),
  names_reviewers: Type.Boolean({
    description: "Whether review records name the people who approved; otherwise each has a pseudonym.",
  }),
  serves_feeds: Type.Boolean({
    description: "Whether everybody gets its feeds, sitemap and llms.txt at `/feeds/<id>/…`. It needs `url`.",
  }),
  index_now_key: textOrNull(
    "The key that the website must answer with at `/<key>.txt`, if its changes are told to search engines by IndexNow; null: they are not.",
  ),
  created_at: time("When it was created."),
});
export type Website = Static<typeof website>;

export const websiteDeletion = strictObject({ name: Type.String({ maxLength: 1_000 }) });
/** A route on all websites must not accept a `website_id`, or permission on that one website would suffice. */
export const noParameters = strictObject({});

export const indexNowPings = Type.Object({
  next_at: orNull(time("When the next try is due."), "Null: nothing waits."),
  pings: Type.Array(
    Type.Object({
      at: time("When it was sent."),
      addresses: Type.Integer({ description: "Number of pages." }),
      outcome: Type.Union([Type.Literal("sent"), Type.Literal("retried"), Type.Literal("given_up")]),
      status: orNull(Type.Integer(), "The answer's HTTP status; null: none came."),
      error: textOrNull("What went wrong."),
    }),
  ),
});
export type IndexNowPings = Static<typeof indexNowPings>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Numbers of the rows that are deleted with the website. */
export const websiteContents = Type.Object({
  articles: count("Number of articles, including the trash."),
  events: count("Number of all of them."),
  keys: count("Number of keys that are not revoked."),
  webhooks: count("Number of all of them."),
  members: count("Number of people with access to this website."),
});
export type WebsiteContents = Static<typeof websiteContents>;

export const websiteInput = strictObject({
  name: Type.String({ maxLength: 1_000 }),
  url: Type.Optional(textOrNull("Absent or null: none.")),
  url_pattern: Type.Optional(textOrNull("Absent or null: none.")),
  preview_url: Type.Optional(textOrNull("Absent or null: none.")),
  asset_url: Type.Optional(textOrNull("Absent or null: the service's own.")),
  language: Type.Optional(textOrNull("Absent or null: unknown.")),
  time_zone: Type.Optional(Type.String({ maxLength: 1_000, description: "Absent: UTC." })),
});
export type WebsiteInput = Static<typeof websiteInput>;

/** Values that settings had when the page read them: if one has changed since, the change is refused (409). */
const expected = Type.Partial(
  Type.Pick(website, [
    "name",
    "url",
    "url_pattern",
    "preview_url",
    "asset_url",
    "language",
    "time_zone",
    "publish_delay_seconds",
    "integrity_gate",
    "series_labels",
    "responsible_name",
    "responsible_url",
  ]),
  strict,
);

/** Absent fields are left unchanged. */
export const websiteChange = Type.Partial(
  Type.Object({
    ...websiteInput.properties,
    requires_second_factor: Type.Boolean(),
    requires_second_person: Type.Boolean(),
    publish_delay_seconds: website.properties.publish_delay_seconds,
    integrity_gate: website.properties.integrity_gate,
    series_labels: website.properties.series_labels,
    responsible_name: website.properties.responsible_name,
    responsible_url: website.properties.responsible_url,
    names_reviewers: website.properties.names_reviewers,
    serves_feeds: website.properties.serves_feeds,
    slugs_per_language: website.properties.slugs_per_language,
    index_now: Type.Boolean({ description: "Whether changes are told to search engines by IndexNow. It needs `url`." }),
    expected,
  }),
  { ...strict, minProperties: 1 },
);
export type WebsiteChange = Static<typeof websiteChange>;
