import { type Static, Type } from "typebox";
import { MAX_GUEST_COMMENT_LENGTH } from "../../../domain/articles/comment.ts";
import { oneOf, orNull, strictObject, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";
import { commentInput, currentPassage } from "./comments.ts";

const decision = oneOf(["approve", "request-changes"] as const, {});
const decisionOrNull = orNull(decision, "What the guest decided; null: nothing yet.");

const reviewLink = Type.Object({
  id: Type.String(),
  label: Type.String({ description: "For whom it is." }),
  created_at: time("When."),
  expires_at: time("When it ends."),
  revoked_at: timeOrNull("null: it was not revoked."),
  guest: textOrNull("Who decided by it."),
  decision: decisionOrNull,
});
export const reviewLinkList = Type.Object({ links: Type.Array(reviewLink) });
export type ReviewLinkList = Static<typeof reviewLinkList>;

export const reviewLinkInput = strictObject({
  label: Type.Optional(Type.String({ maxLength: 200, description: "For whom it is; shown to teammates." })),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, description: "Default: 7." })),
});
export const reviewLinkMade = Type.Object({
  link: reviewLink,
  token: Type.String({ description: "It cannot be shown again; its address is `/dashboard/review#<token>`." }),
});
export type ReviewLinkMade = Static<typeof reviewLinkMade>;

export const reviewLinkParams = Type.Object({
  id: Type.String({ maxLength: 100 }),
  link: Type.String({ maxLength: 100 }),
});

const guestThread = Type.Object({
  id: Type.String(),
  quote: Type.String({ description: "The passage as it was selected; empty: the whole article." }),
  passage: currentPassage,
  is_resolved: Type.Boolean(),
  comments: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      is_own: Type.Boolean({ description: "Whether it was written by this link." }),
      text: Type.String({ description: "Plain text; empty if the comment is deleted." }),
      created_at: time("When."),
      is_deleted: Type.Boolean(),
    }),
    { description: "Oldest first." },
  ),
});
export type GuestThread = Static<typeof guestThread>;

const token = Type.String({ maxLength: 200 });
export const guestInput = strictObject({ token });
export const guestReview = Type.Object({
  article: orNull(
    Type.Object({
      title: Type.String(),
      content: Type.String({ description: "Sanitised HTML." }),
      language: textOrNull("Of the text; null: unknown."),
      featured_image_url: textOrNull(""),
      featured_image_alt: textOrNull(""),
    }),
    "null: the text has changed since the link was sent.",
  ),
  website_name: Type.String(),
  website_url: textOrNull(""),
  sender: Type.String({ description: "Who sent the link; a sender without a name is “an editor”." }),
  expires_at: time("When the link ends."),
  decisions: Type.Array(decision, { description: "What the guest can do now." }),
  decision: decisionOrNull,
  link: Type.String({ description: "The link's id." }),
  name: textOrNull("Who has used the link, as they have entered it; null: nobody yet."),
  may_comment: Type.Boolean({ description: "Whether the guest can comment now." }),
  threads: Type.Array(guestThread, { description: "What the guest has begun, with the answers." }),
});
export type GuestReview = Static<typeof guestReview>;
export const guestDecisionInput = strictObject({
  token,
  name: Type.String({ maxLength: 1_000 }),
  decision,
  reason: Type.Optional(Type.String({ maxLength: 10_000, description: "What should change." })),
});

const written = {
  token,
  name: Type.String({ maxLength: 1_000 }),
  text: Type.String({ maxLength: MAX_GUEST_COMMENT_LENGTH, description: "Plain text." }),
};
export const guestCommentInput = strictObject({ ...written, passage: commentInput.properties.passage });
export const guestReplyInput = strictObject({ ...written, thread: Type.String({ maxLength: 100 }) });
