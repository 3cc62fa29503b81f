import { type Static, Type } from "typebox";
import { TOKEN_SCOPES } from "../../../domain/people/access-token.ts";
import { oneOf, time, timeOrNull } from "../../contract/schema-helpers.ts";

export const accessToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: "Its beginning: `rm_` and four characters." }),
  last_four: Type.String(),
  scope: oneOf(TOKEN_SCOPES, {}),
  state: oneOf(["active", "expired", "revoked"] as const, {}),
  created_at: time("When."),
  expires_at: time("From then on it is refused."),
  last_used_at: timeOrNull("Accurate to five minutes; null: never."),
  revoked_at: timeOrNull("null if it was not revoked."),
});
export type AccessToken = Static<typeof accessToken>;

export const accessTokenList = Type.Object({ tokens: Type.Array(accessToken) });
export type AccessTokenList = Static<typeof accessTokenList>;

export const accessTokenInput = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    name: Type.String({ maxLength: 1_000 }),
    scope: oneOf(TOKEN_SCOPES, {}),
    expires_at: timeOrNull("A time in the future; null: in a year."),
  },
  { additionalProperties: false },
);
export type AccessTokenInput = Static<typeof accessTokenInput>;

export const accessTokenMade = Type.Object({
  token: accessToken,
  secret: Type.String({ description: "The token itself; it cannot be shown again." }),
  curl: Type.String({ description: "A command that tries the token." }),
});
export type AccessTokenMade = Static<typeof accessTokenMade>;
