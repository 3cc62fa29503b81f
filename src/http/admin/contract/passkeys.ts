import { type Static, Type } from "typebox";
import { anyObject, strictObject, time, timeOrNull } from "../../contract/schema-helpers.ts";

export const passkeyList = Type.Object({
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      created_at: time("When it was added."),
      last_used_at: timeOrNull("null: never."),
    }),
  ),
});
export type PasskeyList = Static<typeof passkeyList>;
export type Passkey = PasskeyList["passkeys"][number];

/** For `navigator.credentials`, parsed by `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
export const passkeyOptions = Type.Object({ options: anyObject("WebAuthn, level 3.") });

/** The credential that it returned, serialised by `toJSON`. */
const response = anyObject("WebAuthn, level 3.");

export const passkeyInput = strictObject({ name: Type.String({ maxLength: 1_000 }), response });

export const passkeyAnswer = strictObject({ response });
