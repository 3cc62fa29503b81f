import { type Static, Type } from "typebox";
import { FINDING_FILTERS } from "../../../domain/articles/findings.ts";
import { BULK_VERBS, type BulkVerb } from "../../../domain/articles/verbs.ts";
import { EVENT_KINDS } from "../../../domain/webhooks/event.ts";
import { LIST_STATES, LIST_VIEWS, type ListView } from "../../../operations/articles/lists/article-lists.ts";
import { type ScoreFilter, SCORES } from "../../../operations/articles/lists/filters.ts";
import { ARTICLE_ORIGINS, ARTICLE_STATUSES, type ReviewState } from "../../../domain/articles/article.ts";
import {
  count,
  oneOf,
  orNull,
  seenVersion,
  strictObject,
  textOrNull,
  texts,
  time,
  timeOrNull,
  uuid,
} from "../../contract/schema-helpers.ts";

const websiteId = Type.String({ maxLength: 100 });
export const person = Type.Object(
  {
    id: Type.String({ description: "An account, or `cli`, `schedule`, `import` …" }),
    name: Type.String({ description: "Name or e-mail address; for an actor without an account, its id." }),
  },
  { title: "Person" },
);
const text = (most: number) => Type.String({ maxLength: most });

/** The queues of the list: `LIST_VIEWS` in operations says what is in each. */
const ARTICLE_VIEWS = LIST_VIEWS;
export type ArticleView = ListView;

const ARTICLE_SORTS = [
  "created_at",
  "-created_at",
  "updated_at",
  "-updated_at",
  "state_since",
  "-state_since",
  "published_at",
  "-published_at",
  "title",
  "-title",
] as const;
export type ArticleSort = (typeof ARTICLE_SORTS)[number];

const day = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  description: "`2026-11-29`, in the website's time zone; the day itself is included.",
});

const conditions = {
  website_id: websiteId,
  q: Type.Optional(text(1_000)),
  category: Type.Optional(text(500)),
  tag: Type.Optional(text(500)),
  keyword: Type.Optional(text(500)),
  author: Type.Optional(text(500)),
  origin: Type.Optional(oneOf(ARTICLE_ORIGINS, {})),
  finding: Type.Optional(oneOf(FINDING_FILTERS, {})),
  published_from: Type.Optional(day),
  published_until: Type.Optional(day),
  updated_from: Type.Optional(day),
  updated_until: Type.Optional(day),
  writer: Type.Optional(text(100)),
  assignee: Type.Optional(text(100)),
  language: Type.Optional(text(100)),
  score: Type.Optional(oneOf(Object.keys(SCORES) as ScoreFilter[], {})),
  state: Type.Optional(oneOf(LIST_STATES, {})),
};

const filters = {
  ...conditions,
  view: oneOf(ARTICLE_VIEWS, {}),
  /**
   * Default: by relevance to `q`, else `scheduled` by time of publication, `trash` by deletion, `in_review` and
   * `resubmitted` by the time that they came, the others newest first.
   */
  sort: Type.Optional(oneOf(ARTICLE_SORTS, {})),
};

/** Numbers are strings in a query. */
export const articleParameters = strictObject({
  ...filters,
  limit: Type.Optional(Type.String({ pattern: "^(?:[1-9]\\d?|100)$", description: "1 to 100; default: 50." })),
  offset: Type.Optional(Type.String({ pattern: "^\\d{1,9}$", description: "Default: 0." })),
});
export type ArticleParameters = Static<typeof articleParameters>;

export const articleListItem = Type.Object({
  id: uuid("Id of the article."),
  title: Type.String(),
  slug: Type.String(),
  excerpt: Type.String(),
  status: oneOf(ARTICLE_STATUSES, {}),
  target_keyword: textOrNull("The one main search term."),
  featured_image_url: textOrNull("Absolute URL."),
  categories: texts("May be empty."),
  tags: texts("May be empty."),
  word_count: count("Words."),
  reading_time: count("Minutes."),
  score: Type.Integer({ minimum: 0, maximum: 100, description: "`quality_metrics.overall_score`." }),
  is_blocked: Type.Boolean({ description: "Whether a finding in its text blocks: `quality_metrics.integrity` fails." }),
  created_at: time("As imported."),
  updated_at: time("Last change."),
  state_since: time("Since when it has its status, or its state in review; of an import, the time of the import."),
  approved_at: timeOrNull("Last approval."),
  published_at: timeOrNull("First publication."),
  publish_at: timeOrNull("The plan."),
  deleted_at: timeOrNull("When it was moved to the trash."),
  has_draft: Type.Boolean({ description: "Whether it has a draft copy." }),
  review_state: Type.Unsafe<Exclude<ReviewState, "resubmitted"> | null>({
    enum: ["draft", "in_review", "changes_requested", null],
    description: "null unless it is pending.",
  }),
  is_resubmitted: Type.Boolean({ description: "Whether it is in review again after changes were requested." }),
  author: orNull(person, "The account that wrote it; null if unknown."),
  assignee: orNull(person, "The account that takes care of it."),
  open_comments: count("Threads of comments that are not resolved."),
  version: Type.Integer({ description: "Current version; actions name the version that the user saw." }),
});
export type ArticleListItem = Static<typeof articleListItem>;

