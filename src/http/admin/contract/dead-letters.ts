import { type Static, Type } from "typebox";
import { DEAD_LETTER_KINDS } from "../../../domain/system/dead-letter.ts";
import { count, oneOf, strictObject, textOrNull, time } from "../../contract/schema-helpers.ts";

const kind = oneOf(DEAD_LETTER_KINDS, { description: "What kind of work was set aside." });

/** Names no website: dead letters are shown only to owners of all websites. */
export const deadLetterParameters = strictObject({});

export const deadLetterKey = strictObject({ kind, subject_id: Type.String({ maxLength: 200 }) });

export const deadLetterList = Type.Object({
  dead_letters: Type.Array(
    Type.Object({
      kind,
      subject_id: Type.String({ description: "Id of what was set aside." }),
      website_id: textOrNull("null: none, or unknown."),
      webhook_id: textOrNull("The webhook of a delivery that still exists."),
      reason: Type.String({ description: "The error, on one line." }),
      failures: count("Number of failures."),
      first_failed_at: time("First failure."),
      last_failed_at: time("Last failure."),
      can_retry: Type.Boolean(),
      can_discard: Type.Boolean(),
    }),
    { description: "Newest first; at most 200." },
  ),
});
export type DeadLetterList = Static<typeof deadLetterList>;
