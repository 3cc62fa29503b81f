import { type Static, Type } from "typebox";
import { AUDIT_SUBJECTS } from "../../../domain/system/audit.ts";
import { anyObject, oneOf, textOrNull, time } from "../../contract/schema-helpers.ts";

export const auditQuery = Type.Object(
  {
    website_id: Type.Optional(Type.String({ maxLength: 100 })),
    about: Type.Optional(oneOf(AUDIT_SUBJECTS, { description: "Only what was done with these; everything." })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    limit: Type.Optional(Type.String({ pattern: "^(?:[1-9]\\d?|1\\d\\d|200)$", description: "1 to 200; 50." })),
  },
  { additionalProperties: false },
);

export type AuditQuery = Static<typeof auditQuery>;

export const auditPage = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.String(),
      at: time("When."),
      actor: Type.Object({ id: Type.String(), email: textOrNull("null: a command, or nobody any more.") }),
      address: textOrNull("From where; null: on the machine itself."),
      website_id: textOrNull("null: none, or every one."),
      action: Type.String(),
      target: Type.Object({ kind: Type.String(), id: Type.String() }),
      detail: anyObject("Plain facts."),
    }),
  ),
  next_cursor: textOrNull("null: this is the last page."),
});
export type AuditPage = Static<typeof auditPage>;
