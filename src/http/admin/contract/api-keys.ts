import { type Static, Type } from "typebox";
import { KEY_SCOPES } from "../../../domain/people/api-key.ts";
import { count, oneOf, orNull, strictObject, time, timeOrNull } from "../../contract/schema-helpers.ts";

export const apiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: "Its beginning: `rs_` and four characters." }),
  last_four: Type.String(),
  scope: oneOf(KEY_SCOPES, {}),
  rate_limit: orNull(Type.Integer({ minimum: 0 }), "Requests per second; 0: unlimited; null: the service's default."),
  state: oneOf(["active", "expired", "revoked"] as const, {}),
  created_at: time("When."),
  expires_at: timeOrNull("null: never."),
  last_used_at: timeOrNull("Accurate to five minutes; null: never."),
  revoked_at: timeOrNull("null if it was not revoked."),
  /** The last 14 days (UTC), oldest first, ending with today. */
  requests: Type.Array(Type.Object({ day: Type.String({ description: "`2026-01-31`" }), count: count("Requests.") })),
});
export type ApiKey = Static<typeof apiKey>;

export const apiKeyList = Type.Object({ keys: Type.Array(apiKey) });
export type ApiKeyList = Static<typeof apiKeyList>;

export const apiKeyInput = strictObject({
  website_id: Type.String({ maxLength: 100 }),
  name: Type.String({ maxLength: 1_000 }),
  scope: Type.Optional(oneOf(KEY_SCOPES, { description: "Default: `all`." })),
  expires_at: Type.Optional(timeOrNull("A time in the future; absent or null: never.")),
  rate_limit: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: 1_000_000 }))),
});
export type ApiKeyInput = Static<typeof apiKeyInput>;

export const apiKeyMade = Type.Object({
  key: apiKey,
  secret: Type.String({ description: "The key itself; it cannot be shown again." }),
  curl: Type.String({ description: "A command that lists the articles with this key." }),
});
export type ApiKeyMade = Static<typeof apiKeyMade>;
