/** Schemas of the management API's own routes, from which tools/openapi/management.ts describes it. `title` names a schema there. */
import { type Static, Type } from "typebox";
import { ARTICLE_STATUSES, FIRST_STATES } from "../../domain/articles/article.ts";
import { ALL_VERBS, ARTICLE_STATES } from "../../domain/articles/verbs.ts";
import { FINDING_FILTERS } from "../../domain/articles/findings.ts";
import { MAX_EXTERNAL_ID } from "../../domain/articles/origin.ts";
import { TOKEN_SCOPES } from "../../domain/people/access-token.ts";
import { MAX_HASH_LENGTH, MAX_PATH_BYTES } from "../../operations/articles/import/push-archive.ts";
import { FEEDBACK_KINDS } from "../../operations/articles/review/feedback.ts";
import { person } from "../admin/contract/articles.ts";
import { articleChanges, textLoss } from "../admin/contract/review.ts";
import { articleSummary, detailAdditions, integrity } from "../contract/article.ts";
import {
  anyObject,
  count,
  oneOf,
  orNull,
  strictObject,
  textOrNull,
  texts,
  time,
  timeOrNull,
  uuid,
  withoutNames,
} from "../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const text = (most: number, description: string) => Type.String({ maxLength: most, description });
const url = (description: string) => textOrNull(`Absolute http or https address. ${description}`);

const externalId = Type.String({
  minLength: 1,
  maxLength: MAX_EXTERNAL_ID,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  description: "Your own id of the article: at most 200 characters, and unique within the website.",
});

/** Verbs that machines have; the others of the dashboard are for people. */
export const MANAGED_VERBS = ALL_VERBS.filter(
  (verb) => verb !== "label" && verb !== "set-author" && verb !== "unschedule",
);

const state = oneOf(ARTICLE_STATES, {
  title: "ArticleState",
  description:
    "`draft`, `in_review`, `resubmitted` (in review again) and `changes_requested` are pending; `scheduled` is approved, with a time of publication; `trash` is deleted.",
});
const etag = Type.String({
  description: "For `If-Match`. It names the text that you saw: another edit, approval or publication changes it.",
});
const externalIdOrNull = textOrNull("Your own id of the article; `null`: it has none.");

const articleSnippet = Type.Object(
  {
    ...withoutNames(articleSummary).properties,
    state,
    language: textOrNull("BCP 47; `null`: the website's own language."),
    updated_at: time("When the article was changed last."),
    publish_at: timeOrNull("When it will be published; `null` unless it is scheduled."),
    deleted_at: timeOrNull("When it was moved to the trash."),
    external_id: externalIdOrNull,
    etag,
  },
  { title: "ArticleSnippet", description: "The article without its text." },
);

const authors = Type.Array(
  Type.Object({ name: Type.String(), url: textOrNull("Absolute http or https address.") }, { title: "Author" }),
  { description: "As readers see them, in order." },
);

const requestedChanges = orNull(
  Type.Object(
    {
      reason: Type.String({ description: "What has to change." }),
      comments: count("How many comments were sent with it."),
      by: person,
      at: time("When."),
    },
    { title: "ChangeRequest" },
  ),
  "The changes that were requested last; `null` if that is settled.",
);

const removalRequest = orNull(
  Type.Object({ reason: Type.String(), by: person, at: time("When.") }, { title: "RemovalRequest" }),
  "An open request to delete it; `null`: there is none.",
);

const publicationRequest = orNull(
  Type.Object({ by: person, at: time("When.") }, { title: "PublicationRequest" }),
  "An open request to publish it, by a machine that may not; `null`: there is none.",
);

const draftCopy = orNull(
  Type.Object(
    {
      changes: articleChanges,
      by: person,
      saved_at: time("When it was saved last."),
    },
    { title: "DraftCopy" },
  ),
  "Changes of a published article that readers do not see yet; somebody who may publish makes them live.",
);

export const managedArticle = Type.Object(
  {
    ...articleSnippet.properties,
    ...withoutNames(detailAdditions).properties,
    source: oneOf(["html", "markdown"] as const, {
      description: "In which format it was written: `markdown` is then the source, else it is derived from `content`.",
    }),
    markdown: Type.String({ description: "GitHub Flavored Markdown." }),
    authors,
    meta_title: textOrNull("For the page's `<title>` where it differs from `title`."),
    canonical_url: textOrNull("Where the original is; `null`: this article's own address."),
    aliases: texts("Former addresses: slugs, and paths such as `/2019/old-name`."),
    translation_group: textOrNull("The same text for an article and its translations."),
    allowed: Type.Array(oneOf(MANAGED_VERBS, { title: "Verb" }), {
      description: "What your token may do with it now: `edit`, and the names of the actions.",
    }),
    request: requestedChanges,
    removal_request: removalRequest,
    publication_request: publicationRequest,
    draft: draftCopy,
    removed: texts("Markup that saving this request's text removed; empty otherwise."),
    loss: textLoss("Text that this request lost, which `accept_loss=true` has allowed; `null` otherwise."),
  },
  { title: "Article", description: "The article with everything that the management API knows of it." },
);
export type ManagedArticle = Static<typeof managedArticle>;

