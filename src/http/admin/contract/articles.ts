/** Lists of articles, and bulk actions. */
import { type Static, Type } from "typebox";
import { articleStatus } from "../../contract/article.ts";
import { count, oneOf, seenVersion, textOrNull, texts, time, timeOrNull, uuid } from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const websiteId = Type.String({ maxLength: 100 });
const text = (most: number) => Type.String({ maxLength: most });

/**
 * The tabs of the list. `approved` articles have no time of publication set, `scheduled` ones are approved and have one;
 * `drafts` are published articles with a draft copy.
 */
const ARTICLE_VIEWS = ["pending", "approved", "scheduled", "published", "drafts", "trash"] as const;
export type ArticleView = (typeof ARTICLE_VIEWS)[number];

const ARTICLE_SORTS = [
  "created_at",
  "-created_at",
  "updated_at",
  "-updated_at",
  "published_at",
  "-published_at",
  "title",
  "-title",
] as const;
export type ArticleSort = (typeof ARTICLE_SORTS)[number];

const filters = {
  website_id: websiteId,
  view: oneOf(ARTICLE_VIEWS, {}),
  q: Type.Optional(text(1_000)),
  category: Type.Optional(text(500)),
  tag: Type.Optional(text(500)),
  keyword: Type.Optional(text(500)),
  /**
   * Default: the order of the view. `scheduled` is ordered by time of publication, `trash` by deletion, the others newest
   * first.
   */
  sort: Type.Optional(oneOf(ARTICLE_SORTS, {})),
};

/** Numbers are strings in a query. */
export const articleQuery = Type.Object(
  {
    ...filters,
    limit: Type.Optional(Type.String({ pattern: "^(?:[1-9]\\d?|100)$", description: "1 to 100; default: 50." })),
    offset: Type.Optional(Type.String({ pattern: "^\\d{1,9}$", description: "Default: 0." })),
  },
  strict,
);
export type ArticleQuery = Static<typeof articleQuery>;

export const articleLine = Type.Object({
  id: uuid("Id of the article."),
  title: Type.String(),
  slug: Type.String(),
  excerpt: Type.String(),
  status: articleStatus,
  target_keyword: textOrNull("The one main search term."),
  featured_image_url: textOrNull("Absolute URL."),
  categories: texts("May be empty."),
  tags: texts("May be empty."),
  word_count: count("Words."),
  reading_time: count("Minutes."),
  score: Type.Integer({ minimum: 0, maximum: 100, description: "`quality_metrics.overall_score`." }),
  created_at: time("As imported."),
  updated_at: time("Last change."),
  approved_at: timeOrNull("Last approval."),
  published_at: timeOrNull("First publication."),
  publish_at: timeOrNull("The plan."),
  deleted_at: timeOrNull("When it was moved to the trash."),
  has_draft: Type.Boolean({ description: "Whether it has a draft copy." }),
  version: Type.Integer({ description: "Current version; actions name the version that the user saw." }),
});
export type ArticleLine = Static<typeof articleLine>;

export const articlePage = Type.Object({
  articles: Type.Array(articleLine),
  total: count("Number of all matching articles."),
  limit: count("As applied."),
  offset: count("As applied."),
});
export type ArticlePage = Static<typeof articlePage>;

export const articleCountsQuery = Type.Object({ website_id: websiteId }, strict);

export const articleCounts = Type.Object(
  Object.fromEntries(ARTICLE_VIEWS.map((view) => [view, count("Number of articles in this view.")])) as Record<
    ArticleView,
    ReturnType<typeof count>
  >,
);
export type ArticleCounts = Static<typeof articleCounts>;

/** The position of one article in a list, for moving to the previous or next one. */
export const placeQuery = Type.Object({ ...filters, id: uuid("The article.") }, strict);
export const articlePlace = Type.Object({
  /** null: not in this list (any more). */
  index: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  total: count("Number of articles in the list."),
  previous_id: textOrNull("null if it is the first, or not in the list."),
  next_id: textOrNull("null if it is the last, or not in the list."),
});
export type ArticlePlace = Static<typeof articlePlace>;

export const labelsQuery = Type.Object({ website_id: websiteId }, strict);
/** Labels to filter by: the most frequent first, at most 200 of each kind. */
export const articleLabels = Type.Object({
  categories: texts("In their original spelling."),
  tags: texts("In their original spelling."),
});
export type ArticleLabels = Static<typeof articleLabels>;

export const BULK_ACTIONS = ["approve", "publish", "approve-and-publish", "unpublish", "delete", "restore"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** Each article is handled separately, in the order given: a refused one does not stop the rest. */
export const bulkInput = Type.Object(
  {
    website_id: websiteId,
    articles: Type.Array(
      Type.Object(
        { id: uuid("The article."), version: Type.Optional(seenVersion("The version that the user saw.")) },
        strict,
      ),
      { minItems: 1, maxItems: 200 },
    ),
  },
  strict,
);

export const bulkResult = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String(),
      ok: Type.Boolean(),
      message: textOrNull("Why it was not changed, in a sentence."),
    }),
  ),
  done: count("Number of changed articles."),
});
export type BulkResult = Static<typeof bulkResult>;
