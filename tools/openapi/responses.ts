/** The bodies of responses (docs/specification.md, sections 4 and 7). */
import { Type } from "typebox";
import { article, articleSelection, articleStatus, articleSummary } from "../../src/http/contract/article.ts";
import { feedEvent } from "./event.ts";
import { count, oneOf, orNull, textOrNull, texts, time, uuid } from "../../src/http/contract/schema-helpers.ts";

const pagination = Type.Object(
  {
    total: count("How many articles match, whatever the page."),
    limit: Type.Integer({ minimum: 1, maximum: 100, description: "The limit that was applied." }),
    offset: count("The offset that was applied."),
  },
  { $id: "Pagination" },
);

const eventPagination = Type.Object(
  {
    after: count("The `after` that was applied."),
    limit: Type.Integer({ minimum: 1, maximum: 100, description: "The limit that was applied." }),
    next_after: count("Give this as `after` to get what follows. Keep it until the next poll."),
    latest_sequence: count("The newest event's sequence; 0 when there is none yet."),
    has_more: Type.Boolean({ description: "Whether there is more to get now." }),
  },
  { $id: "EventPagination" },
);

const milliseconds = Type.Number({ minimum: 0 });

const debug = Type.Object(
  {
    request_id: Type.String({ description: "The same as the header `X-Request-Id`." }),
    api_version: Type.Literal("v1"),
    node: Type.String({ description: "The process that answered." }),
    query: orNull(
      Type.Object({
        status: orNull(articleStatus, "`null`: every status."),
        limit: Type.Integer(),
        offset: Type.Integer(),
        sort: Type.String({ description: "Such as `-published_at`." }),
      }),
      "The list's parameters as they were applied; `null` for one article.",
    ),
    timing_ms: Type.Object(
      { total: milliseconds, auth: milliseconds, database: milliseconds, serialize: milliseconds },
      { description: "Milliseconds." },
    ),
    cache: Type.Union([Type.Literal("hit"), Type.Literal("miss")], {
      description: "Whether it came from memory.",
    }),
    content_version: count("The website's counter: it grows with every change that readers can see."),
    api_key: Type.Object({ name: Type.String(), prefix: Type.String() }, { description: "Which key was used." }),
    warnings: texts("Parameters that were ignored or lowered."),
  },
  { $id: "Debug", description: "Only with `debug=true`." },
);

const success = Type.Literal(true);

export const articleListAnswer = Type.Object(
  {
    success,
    data: Type.Object({ articles: Type.Array(articleSummary), pagination }),
    debug: Type.Optional(debug),
  },
  { $id: "ArticleListAnswer" },
);

export const articleAnswer = Type.Object(
  { success, data: Type.Object({ article }), debug: Type.Optional(debug) },
  { $id: "ArticleAnswer" },
);

/** With `fields`, `include` or `format`. */
export const articleSelectionListAnswer = Type.Object(
  {
    success,
    data: Type.Object({ articles: Type.Array(articleSelection), pagination }),
    debug: Type.Optional(debug),
  },
  { $id: "ArticleSelectionListAnswer" },
);

export const articleSelectionAnswer = Type.Object(
  { success, data: Type.Object({ article: articleSelection }), debug: Type.Optional(debug) },
  { $id: "ArticleSelectionAnswer" },
);

export const eventListAnswer = Type.Object(
  { success, data: Type.Object({ events: Type.Array(feedEvent), pagination: eventPagination }) },
  { $id: "EventListAnswer" },
);

const movedTo = Type.Object(
  {
    slug: Type.String({ description: "The article's slug of today." }),
    platform_url: textOrNull("Its address of today on your own website."),
  },
  { $id: "MovedTo", description: "Only if the slug is an earlier one: redirect to this one." },
);

export const articleBySlugAnswer = Type.Object(
  { success, data: Type.Object({ article, moved_to: Type.Optional(movedTo) }), debug: Type.Optional(debug) },
  { $id: "ArticleBySlugAnswer" },
);

