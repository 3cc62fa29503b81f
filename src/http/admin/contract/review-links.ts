/** Links that let somebody without an account review one text of one article. */
import { type Static, Type } from "typebox";
import { oneOf, textOrNull, time, timeOrNull } from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const decision = oneOf(["approve", "request-changes"] as const, {});
const decisionOrNull = Type.Union([decision, Type.Null()], {
  description: "What the guest decided; null: nothing yet.",
});

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

export const reviewLinkInput = Type.Object(
  {
    label: Type.Optional(Type.String({ maxLength: 200, description: "For whom it is; shown to teammates." })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, description: "Default: 7." })),
  },
  strict,
);
export const reviewLinkMade = Type.Object({
  link: reviewLink,
  token: Type.String({ description: "It cannot be shown again; its address is `/dashboard/review#<token>`." }),
});
export type ReviewLinkMade = Static<typeof reviewLinkMade>;

export const reviewLinkParams = Type.Object({
  id: Type.String({ maxLength: 100 }),
  link: Type.String({ maxLength: 100 }),
});

const token = Type.String({ maxLength: 200 });
export const guestInput = Type.Object({ token }, strict);
export const guestReview = Type.Object({
  article: Type.Union(
    [
      Type.Object({
        title: Type.String(),
        content: Type.String({ description: "Sanitised HTML." }),
        featured_image_url: textOrNull(""),
        featured_image_alt: textOrNull(""),
      }),
      Type.Null(),
    ],
    { description: "null: the text has changed since the link was sent." },
  ),
  website_name: Type.String(),
  website_url: textOrNull(""),
  sender: Type.String({ description: "Who sent the link." }),
  expires_at: time("When the link ends."),
  decisions: Type.Array(decision, { description: "What the guest can do now." }),
  decision: decisionOrNull,
});
export type GuestReview = Static<typeof guestReview>;
export const guestDecisionInput = Type.Object(
  {
    token,
    name: Type.String({ maxLength: 1_000 }),
    decision,
    reason: Type.Optional(Type.String({ maxLength: 10_000, description: "What should change." })),
  },
  strict,
);
