import { type Static, Type } from "typebox";
import { ARTICLE_ORIGINS, ARTICLE_STATUSES } from "../../../domain/articles/article.ts";
import { FINDING_KINDS, type FindingKind } from "../../../domain/articles/findings.ts";
import { MAX_OVERRIDE_REASON, MIN_OVERRIDE_REASON } from "../../../domain/articles/integrity-gate.ts";
import { article, qualityMetrics } from "../../contract/article.ts";
import {
  anyObject,
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
  withoutNames,
} from "../../contract/schema-helpers.ts";
import { ALL_VERBS } from "../../../domain/articles/verbs.ts";
import { DELIVERY_STATES } from "../../../domain/webhooks/delivery.ts";
import { articleListItem, person } from "./articles.ts";

const findingKind = Type.Unsafe<FindingKind>({ type: "string", enum: Object.keys(FINDING_KINDS) });
const strict = { additionalProperties: false };
const version = seenVersion("The version that the user saw; if there is a later one, the request fails with 409.");
const draftSeen = Type.Optional(
  timeOrNull("When the draft copy that the user saw was saved; null or absent: there was none."),
);
const acceptLoss = Type.Optional(
  Type.Boolean({
    description:
      "Whether text may be lost. Otherwise a change that loses more than a tenth of the text fails with 400 (`accept_loss`).",
  }),
);
const textOrNothing = Type.Optional(textOrNull("null clears it."));

const authors = Type.Array(strictObject({ name: Type.String(), url: textOrNull("Absolute http or https address.") }), {
  description: "All of them, as readers see them.",
});

/** Absent fields are left unchanged. `content` is HTML; `markdown` is its source, given instead. */
export const articleChanges = Type.Object(
  {
    title: Type.Optional(Type.String()),
    slug: textOrNothing,
    excerpt: textOrNothing,
    content: Type.Optional(Type.String()),
    markdown: Type.Optional(Type.String()),
    authors: Type.Optional(authors),
    meta_title: textOrNothing,
    meta_description: textOrNothing,
    target_keyword: textOrNothing,
    seo_keywords: Type.Optional(texts("All of them.")),
    categories: Type.Optional(texts("All of them.")),
    tags: Type.Optional(texts("All of them.")),
    featured_image_url: textOrNothing,
    featured_image_alt: textOrNothing,
    canonical_url: textOrNothing,
    aliases: Type.Optional(texts("All of them.")),
    language: textOrNothing,
    translation_group: textOrNothing,
    platform_url: textOrNothing,
    platform_post_id: textOrNothing,
    published_at: Type.Optional(timeOrNull("Only for an article that was published before.")),
  },
  { ...strict, minProperties: 1 },
);
export type ArticleChanges = Static<typeof articleChanges>;

const draftCopy = Type.Object({
  // Empty for a draft that a command saved and that has no field editable here.
  changes: strictObject(articleChanges.properties),
  by: person,
  saved_at: time("When it was last saved; identifies the draft copy that the user saw."),
});

const asked = { by: person, at: time("When; identifies the request that the user saw.") };