export const articleBySlugSelectionAnswer = Type.Object(
  {
    success,
    data: Type.Object({ article: articleSelection, moved_to: Type.Optional(movedTo) }),
    debug: Type.Optional(debug),
  },
  { $id: "ArticleBySlugSelectionAnswer" },
);

const redirect = Type.Object(
  {
    from: Type.String({ description: "An earlier slug of the article, or an earlier address of it." }),
    kind: oneOf(["slug", "alias"], { description: "Which of the two `from` is." }),
    language: textOrNull(
      "The language of `from` (BCP 47), such as the website's own; `null`: unknown. Where slugs are unique per language, `from` may be there once for each.",
    ),
    article_id: uuid("The article's `id`."),
    slug: Type.String({ description: "The article's slug of today." }),
    platform_url: textOrNull("Its address of today on your own website."),
  },
  { $id: "Redirect" },
);

export const redirectListAnswer = Type.Object(
  {
    success,
    data: Type.Object({
      redirects: Type.Array(redirect),
      pagination: Type.Object(
        {
          limit: Type.Integer({ minimum: 1, maximum: 1000, description: "The limit that was applied." }),
          next_after: Type.String({ description: "Give this as `after` to get what follows." }),
          has_more: Type.Boolean({ description: "Whether there is more to get." }),
        },
        { $id: "RedirectPagination" },
      ),
    }),
  },
  { $id: "RedirectListAnswer" },
);

const label = (name: string, description: string) =>
  Type.Object(
    {
      name: Type.String({ description: "As in the newest article that has it." }),
      slug: Type.String({ description: "For addresses: made from the name, and no other has it." }),
      count: Type.Integer({ minimum: 1, description: "How many published articles have it." }),
    },
    { $id: name, description },
  );

const labelPagination = Type.Object(
  {
    total: count("How many there are."),
    limit: Type.Integer({ minimum: 1, maximum: 1000, description: "The limit that was applied." }),
    offset: count("The offset that was applied."),
  },
  { $id: "LabelPagination" },
);

export const tagListAnswer = Type.Object(
  {
    success,
    data: Type.Object({ tags: Type.Array(label("Tag", "A tag of published articles.")), pagination: labelPagination }),
  },
  { $id: "TagListAnswer" },
);

export const categoryListAnswer = Type.Object(
  {
    success,
    data: Type.Object({
      categories: Type.Array(label("Category", "A category of published articles.")),
      pagination: labelPagination,
    }),
  },
  { $id: "CategoryListAnswer" },
);

export const relatedAnswer = Type.Object(
  { success, data: Type.Object({ articles: Type.Array(articleSummary) }) },
  { $id: "RelatedAnswer" },
);

export const relatedSelectionAnswer = Type.Object(
  { success, data: Type.Object({ articles: Type.Array(articleSelection) }) },
  { $id: "RelatedSelectionAnswer" },
);

export const stateAnswer = Type.Object(
  {
    success,
    data: Type.Object({
      version: Type.String({ description: "Compare it; its parts mean nothing." }),
      latest_sequence: count("The newest event's sequence; 0 when there is none yet."),
      language: textOrNull(
        "The website's own language (BCP 47), that of articles whose `language` is `null`; `null`: unknown.",
      ),
    }),
  },
  { $id: "StateAnswer" },
);

const error = Type.String({ description: "The status in words." });
const message = Type.String({ description: "What to do about it." });

export const refused = Type.Object(
  { error, message },
  { $id: "Error", description: "The body of 401 to 429, and of 503." },
);

export const badRequest = Type.Object(
  { error, message, param: Type.String({ description: "Name of the parameter, or of the header, that is wrong." }) },
  { $id: "ParameterError", description: "The body of 400." },
);

export const goneError = Type.Object(
  { error, message, deleted_at: time("When the article was deleted.") },
  { $id: "GoneError", description: "The body of 410." },
);

export const internalError = Type.Object(
  {
    error,
    message,
    details: Type.String({ description: "The kind of cause, and the request's id to look it up in the log." }),
  },
  { $id: "InternalError", description: "The body of 500." },
);
