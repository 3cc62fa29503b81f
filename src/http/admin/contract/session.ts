import { type Static, Type } from "typebox";
import { ACTIONS, ROLES } from "../../../domain/people/permissions.ts";
import { oneOf, textOrNull, time } from "../../contract/schema-helpers.ts";

const text = (most: number) => Type.String({ maxLength: most });
const strict = { additionalProperties: false };

/** Longer than a password may be, so that one that is too long gets its specific error message. */
export const password = text(4_000);

export const signInInput = Type.Object({ email: text(1_000), password, code: Type.Optional(text(100)) }, strict);

export const signInAnswer = Type.Object({
  second_factor: Type.Unsafe<"totp" | null>({ type: ["string", "null"], description: "What is still missing." }),
});

const permissions = Type.Array(oneOf(ACTIONS, {}));

export const whoAmI = Type.Object({
  account: Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() }),
  session: Type.Object({ id: Type.String(), created_at: time("When it was signed in.") }),
  everywhere: Type.Object({
    role: Type.Unsafe<(typeof ROLES)[number] | null>({ type: ["string", "null"], description: "On every website." }),
    permissions,
  }),
  second_factor: Type.Boolean({ description: "Whether this session has shown one." }),
  trash_days: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "After so many days in the trash an article is deleted for good; null: never.",
  }),
  websites: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: oneOf(ROLES, {}),
      permissions,
      needs_second_factor: Type.Boolean({
        description: "Nothing of it is possible before this session has shown one.",
      }),
    }),
  ),
});

export const sessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      created_at: time("When it was signed in."),
      last_seen_at: time("Five minutes exact."),
      address: Type.String(),
      user_agent: Type.String(),
      current: Type.Boolean({ description: "Whether it is the one that asks." }),
    }),
  ),
});

export const idParams = Type.Object({ id: Type.String({ maxLength: 1_000 }) });

export const linkInput = Type.Object({ token: text(200) }, strict);

const purpose = oneOf(["set-up", "invitation", "reset"] as const, { description: "What the link is for." });

export const linkAnswer = Type.Object({
  purpose,
  email: textOrNull("Whose it is; null: the first owner's, who says."),
  name: textOrNull("As far as it is known."),
  has_password: Type.Boolean({
    description:
      "The account can be signed in to already. An invitation replaces its password, authenticator and passkeys.",
  }),
});

export const welcomeInput = Type.Object(
  { token: text(200), email: Type.Optional(text(1_000)), name: Type.Optional(text(1_000)), password },
  strict,
);

export const welcomeAnswer = Type.Object({
  purpose,
  signed_in: Type.Boolean({ description: "After a reset one signs in by oneself." }),
});

export const passwordInput = Type.Object({ current_password: password, password }, strict);
export type WhoAmI = Static<typeof whoAmI>;
export type SessionList = Static<typeof sessionList>;
export type SignInAnswer = Static<typeof signInAnswer>;
export type LinkAnswer = Static<typeof linkAnswer>;
export type WelcomeAnswer = Static<typeof welcomeAnswer>;
