import { type Static, Type } from "typebox";
import { count, strictObject } from "../../contract/schema-helpers.ts";
import { password } from "./session.ts";

export const totpState = Type.Object({
  enabled: Type.Boolean(),
  recovery_codes_left: count("Number of unused recovery codes."),
});

export const proofInput = strictObject({ current_password: password });

export const totpSecret = Type.Object({
  secret: Type.String({ description: "Base32, to be typed in." }),
  uri: Type.String({ description: "The same as a URI for a QR code." }),
});

export const codeInput = strictObject({ code: Type.String({ maxLength: 100 }) });

export const recoveryCodes = Type.Object({ recovery_codes: Type.Array(Type.String()) });
export type TotpState = Static<typeof totpState>;
export type TotpSecret = Static<typeof totpSecret>;
export type RecoveryCodes = Static<typeof recoveryCodes>;
