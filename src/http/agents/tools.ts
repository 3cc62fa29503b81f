/** Tools of agents. None publishes, approves or deletes, and one call undoes each change. */
import { type Static, type TObject, Type } from "typebox";
import { ARTICLE_STATES } from "../../domain/articles/verbs.ts";
import { MAX_EXTERNAL_ID } from "../../domain/articles/origin.ts";
import { MAX_COMMENT_LENGTH, MAX_QUOTE_LENGTH } from "../../domain/articles/comment.ts";
import { oneOf, strictObject } from "../contract/schema-helpers.ts";
import { articlePatch } from "../management/contract.ts";
import type { Json, ManagementCalls } from "./management-calls.ts";
import { listArticles, readArticle, readFeedback, readHistory } from "./reading.ts";
import { checkArticle, comment, createDraft, editArticle, restoreRevision, submitForReview } from "./writing.ts";

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: TObject;
  isReadOnly: boolean;
  /** Whether the same call again changes nothing more. */
  isRepeatable: boolean;
  /** The answer's `text` is shown as it is. @throws RefusedCall, AppError. */
  run: (calls: ManagementCalls, input: Json) => Promise<Json>;
}

const strict = { additionalProperties: false };
const line = (most: number, description: string) => Type.String({ minLength: 1, maxLength: most, description });
const optional = (most: number, description: string) => Type.Optional(line(most, description));
const number = (least: number, most: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: least, maximum: most, description }));

const id = line(36, "The article's id.");
const etag = line(40, "The article's etag as you read it, so that nobody's later change is overwritten.");
const MAX_TEXT = 1_000_000;
const MAX_EDITS = 100;

/** Fields that a revision brings back; the text has parameters of its own. */
const fields = Type.Pick(articlePatch, [
  "title",
  "slug",
  "excerpt",
  "authors",
  "meta_title",
  "meta_description",
  "target_keyword",
  "seo_keywords",
  "categories",
  "tags",
  "featured_image_url",
  "featured_image_alt",
  "canonical_url",
  "aliases",
  "language",
  "translation_group",
]).properties;
const texts = {
  markdown: optional(MAX_TEXT, "The text in GitHub Flavored Markdown."),
  content: optional(MAX_TEXT, "The text in HTML, instead of `markdown`."),
};

const READS = { isReadOnly: true, isRepeatable: true };
const CHANGES_ONCE = { isReadOnly: false, isRepeatable: true };

export const TOOLS: readonly Tool[] = [
  tool({
    name: "list_articles",
    title: "List articles",
    description: "Lists articles without their texts, newest first.",
    ...READS,
    input: {
      state: Type.Optional(oneOf(ARTICLE_STATES, { description: "Default: all but `trash`." })),
      query: optional(1_000, "Words that the article has."),
      tag: optional(500, "Articles with this tag."),
      category: optional(500, "Articles of this category."),
      external_id: optional(MAX_EXTERNAL_ID, "The article with this id of your own."),
      updated_since: optional(40, "Articles that were changed at this time (ISO 8601) or later."),
      limit: number(1, 50, "Default: 20."),
      offset: number(0, 999_999_999, "How many to skip."),
    },
    run: listArticles,
  }),
  tool({
    name: "read_article",
    title: "Read an article",
    description:
      "Shows an article with its etag and its text, in the format in which it is written. Of a text of more than 20 kB it shows the outline; read its sections by their numbers.",
    ...READS,
    input: { id, section: number(0, 999_999, "The number of a section, from the outline.") },
    run: readArticle,
  }),
  tool({
    name: "create_draft",
    title: "Create a draft",
    description:
      "Creates an article as a draft, which readers do not see. With an external_id a repeat creates nothing: it answers the article that exists.",
    ...CHANGES_ONCE,
    isRepeatable: false,
    input: {
      ...fields,
      title: line(1_000, "The title."),
      ...texts,
      external_id: optional(MAX_EXTERNAL_ID, "Your own id of the article."),
    },
    run: createDraft,
  }),
  tool({
    name: "edit_article",
    title: "Change passages or fields of an article",
    description:
      "Replaces passages of the text, each given exactly as read_article shows it and occurring once, and fields. A published article changes in a draft copy that a person publishes; an approved one returns to review.",
    ...CHANGES_ONCE,
    input: {
      id,
      etag,
      edits: Type.Optional(
        Type.Array(
          strictObject({
            old: line(MAX_TEXT, "The passage, exactly; it must occur once."),
            new: Type.String({ maxLength: MAX_TEXT, description: "What replaces it; empty: it is removed." }),
          }),
          { minItems: 1, maxItems: MAX_EDITS },
        ),
      ),
      text: optional(MAX_TEXT, "A whole new text in the article's format, instead of `edits`; needs `rewrite`."),
      rewrite: Type.Optional(
        Type.Boolean({ description: "Says that it is meant to replace more than half of the text." }),
      ),
      fields: Type.Optional(
        Type.Object(fields, { ...strict, minProperties: 1, description: "`null` clears a field." }),
      ),
    },
    run: editArticle,
  }),
  tool({
    name: "check_article",
    title: "Check an article",
    description:
      "Says what saving would do, and saves nothing: quality metrics, markup that would be removed, text that would be lost. With an id absent fields are the article's.",
    ...READS,
    input: { id: Type.Optional(id), ...fields, ...texts },
    run: checkArticle,
  }),
  tool({
    name: "submit_for_review",
    title: "Submit an article for review",
    description: "Asks people to review an article; `withdraw` takes it back. A person approves and publishes it.",
    ...CHANGES_ONCE,
    input: { id, etag, withdraw: Type.Optional(Type.Boolean({ description: "Takes it back from review." })) },
    run: submitForReview,
  }),
  tool({
    name: "read_feedback",
    title: "Read what people say",
    description:
      "What people did to articles, oldest first: requests for changes with their reason, comments, edits, approvals. With an id: the comments on one article.",
    ...READS,
    input: {
      id: Type.Optional(id),
      after: optional(80, "The `next` of an earlier answer."),
      limit: number(1, 100, "Default: 50."),
    },
    run: readFeedback,
  }),
  tool({
    name: "comment",
    title: "Comment on an article",
    description: "Comments on an article, on a passage of it, or in a thread of comments.",
    isReadOnly: false,
    isRepeatable: false,
    input: {
      id,
      text: line(MAX_COMMENT_LENGTH, "What you say."),
      quote: optional(MAX_QUOTE_LENGTH, "The passage: words of the visible text without markup, which occur once."),
      thread: optional(100, "The id of a thread, to reply in it."),
    },
    run: comment,
  }),
  tool({
    name: "article_history",
    title: "Read an article's history",
    description: "Who did what to an article, newest first, with the revisions that restore_revision takes.",
    ...READS,
    input: { id, cursor: optional(200, "The `next_cursor` of an earlier answer.") },
    run: readHistory,
  }),
  tool({
    name: "restore_revision",
    title: "Restore a revision",
    description:
      "Brings back the text and fields of a revision, as an edit. `live` drops the draft copy of a published article.",
    ...CHANGES_ONCE,
    input: { id, etag, revision: line(100, "Of article_history, or `live`.") },
    run: restoreRevision,
  }),
];

/** The protocol checks the input by the schema. */
function tool<Properties extends TObject["properties"]>({
  input: properties,
  run,
  ...others
}: Omit<Tool, "input" | "run"> & {
  input: Properties;
  run: (calls: ManagementCalls, input: Static<TObject<Properties>>) => Promise<Json>;
}): Tool {
  const input = strictObject(properties);
  return { ...others, input, run: (calls, given) => run(calls, given as Static<typeof input>) };
}
