import { type Static, Type } from "typebox";
import { AUDIT_SUBJECTS } from "../../../domain/system/audit.ts";
import { anyObject, oneOf, textOrNull, time } from "../../contract/schema-helpers.ts";

export const auditParameters = Type.Object(
  {
    website_id: Type.Optional(Type.String({ maxLength: 100 })),
    about: Type.Optional(
      oneOf(AUDIT_SUBJECTS, { description: "Only entries about this kind of subject; default: all." }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    limit: Type.Optional(
      Type.String({ pattern: "^(?:[1-9]\\d?|1\\d\\d|200)$", description: "1 to 200; default: 50." }),
    ),
  },
  { additionalProperties: false },
);

export type AuditParameters = Static<typeof auditParameters>;

export const auditEntryPage = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.String(),
      at: time("When."),
      actor: Type.Object({
        id: Type.String(),
        name: textOrNull("Of the person, guest, access token or sender; null: none is known."),
        email: textOrNull("null: not a person, or a deleted account."),
      }),
      address: textOrNull("Address of the client; null: a command on the server."),
      website_id: textOrNull("null: no website, or all websites."),
      action: Type.String(),
      target: Type.Object({ kind: Type.String(), id: Type.String() }),
      detail: anyObject("Plain facts."),
    }),
  ),
  next_cursor: textOrNull("null on the last page."),
});
export type AuditEntryPage = Static<typeof auditEntryPage>;
