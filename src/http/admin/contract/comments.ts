import { type Static, Type } from "typebox";
import { MAX_COMMENT_LENGTH, MAX_QUOTE_LENGTH } from "../../../domain/articles/comment.ts";
import { count, orNull, strictObject, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";
import { person } from "./articles.ts";
import { idParams } from "./session.ts";

const text = Type.String({
  maxLength: MAX_COMMENT_LENGTH,
  description: "Plain text; a member is mentioned as `<@account>`.",
});
const place = {
  start: count("Where the passage begins in the article's visible text, in UTF-16 units without white space."),
  end: count("Where it ends."),
};

const comment = Type.Object({
  id: Type.String({ description: "The first comment of a thread has the thread's id." }),
  by: person,
  is_guest: Type.Boolean({ description: "Whether somebody without an account wrote it, by a review link." }),
  text: Type.String({ description: "As it was sent; empty if the comment is deleted." }),
  mentions: Type.Array(person, { description: "Those that the text mentions." }),
  created_at: time("When."),
  edited_at: timeOrNull("null: never."),
  is_deleted: Type.Boolean(),
});

export const currentPassage = orNull(
  Type.Object({ ...place, text: Type.String({ description: "Without white space." }) }),
  "Where it is now; null if it is not in the text any more, or the thread is about the whole article.",
);

const thread = Type.Object({
  id: Type.String(),
  quote: Type.String({ description: "The passage as it was selected; empty: the whole article." }),
  passage: currentPassage,
  replacement: textOrNull("Suggested instead of the quote; empty: to remove it."),
  created_at: time("When."),
  resolved: orNull(Type.Object({ by: person, at: time("When.") })),
  applied_at: timeOrNull("When the suggestion was applied; null: it was not."),
  comments: Type.Array(comment, { description: "Oldest first." }),
});

export const articleComments = Type.Object({
  threads: Type.Array(thread, { description: "In the order in which they were begun." }),
  version: count("The version of the article that the passages are in."),
  draft_saved_at: timeOrNull("The draft copy that they are in; null: the article itself."),
});
export type ArticleComments = Static<typeof articleComments>;
export type CommentThread = Static<typeof thread>;
export type Comment = Static<typeof comment>;

export const mentionable = Type.Object({ people: Type.Array(person, { description: "By name." }) });
export type Mentionable = Static<typeof mentionable>;

export const commentInput = strictObject({
  text,
  passage: orNull(
    strictObject({ ...place, quote: Type.String({ maxLength: MAX_QUOTE_LENGTH, description: "Its text." }) }),
    "null: the whole article.",
  ),
  replacement: Type.Optional(
    orNull(Type.String({ maxLength: MAX_COMMENT_LENGTH }), "Suggested instead of the passage."),
  ),
});
export const replyInput = strictObject({ text });
export const commentEdit = strictObject({
  text,
  edited_at: timeOrNull("When the comment that the user saw was edited; null: never."),
});
export const commentParams = Type.Object({ ...idParams.properties, comment: Type.String({ maxLength: 100 }) });
