import { type Static, Type } from "typebox";
import { LINK_PURPOSES } from "../../../domain/people/one-time-token.ts";
import { ACTIONS, ROLES } from "../../../domain/people/permissions.ts";
import { oneOf, orNull, strictObject, textOrNull, time } from "../../contract/schema-helpers.ts";

const text = (most: number) => Type.String({ maxLength: most });

/** Longer than a password may be, so that one that is too long gets its specific error message. */
export const password = text(4_000);

export const signInInput = strictObject({ email: text(1_000), password, code: Type.Optional(text(100)) });

export const signInAnswer = Type.Object({
  second_factor: Type.Unsafe<"totp" | null>({
    type: ["string", "null"],
    description: "The factor that is still needed to sign in.",
  }),
});

const permissions = Type.Array(oneOf(ACTIONS, {}));

export const sessionParameters = strictObject({ website_id: Type.Optional(text(100)) });

export const whoAmI = Type.Object({
  account: Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() }),
  session: Type.Object({ id: Type.String(), created_at: time("When the user signed in.") }),
  everywhere: Type.Object({
    role: Type.Unsafe<(typeof ROLES)[number] | null>({
      type: ["string", "null"],
      description: "The role on every website.",
    }),
    permissions,
  }),
  second_factor: Type.Boolean({ description: "Whether this session has presented a second factor." }),
  trash_days: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Days in the trash after which an article is permanently deleted; null: never.",
  }),
  live: orNull(
    Type.Object({
      website_id: Type.String(),
      since: Type.String({ description: "For the stream of changes: it reports what has changed since this answer." }),
    }),
  ),
  websites: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      time_zone: Type.String({ description: "IANA name: the zone in which its people plan." }),
      role: oneOf(ROLES, {}),
      permissions,
      needs_second_factor: Type.Boolean({
        description: "The website is inaccessible until this session presents a second factor.",
      }),
    }),
  ),
});

export const sessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      created_at: time("When the user signed in."),
      last_seen_at: time("Accurate to five minutes."),
      address: Type.String(),
      user_agent: Type.String(),
      current: Type.Boolean({ description: "Whether it is the session of this request." }),
    }),
  ),
});

export const idParams = Type.Object({ id: Type.String({ maxLength: 1_000 }) });

export const linkInput = strictObject({ token: text(200) });

const purpose = oneOf(LINK_PURPOSES, { description: "What the link is for." });

export const linkAnswer = Type.Object({
  purpose,
  email: textOrNull("Whose link it is; null: the first owner enters it."),
  name: textOrNull("null if unknown."),
  has_password: Type.Boolean({
    description:
      "Whether the account can already sign in. An invitation replaces its password, authenticator and passkeys.",
  }),
});

export const welcomeInput = strictObject({
  token: text(200),
  email: Type.Optional(text(1_000)),
  name: Type.Optional(text(1_000)),
  password,
});

export const welcomeAnswer = Type.Object({
  purpose,
  signed_in: Type.Boolean({ description: "false after a password reset: the user has to sign in." }),
});

export const forgottenInput = strictObject({ email: text(1_000) });

export const forgottenAnswer = Type.Object({
  mailed: Type.Boolean({ description: "Whether this service mails links. Says nothing about the account." }),
});
export type ForgottenAnswer = Static<typeof forgottenAnswer>;

export const emailInput = strictObject({ current_password: password, email: text(1_000) });

export const pendingEmail = Type.Object({
  pending: textOrNull("The address that waits to be confirmed."),
  available: Type.Boolean({
    description: "Whether this service mails links, without which no address can be changed.",
  }),
});
export type PendingEmail = Static<typeof pendingEmail>;

export const changedEmail = Type.Object({ email: Type.String() });
export type ChangedEmail = Static<typeof changedEmail>;

export const undoneEmail = Type.Object({
  email: Type.String(),
  token: Type.String({ description: "Of a link that sets a new password." }),
});
export type UndoneEmail = Static<typeof undoneEmail>;

export const accountInput = strictObject({ name: text(1_000) });

export const passwordInput = strictObject({ current_password: password, password });
export type WhoAmI = Static<typeof whoAmI>;
export type SessionList = Static<typeof sessionList>;
export type SignInAnswer = Static<typeof signInAnswer>;
export type LinkAnswer = Static<typeof linkAnswer>;
export type WelcomeAnswer = Static<typeof welcomeAnswer>;
