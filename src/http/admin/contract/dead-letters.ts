import { type Static, Type } from "typebox";
import { DEAD_LETTER_KINDS } from "../../../store/webhooks/dead-letters.ts";
import { count, oneOf, textOrNull, time } from "../../contract/schema-helpers.ts";

const strict = { additionalProperties: false };
const kind = oneOf(DEAD_LETTER_KINDS, { description: "What was set aside." });

/** Names no website: dead letters are shown only to owners of all websites. */
export const deadLetterQuery = Type.Object({}, strict);

export const deadLetterKey = Type.Object({ kind, subject_id: Type.String({ maxLength: 200 }) }, strict);

export const deadLetterList = Type.Object({
  dead_letters: Type.Array(
    Type.Object({
      kind,
      subject_id: Type.String({ description: "Of what was set aside." }),
      website_id: textOrNull("null: none, or it is not known."),
      webhook_id: textOrNull("Of a delivery that is still there."),
      reason: Type.String({ description: "The error, in a line." }),
      failures: count("How often it failed."),
      first_failed_at: time("When it failed first."),
      last_failed_at: time("When it failed last."),
      can_retry: Type.Boolean(),
      can_discard: Type.Boolean(),
    }),
    { description: "The newest first; at most 200." },
  ),
});
export type DeadLetterList = Static<typeof deadLetterList>;