export const articleAnswer = Type.Object({ article: managedArticle }, { title: "ArticleAnswer" });
export type ArticleAnswer = Static<typeof articleAnswer>;

export const upsertAnswer = Type.Object(
  {
    outcome: oneOf(["created", "updated", "unchanged", "held"] as const, {
      description:
        "`held`: you and somebody else changed the same field, or the article is in the trash; people decide. What was not held is applied.",
    }),
    held_fields: texts("The fields that are held."),
    article: managedArticle,
  },
  { title: "UpsertAnswer" },
);

export const articleListAnswer = Type.Object(
  {
    articles: Type.Array(articleSnippet),
    total: count("How many articles match, whatever the page."),
    limit: count("As applied."),
    offset: count("As applied."),
  },
  { title: "ArticleListAnswer" },
);
export type ArticleListAnswer = Static<typeof articleListAnswer>;

const SORTS = [
  "created_at",
  "-created_at",
  "updated_at",
  "-updated_at",
  "published_at",
  "-published_at",
  "title",
  "-title",
] as const;

const websiteName = Type.Optional(text(100, "The token's website, if you name one."));

/** Numbers are strings in a query. */
export const listParameters = strictObject({
  website_id: websiteName,
  state: Type.Optional(oneOf(ARTICLE_STATES, { description: "Default: all states but `trash`." })),
  q: Type.Optional(text(1_000, "Words that the article has.")),
  tag: Type.Optional(text(500, "Articles with this tag.")),
  category: Type.Optional(text(500, "Articles of this category.")),
  keyword: Type.Optional(text(500, "Articles written for this search term.")),
  author: Type.Optional(text(500, "Articles with this author.")),
  finding: Type.Optional(
    oneOf(FINDING_FILTERS, {
      description: "Articles with such a finding: a kind of `quality_metrics.integrity`, `any`, or `blocking`.",
    }),
  ),
  external_id: Type.Optional(externalId),
  updated_since: Type.Optional(text(40, "Articles that were changed at this time (ISO 8601) or later.")),
  sort: Type.Optional(oneOf(SORTS, { description: "Default: newest first." })),
  limit: Type.Optional(Type.String({ pattern: "^(?:[1-9]\\d?|100)$", description: "1 to 100; default: 50." })),
  offset: Type.Optional(Type.String({ pattern: "^\\d{1,9}$", description: "Default: 0." })),
});

export const externalParams = Type.Object({ external_id: externalId });

/** Any time zone, and any precision. */
const givenTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

/** Fields that a request can give an article. Lengths and formats: domain/articles/article-json.ts. */
const fields = {
  ...articleChanges.properties,
  published_at: Type.Optional(givenTime("When it was published first.")),
  authors: Type.Optional(
    Type.Array(
      Type.Union([
        Type.String({ description: "A name, or `Ada <https://ada.example>`." }),
        strictObject({ name: Type.String(), url: Type.Optional(url("")) }),
      ]),
      { description: "All of them, as readers see them." },
    ),
  ),
  internal_links: Type.Optional(
    orNull(
      Type.Array(strictObject({ text: Type.String(), url: Type.String() })),
      "`null`: those that are found in the text.",
    ),
  ),
};
const origin = {
  created_at: Type.Optional(givenTime("When it came to be, if that was earlier.")),
  user_id: Type.Optional(textOrNull("Who wrote it, in your own system.")),
  quality_metrics: Type.Optional(orNull(anyObject("Scores of your own, as they are."), "Kept as `reported`.")),
  pipeline_steps: Type.Optional(
    Type.Array(anyObject("A step: `name`, `status`, `started_at` …"), {
      description: "How the article came to be, on your side.",
    }),
  ),
};
const reviewState = (initial: string) =>
  Type.Optional(oneOf(FIRST_STATES, { description: `Where a new article begins; default: \`${initial}\`.` }));

export const newArticle = Type.Object(
  {
    website_id: websiteName,
    ...fields,
    title: Type.String({ minLength: 1 }),
    ...origin,
    id: Type.Optional(uuid("Default: a new one.")),
    external_id: Type.Optional(externalId),
    review_state: reviewState("draft"),
  },
  { ...strict, title: "NewArticle" },
);

export const articlePatch = Type.Object(
  { ...fields, status: Type.Optional(oneOf(ARTICLE_STATUSES, { description: "Only the present one." })) },
  {
    ...strict,
    title: "ArticlePatch",
    description: "A JSON merge patch (RFC 7396): what is absent stays, and `null` clears.",
  },
);