export const reviewedArticle = Type.Object({
  website_id: Type.String(),
  line: articleListItem,
  verbs: Type.Array(oneOf(ALL_VERBS, {}), { description: "What the user can do with it now." }),
  publish_delay_seconds: count("How long a publication of this website waits, so that it can be undone."),
  request: orNull(
    Type.Object({
      reason: Type.String(),
      comments: count("Comments that were sent with it."),
      by: person,
      at: time("When; identifies the request that the user saw."),
      items: Type.Array(Type.Object({ text: Type.String(), is_done: Type.Boolean() }), {
        description: "Its lines, and whether each is ticked.",
      }),
    }),
    "The changes that were requested last; null if that is settled.",
  ),
  removal_request: orNull(Type.Object({ reason: Type.String(), ...asked }), "A machine's open request to delete it."),
  origin: Type.Object(
    {
      kind: oneOf(ARTICLE_ORIGINS, {}),
      by: orNull(person, "The person or program that brought it; null if unknown."),
      at: time("When."),
      source: textOrNull("The file or address that it was in; null if it was none."),
      external_id: textOrNull("What its client calls it."),
    },
    { description: "How it came in." },
  ),
  publication_request: orNull(Type.Object(asked), "A machine's open request to publish it."),
  alike: Type.Array(
    Type.Object({
      article_id: Type.String(),
      title: Type.String(),
      language: textOrNull("BCP 47; null: the website's own language."),
      share: Type.Integer({ minimum: 0, maximum: 100, description: "Percentage of what the two texts share." }),
      blocks: Type.Boolean({ description: "Whether it holds the approval, as far as the website's gate says so." }),
    }),
    { description: "Articles of the website with nearly the same text, the most similar first; at most ten." },
  ),
  article: withoutNames(article),
  /** The format that the author wrote; the field `markdown` is that source, or derived from the HTML. */
  source: oneOf(["html", "markdown"] as const, {}),
  markdown: Type.String(),
  author_excerpt: textOrNull("Written by the author; null if `excerpt` is derived."),
  authors,
  meta_title: textOrNull("The title for search results; null: the title."),
  canonical_url: textOrNull("Where the original is; null: this article's own address."),
  aliases: texts("Former addresses."),
  language: textOrNull("BCP 47; null: the website's own language."),
  translation_group: textOrNull("The same for an article and its translations."),
  draft: orNull(draftCopy, "Only a published article has one."),
  gate: Type.Object(
    {
      holds: Type.Boolean({ description: "Whether it cannot be approved, published or scheduled now." }),
      kinds: Type.Array(findingKind, { description: "The kinds of findings that hold it." }),
      overridden: Type.Array(
        strictObject({ kind: findingKind, reason: Type.String(), actor: person, at: time("When.") }),
        { description: "Those that approvers have accepted in this text." },
      ),
    },
    { description: "What was found in the text, where its website holds such articles." },
  ),
  approval: Type.Object({
    is_current: Type.Boolean({ description: "Whether the approved content is the current content." }),
  }),
  has_site_preview: Type.Boolean({ description: "Whether its website has a preview address." }),
  public_url: textOrNull("Its URL on the customer's website; null if unknown."),
});
export type ReviewedArticle = Static<typeof reviewedArticle>;

export const articleTranslations = Type.Object({
  translations: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      language: textOrNull("BCP 47; null: the website's own language."),
      status: oneOf(ARTICLE_STATUSES, {}),
    }),
    { description: "The other articles of its translation group that are not in the trash, by language; at most 100." },
  ),
});
export type ArticleTranslations = Static<typeof articleTranslations>;

export const newArticleInput = strictObject({
  website_id: Type.String({ maxLength: 100 }),
  title: Type.String(),
  markdown: Type.Optional(Type.String()),
  content: Type.Optional(Type.String()),
  review_state: Type.Optional(
    oneOf(["draft", "in_review"] as const, { description: "Default: a draft, its author's until it is submitted." }),
  ),
  accept_loss: acceptLoss,
});

/** Changes to a published article wait in its draft copy, unless `as_draft` is false; others apply at once. */
export const editInput = strictObject({
  version,
  draft_saved_at: draftSeen,
  as_draft: Type.Optional(
    Type.Boolean({
      description: "Saves changes of a published article as a draft copy; false: they are live at once. Default: true.",
    }),
  ),
  changes: articleChanges,
  accept_loss: acceptLoss,
});

