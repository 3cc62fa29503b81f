/** One article as a reviewer sees it, and the actions on it. */
import { type Static, type TSchema, Type } from "typebox";
import { article, qualityMetrics } from "../../contract/article.ts";
import {
  count,
  oneOf,
  anyObject,
  seenVersion,
  textOrNull,
  texts,
  time,
  timeOrNull,
  uuid,
} from "../../contract/schema-helpers.ts";
import { articleLine } from "./articles.ts";

const strict = { additionalProperties: false };
const version = seenVersion("The version that was seen: of a later one the request is refused (409).");
const draftSeen = Type.Optional(timeOrNull("The draft copy that was seen; null, or left out: there was none."));
const acceptLoss = Type.Optional(
  Type.Boolean({
    description:
      "Whether text may be lost. Without it, what loses more than a tenth of its text is refused (400, `accept_loss`).",
  }),
);
const textOrNothing = Type.Optional(textOrNull("null clears it."));

/**
 * The fields that can be edited; absent ones are left unchanged. `content` is HTML; `markdown` is its source, given instead.
 * Lengths and formats are those of the JSON article (docs/import.md).
 */
const articleChanges = Type.Object(
  {
    title: Type.Optional(Type.String()),
    slug: textOrNothing,
    excerpt: textOrNothing,
    content: Type.Optional(Type.String()),
    markdown: Type.Optional(Type.String()),
    meta_description: textOrNothing,
    target_keyword: textOrNothing,
    seo_keywords: Type.Optional(texts("All of them.")),
    categories: Type.Optional(texts("All of them.")),
    tags: Type.Optional(texts("All of them.")),
    featured_image_url: textOrNothing,
    featured_image_alt: textOrNothing,
    platform_url: textOrNothing,
    platform_post_id: textOrNothing,
    published_at: Type.Optional(timeOrNull("Only of an article that was published before.")),
  },
  { ...strict, minProperties: 1 },
);
export type ArticleChanges = Static<typeof articleChanges>;

const person = Type.Object({
  id: Type.String({ description: "An account, or `cli`, `schedule`, `import` …" }),
  name: Type.String({ description: "Name or e-mail address; the id of whoever is no person." }),
});

const draftCopy = Type.Object({
  // Empty for a draft that a command saved and that has no field editable here.
  changes: Type.Object(articleChanges.properties, strict),
  by: person,
  saved_at: time("When it was saved last; it says which draft copy was seen."),
});

/** The article with everything that its page shows. */
export const reviewedArticle = Type.Object({
  website_id: Type.String(),
  line: articleLine,
  article: withoutNames(article),
  /** The format that the author wrote; the field `markdown` is that source, or derived from the HTML. */
  source: oneOf(["html", "markdown"] as const, {}),
  markdown: Type.String(),
  author_excerpt: textOrNull("The author's own summary; null: `excerpt` is derived."),
  draft: Type.Union([draftCopy, Type.Null()], { description: "Of a published article." }),
  approval: Type.Object({
    is_current: Type.Boolean({ description: "Whether what was approved is what is there now." }),
  }),
  public_url: textOrNull("Where it stands on the customer's website, as far as it is known."),
});
export type ReviewedArticle = Static<typeof reviewedArticle>;

/** A new article, written by hand. */
export const newArticleInput = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    title: Type.String(),
    markdown: Type.Optional(Type.String()),
    content: Type.Optional(Type.String()),
    accept_loss: acceptLoss,
  },
  strict,
);

/**
 * PATCH: changes to a pending or approved article apply at once; those to a published one wait in its draft copy, unless
 * `as_draft` is false.
 */
export const editInput = Type.Object(
  {
    version,
    draft_saved_at: draftSeen,
    as_draft: Type.Optional(
      Type.Boolean({ description: "Of a published article: saved beside it, unless false: then it is live at once." }),
    ),
    changes: articleChanges,
    accept_loss: acceptLoss,
  },
  strict,
);