export const articlePage = Type.Object({
  articles: Type.Array(articleListItem),
  total: count("Number of all matching articles."),
  limit: count("As applied."),
  offset: count("As applied."),
  bulk: Type.Array(oneOf(BULK_VERBS, {}), { description: "The bulk actions that the user may do here." }),
});
export type ArticlePage = Static<typeof articlePage>;

export const articleCountsParameters = strictObject(conditions);

export const articleCounts = Type.Object(
  Object.fromEntries(ARTICLE_VIEWS.map((view) => [view, count("Number of articles in this view.")])) as Record<
    ArticleView,
    ReturnType<typeof count>
  >,
);
export type ArticleCounts = Static<typeof articleCounts>;

export const placeParameters = strictObject({ ...filters, id: uuid("The article.") });
export const articlePlace = Type.Object({
  /** null: not in this list (any more). */
  index: orNull(Type.Integer({ minimum: 0 })),
  total: count("Number of articles in the list."),
  previous_id: textOrNull("null if it is the first, or not in the list."),
  next_id: textOrNull("null if it is the last, or not in the list."),
  next_ids: Type.Array(Type.String(), { description: "The next few, to be loaded ahead." }),
});
export type ArticlePlace = Static<typeof articlePlace>;

export const assignees = Type.Object({ people: Type.Array(person) });
export type Assignees = Static<typeof assignees>;

/** The webhooks that receive an event, by host only: the rest of a URL may be secret. */
export const receiversParameters = strictObject({ website_id: websiteId, event: oneOf(EVENT_KINDS, {}) });
export const receivers = Type.Object({
  receivers: Type.Array(
    Type.Object({
      host: Type.String(),
      is_waiting: Type.Boolean({ description: "Whether it is paused or disabled, so that the event waits." }),
    }),
  ),
});
export type Receivers = Static<typeof receivers>;

export const labelsParameters = strictObject({ website_id: websiteId });
/** Labels to filter by: the most frequent first, at most 200 of each kind. */
export const articleLabels = Type.Object({
  categories: texts("In their original spelling."),
  tags: texts("In their original spelling."),
});
export type ArticleLabels = Static<typeof articleLabels>;

export type BulkAction = BulkVerb;

const labels = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 50, description }));

const bulkId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "The same for each part of one action on many articles.",
});

/** Additional input of some actions. */
const bulkFields = {
  website_id: websiteId,
  reason: Type.Optional(Type.String({ maxLength: 10_000, description: "For request-changes: what has to change." })),
  assignee_id: Type.Optional(textOrNull("For assign: an account; null: nobody.")),
  author_id: Type.Optional(textOrNull("For set-author: an account; null: unknown.")),
  bulk_id: Type.Optional(bulkId),
  publish_at: Type.Optional(time("For schedule and approve-and-schedule: a time in the future.")),
  add_tags: labels("For label."),
  remove_tags: labels("For label."),
  add_categories: labels("For label."),
  remove_categories: labels("For label."),
};
const bulkFieldsObject = Type.Object(bulkFields);
export type BulkFields = Static<typeof bulkFieldsObject>;

/** Each article is handled separately, in the order given: a refused one does not stop the rest. */
export const bulkInput = strictObject({
  ...bulkFields,
  articles: Type.Array(
    strictObject({ id: uuid("The article."), version: Type.Optional(seenVersion("The version that the user saw.")) }),
    { minItems: 1, maxItems: 200 },
  ),
});

export const bulkResult = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String(),
      ok: Type.Boolean(),
      message: textOrNull("Why it was not changed, in a sentence."),
    }),
  ),
  done: count("Number of changed articles."),
  held: count("Number of articles that were not changed because of what was found in their texts."),
});
export type BulkResult = Static<typeof bulkResult>;

/** All that match at the start. Answers lines of JSON (`BulkLine`) until the client leaves or stops it by `bulk_id`. */
export const bulkMatchingInput = strictObject({ ...bulkFields, ...filters });

interface BulkCounts {
  done: number;
  refused: number;
  /** Those of the refused that are held by what was found in their texts. */
  held: number;
}

/** `progress` has the articles changed by the last batch. */
export type BulkLine =
  | { kind: "start"; total: number }
  | { kind: "refused"; id: string; title: string; message: string }
  | ({ kind: "progress"; changed: { id: string; title: string }[] } & BulkCounts)
  | ({ kind: "summary" } & BulkCounts)
  /** The last line, if the person stopped the action: the lines before it report everything that was done. */
  | { kind: "stopped" }
  | { kind: "error"; message: string };

/** Ends an action on everything that matches after its current batch. */
export const bulkStopInput = strictObject({ website_id: websiteId, bulk_id: bulkId });
export const bulkStopResult = Type.Object({
  is_stopped: Type.Boolean({ description: "false: this process performs no such action of this person." }),
});
export type BulkStopResult = Static<typeof bulkStopResult>;