/** The kinds of findings that the user accepts in this text; an edit of the text ends that. */
export const overrideInput = strictObject({
  version,
  kinds: Type.Array(
    strictObject({
      kind: findingKind,
      reason: Type.String({
        maxLength: MAX_OVERRIDE_REASON,
        description: `At least ${MIN_OVERRIDE_REASON} characters.`,
      }),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

export const versionInput = strictObject({ version });
export const submitInput = strictObject({
  version,
  undo: Type.Optional(
    Type.Boolean({
      description: "Undoes one's own request for changes: the article is in review as before. Possible for a minute.",
    }),
  ),
});
export const publishInput = strictObject({
  version,
  delayed: Type.Optional(
    Type.Boolean({
      description:
        "Whether the publication waits for the website's `publish_delay_seconds`, so that it can be undone: cancel the schedule, or unapprove. Default: false.",
    }),
  ),
});
export const reasonInput = strictObject({
  version,
  reason: Type.String({ maxLength: 10_000, description: "What has to change." }),
  comments: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1_000, description: "Ids of threads that say more." }),
  ),
});
export const scheduleInput = strictObject({
  version,
  publish_at: timeOrNull("A time in the future; null cancels the schedule."),
});
export const approvalAtInput = strictObject({ version, publish_at: time("A time in the future.") });
export const assignInput = strictObject({ version, assignee_id: textOrNull("An account; null: nobody.") });
export const authorInput = strictObject({ version, author_id: textOrNull("An account; null: unknown.") });
export const sitePreview = Type.Object({
  url: Type.String({ description: "Where the website shows the article, with a token that expires." }),
  expires_at: time("When the token expires."),
});
export type SitePreview = Static<typeof sitePreview>;
export const endedPreviews = Type.Object({ ended: Type.Integer({ minimum: 0, description: "How many there were." }) });
export const askedInput = strictObject({ at: time("When the request was made that the user saw.") });
export const tickInput = strictObject({
  at: time("When the request was made that the user saw."),
  item: count("The item's number, from 0."),
  is_done: Type.Boolean(),
});
export const draftInput = strictObject({
  version,
  draft_saved_at: time("When the draft copy that the user saw was saved."),
});
export const draftParameters = strictObject({
  draft_saved_at: time("When the draft copy that the user saw was saved."),
});
export const revisionInput = strictObject({ version, draft_saved_at: draftSeen, accept_loss: acceptLoss });

export const textLoss = (description: string) =>
  orNull(
    Type.Object(
      {
        missing: count("Number of characters that would be lost."),
        total: count("Number of characters of the source."),
        after: Type.String({ description: "The last words before the first gap." }),
        lost: Type.String({ description: "The first words that would be lost." }),
      },
      { title: "TextLoss" },
    ),
    description,
  );

/** A preview saves nothing. */
export const previewInput = strictObject({
  website_id: Type.String({ maxLength: 100 }),
  id: Type.Optional(uuid("The article being edited: absent fields are taken from it.")),
  changes: articleChanges,
});
export const preview = Type.Object({
  content: Type.String({ description: "Sanitised HTML, as it would be saved." }),
  markdown: Type.String({ description: "The source, or derived from the HTML." }),
  excerpt: Type.String(),
  slug: Type.String(),
  word_count: count("Words."),
  reading_time: count("Minutes."),
  quality_metrics: withoutNames(qualityMetrics),
  removed: texts("What is removed: by the sanitiser, and cells of Markdown tables beyond the header's columns."),
  loss: textLoss("null if no text would be lost; otherwise saving is refused unless `accept_loss` is true."),
});
export type Preview = Static<typeof preview>;

export const articleDeliveries = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      id: textOrNull("null for those who may not manage webhooks, like `host`."),
      host: textOrNull("Of its URL."),
      state: oneOf(DELIVERY_STATES, {}),
      attempts: count("So far."),
      finished_at: timeOrNull(""),
      next_attempt_at: timeOrNull("null: none is planned."),
    }),
    { description: "Empty for an article that is not published." },
  ),
});
export type ArticleDeliveries = Static<typeof articleDeliveries>;

/** An entry of the history (newest first), with the revision if the content changed. */
const historyEntry = Type.Object({
  id: Type.String(),
  at: time("When."),
  by: person,
  action: Type.String({ description: "As in the audit log: `article.edited`, `article.published` …" }),
  detail: anyObject("Details, such as the reason, or the fields that changed."),
  revision: textOrNull("The revision that this created; null if the content is unchanged."),
});
export const history = Type.Object({
  entries: Type.Array(historyEntry),
  next_cursor: textOrNull("null on the last page."),
});
export type HistoryEntry = Static<typeof historyEntry>;
export type History = Static<typeof history>;
export const historyParameters = strictObject({ cursor: Type.Optional(Type.String({ maxLength: 200 })) });