export const broughtArticle = Type.Object(
  {
    website_id: websiteName,
    ...fields,
    ...origin,
    updated_at: Type.Optional(givenTime("When you changed it last.")),
    status: Type.Optional(
      oneOf(ARTICLE_STATUSES, {
        description: "Only asks: a token does not publish what it brings, so that the article waits for review.",
      }),
    ),
    review_state: reviewState("in_review"),
  },
  { ...strict, title: "BroughtArticle", description: "The whole article, as your side has it now." },
);

const flag = (description: string) => Type.Optional(oneOf(["true", "false"] as const, { description }));
const acceptLoss = flag(
  "Whether text may be lost; otherwise a text of which more than a tenth would be lost is refused with 422. Default: `false`.",
);
export const saveParameters = strictObject({ accept_loss: acceptLoss });
export const upsertParameters = strictObject({
  accept_loss: acceptLoss,
  overwrite: flag(
    "Whether your article replaces what people changed; otherwise that is held. Needs the scope `publish`. Default: `false`.",
  ),
});

export const batchParameters = strictObject({
  website_id: websiteName,
  ...upsertParameters.properties,
  review_state: reviewState("in_review"),
  dry_run: flag("Says what would be done, and saves nothing. Default: `false`."),
});

const path = Type.String({
  minLength: 1,
  maxLength: MAX_PATH_BYTES,
  description: "The path within the folder, with `/`.",
});
const fileHash = "Of the file, and of what else its article depends on; compared with the last one as it is.";
export const filesInput = strictObject({
  website_id: websiteName,
  files: Type.Array(
    Type.Object(
      {
        path,
        hash: Type.Unsafe<string | null>({
          type: ["string", "null"],
          maxLength: MAX_HASH_LENGTH,
          description: `${fileHash} \`null\`: the file is there, and nothing is asked of it.`,
        }),
      },
      { ...strict, title: "ListedFile" },
    ),
    { maxItems: 200_000, description: "All files that are there." },
  ),
});
export const filesAnswer = Type.Object(
  {
    missing: texts("The files to send: changed since they were sent, or never sent."),
    removed: Type.Array(Type.Object({ path, hash: Type.String({ description: fileHash }) }, { title: "KnownFile" }), {
      description: "Files that your token listed before and that are gone.",
    }),
    known: count("How many files of your token were known."),
  },
  { title: "FileComparison" },
);

export const removalInput = strictObject({ reason: Type.String({ minLength: 1, maxLength: 10_000 }) });

export const feedbackParameters = strictObject({
  website_id: websiteName,
  after: Type.Optional(text(80, "The `next` of an earlier answer. Default: from the beginning.")),
  limit: Type.Optional(Type.String({ pattern: "^(?:[1-9]\\d?|100)$", description: "1 to 100; default: 50." })),
});

export const feedbackAnswer = Type.Object(
  {
    feedback: Type.Array(
      Type.Object(
        {
          kind: oneOf(FEEDBACK_KINDS, { description: "What somebody did. There may be new ones at any time." }),
          at: time("When."),
          by: person,
          article: Type.Object({
            id: uuid("The article's `id`."),
            external_id: externalIdOrNull,
            title: Type.String(),
          }),
          reason: textOrNull("Of a request for changes."),
          text: textOrNull("Of a comment: its first 200 characters."),
          fields: texts("The names of the fields that were edited."),
          integrity: orNull(
            withoutNames(integrity),
            "With a request for changes: what is found in the text as it is now; `null` otherwise.",
          ),
          comments: Type.Array(
            Type.Object(
              {
                id: Type.String(),
                quote: Type.String({ description: "The passage; empty: the whole article." }),
                text: Type.String(),
              },
              { title: "RequestedComment" },
            ),
            { description: "Sent with a request for changes." },
          ),
        },
        { title: "Feedback" },
      ),
      { description: "Oldest first." },
    ),
    next: Type.String({ description: "Give this as `after` to get what follows." }),
  },
  { title: "FeedbackAnswer" },
);
export type FeedbackAnswer = Static<typeof feedbackAnswer>;

export const meParameters = strictObject({ website_id: websiteName });
export const meAnswer = Type.Object(
  {
    token: Type.Object({
      id: Type.String(),
      name: Type.String(),
      scope: oneOf(TOKEN_SCOPES, {}),
      expires_at: time("When it ends."),
    }),
    website: Type.Object({
      id: Type.String(),
      name: Type.String(),
      url: textOrNull("Where its articles appear."),
      language: textOrNull("BCP 47."),
    }),
    limits: Type.Object({
      requests_per_second: count("On average."),
      burst: count("At once."),
      article_bytes: count("Of one text."),
      batch_bytes: count("Of one batch."),
      batches_at_once: count("Of one token."),
      idempotency_hours: count("How long a key is known."),
    }),
  },
  { title: "Me" },
);
