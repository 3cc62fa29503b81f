import { type Static, Type } from "typebox";
import { ACCOUNT_STATES } from "../../../domain/people/account.ts";
import { ROLES } from "../../../domain/people/permissions.ts";
import { oneOf, strictObject, textOrNull, timeOrNull } from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const websiteId = textOrNull("null: every website.");

/** Without a website: all members. */
export const websiteParameters = strictObject({ website_id: Type.Optional(Type.String({ maxLength: 100 })) });

export const member = Type.Object({
  id: Type.String({ description: "Id of the membership." }),
  account_id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: oneOf(ROLES, {}),
  website_id: websiteId,
  state: oneOf(ACCOUNT_STATES, {}),
  totp: Type.Boolean(),
  last_sign_in_at: timeOrNull("null: never."),
});

export const memberList = Type.Object({ members: Type.Array(member) });

export const memberInput = strictObject({
  email: Type.String({ maxLength: 1_000 }),
  name: Type.Optional(Type.String({ maxLength: 1_000 })),
  role: oneOf(ROLES, {}),
  website_id: Type.Optional(websiteId),
});

export const invited = Type.Object({
  member,
  link: textOrNull(
    "Works once, for 7 days; null: the person is already a member, or (`state` is `invited`) you may not see the link.",
  ),
  mailed: Type.Boolean({ description: "Whether the service sends a link by e-mail." }),
});

export const memberChange = Type.Object(
  { role: Type.Optional(oneOf(ROLES, {})), disabled: Type.Optional(Type.Boolean()) },
  { ...strict, minProperties: 1, maxProperties: 1 },
);
export type Member = Static<typeof member>;
export type MemberList = Static<typeof memberList>;
export type MemberInput = Static<typeof memberInput>;
export type MemberChange = Static<typeof memberChange>;
export type Invited = Static<typeof invited>;