/** The content that can be compared and restored. */
const revisionContent = Type.Object({
  title: Type.String(),
  slug: Type.String(),
  author_excerpt: textOrNull("null if it is derived."),
  source: oneOf(["html", "markdown"] as const, {}),
  content: Type.String({ description: "Sanitised HTML." }),
  markdown: Type.String(),
  authors,
  meta_title: textOrNull(""),
  meta_description: textOrNull(""),
  target_keyword: textOrNull(""),
  seo_keywords: texts(""),
  categories: texts(""),
  tags: texts(""),
  featured_image_url: textOrNull(""),
  featured_image_alt: textOrNull(""),
  canonical_url: textOrNull(""),
  aliases: texts(""),
  language: textOrNull(""),
  translation_group: textOrNull(""),
});
export type RevisionContent = Static<typeof revisionContent>;

export const revision = Type.Object({
  id: Type.String(),
  at: time("When it was saved."),
  by: person,
  content: revisionContent,
});
export type Revision = Static<typeof revision>;

const heldSource = Type.String({ description: "Identifies the article in its source." });
const heldSide = Type.String({ description: "For `from` and `to` of a redline: the article with these changes." });

/** The versions that a reviewer compares. Each is null if there is none, or if it equals the current content. */
export const comparison = Type.Object({
  current: revisionContent,
  approved: orNull(revision, "The last approved revision."),
  live: orNull(revision, "What readers get now; null without a draft copy."),
  draft: orNull(revisionContent, "The article as it would be with the draft copy published."),
  held: Type.Array(Type.Object({ source: heldSource, side: heldSide, content: revisionContent }), {
    description: "The article as it would be with held changes applied, by their source.",
  }),
});
export type Comparison = Static<typeof comparison>;

/** Earlier texts that a reviewer can compare with the one under review; only those that differ from it. */
export const redlineBases = Type.Object({
  bases: Type.Array(
    Type.Object({
      base: oneOf(["review", "request", "approved", "live"] as const, {
        description: "`review`: what the user approved or sent back last; `request`: what changes were requested of.",
      }),
      revision: textOrNull("Its id, for `from`; null for what readers get, which is `current`."),
      at: time("When."),
      by: person,
    }),
    { description: "The most useful first." },
  ),
});
export type RedlineBases = Static<typeof redlineBases>;

const redlineSide = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
export const redlineParameters = strictObject({
  from: redlineSide("`current`, `draft`, `approved`, the `side` of held changes, or the id of a revision."),
  to: redlineSide("The same."),
});

export const redline = Type.Object({
  title: Type.String({ description: "Inline HTML." }),
  content: Type.String({
    description: "Sanitised HTML of both texts; `ins` and `del` with the attribute `data-redline` are the marks.",
  }),
  image: Type.String({ description: "The featured image, as a figure; empty if there is none." }),
  inserted_words: count("Words."),
  deleted_words: count("Words."),
  unseen_changes: count("Elements of which only attributes changed that no reader sees."),
  fields: texts("The other fields that differ."),
});
export type RedlineReply = Static<typeof redline>;

export const heldChanges = Type.Object({
  held: Type.Array(
    Type.Object({
      source: heldSource,
      held_at: time("When it was brought."),
      side: heldSide,
      fields: texts("The names of the fields."),
    }),
  ),
});
export type HeldChanges = Static<typeof heldChanges>;

const heldSeen = { source: Type.String({ maxLength: 2_000 }), held_at: time("As it was seen.") };
/** Applying is an edit: of a published article in its draft copy. */
export const heldApplyInput = strictObject({ ...heldSeen, version, draft_saved_at: draftSeen });
export const heldDropInput = strictObject(heldSeen);

export const revisionParams = Type.Object({
  id: Type.String({ maxLength: 100 }),
  revision: Type.String({ maxLength: 100 }),
});