export const versionInput = Type.Object({ version }, strict);
export const reasonInput = Type.Object(
  { version, reason: Type.String({ maxLength: 10_000, description: "What has to change." }) },
  strict,
);
export const scheduleInput = Type.Object(
  { version, publish_at: timeOrNull("In the future; null takes the plan back.") },
  strict,
);
export const draftInput = Type.Object({ version, draft_saved_at: time("The draft copy that was seen.") }, strict);
export const draftQuery = Type.Object({ draft_saved_at: time("The draft copy that was seen.") }, strict);
export const revisionInput = Type.Object({ version, draft_saved_at: draftSeen, accept_loss: acceptLoss }, strict);

/** A preview saves nothing. */
export const previewInput = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    id: Type.Optional(uuid("The article that is edited: what is absent is taken from it.")),
    changes: articleChanges,
  },
  strict,
);
export const preview = Type.Object({
  content: Type.String({ description: "Sanitised HTML, as it would be saved." }),
  markdown: Type.String({ description: "The source, or derived from the HTML." }),
  excerpt: Type.String(),
  slug: Type.String(),
  word_count: count("Words."),
  reading_time: count("Minutes."),
  quality_metrics: withoutNames(qualityMetrics),
  removed: texts(
    "What is left out: by the sanitiser, and cells that the header of a Markdown table has no column for.",
  ),
  loss: Type.Union(
    [
      Type.Object({
        missing: count("Characters that would be lost."),
        total: count("Characters of the source."),
        after: Type.String({ description: "The last words before the first gap." }),
        lost: Type.String({ description: "The first words that would be lost." }),
      }),
      Type.Null(),
    ],
    { description: "null: no text would be lost. Otherwise saving it is refused, unless `accept_loss` is true." },
  ),
});
export type Preview = Static<typeof preview>;

/** An entry of the history (newest first), with the revision if the content changed. */
const historyEntry = Type.Object({
  id: Type.String(),
  at: time("When."),
  by: person,
  action: Type.String({ description: "As in the audit log: `article.edited`, `article.published` …" }),
  detail: anyObject("Plain facts, such as the reason, or the fields that changed."),
  revision: textOrNull("The revision that this made; null: the content stayed."),
});
export const history = Type.Object({
  entries: Type.Array(historyEntry),
  next_cursor: textOrNull("null: this is the last page."),
});
export type HistoryEntry = Static<typeof historyEntry>;
export type History = Static<typeof history>;
export const historyQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 200 })) }, strict);

/** The content that can be compared and restored. */
const revisionContent = Type.Object({
  title: Type.String(),
  slug: Type.String(),
  author_excerpt: textOrNull("null: derived."),
  source: oneOf(["html", "markdown"] as const, {}),
  content: Type.String({ description: "Sanitised HTML." }),
  markdown: Type.String(),
  meta_description: textOrNull(""),
  target_keyword: textOrNull(""),
  seo_keywords: texts(""),
  categories: texts(""),
  tags: texts(""),
  featured_image_url: textOrNull(""),
  featured_image_alt: textOrNull(""),
});
export type RevisionContent = Static<typeof revisionContent>;

export const revision = Type.Object({
  id: Type.String(),
  at: time("When it was saved."),
  by: person,
  content: revisionContent,
});
export type Revision = Static<typeof revision>;

/** The versions that a reviewer compares. Each is null if there is none, or if it equals the current content. */
export const comparison = Type.Object({
  current: revisionContent,
  approved: Type.Union([revision, Type.Null()], { description: "What was approved last." }),
  live: Type.Union([revision, Type.Null()], { description: "What readers get now, where a draft copy waits." }),
  draft: Type.Union([revisionContent, Type.Null()], { description: "The draft copy as it would be live." }),
});
export type Comparison = Static<typeof comparison>;

export const revisionParams = Type.Object({
  id: Type.String({ maxLength: 100 }),
  revision: Type.String({ maxLength: 100 }),
});

/** The schema without the names that its parts have in the public API's description: here it is used in several places. */
function withoutNames<T extends TSchema>(schema: T) {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === "$id" ? undefined : value));
  // The copy differs only in the names.
  return Type.Unsafe<Static<T>>(JSON.parse(text) as object);
}
