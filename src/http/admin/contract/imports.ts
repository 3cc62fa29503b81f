/** Articles from files that were dropped, and the way back. */
import { type Static, Type } from "typebox";
import { ARTICLE_STATUSES } from "../../../domain/article.ts";
import { count, oneOf, textOrNull } from "../../contract/shapes.ts";

const strict = { additionalProperties: false };

/** POST imports: the body is the file itself, `Content-Type: application/octet-stream`. One file a request. */
export const importQuery = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    name: Type.String({ maxLength: 1_000, description: "The file's name, with its folders." }),
    status: Type.Optional(oneOf(ARTICLE_STATUSES, { description: "Instead of what each article says." })),
    events: Type.Optional(oneOf(["true", "false"] as const, { description: "Whether receivers hear of it; false." })),
    dry_run: Type.Optional(oneOf(["true", "false"] as const, { description: "Nothing is written; false." })),
  },
  strict,
);
export type ImportQuery = Static<typeof importQuery>;

/** The answer is `application/x-ndjson`: one of these a line, as they happen; the last is the `summary`. */
export const importLine = Type.Union([
  Type.Object({
    kind: Type.Literal("item"),
    source: Type.String({ description: "Which article of the file." }),
    outcome: oneOf(["created", "updated", "unchanged", "failed", "skipped"] as const, {}),
    article_id: textOrNull("null: there is none."),
    title: textOrNull("As far as it is known."),
    reason: textOrNull("Why it failed or was skipped."),
  }),
  Type.Object({
    kind: Type.Literal("progress"),
    done: count("Articles."),
    part: Type.Number({ description: "0 to 1." }),
  }),
  Type.Object({
    kind: Type.Literal("summary"),
    created: count(""),
    updated: count(""),
    unchanged: count(""),
    failed: count(""),
    skipped: count(""),
  }),
  Type.Object({ kind: Type.Literal("error"), message: Type.String({ description: "It ended here, and why." }) }),
]);
export type ImportLine = Static<typeof importLine>;

/** GET exports: NDJSON, to be saved as a file. */
export const exportQuery = Type.Object({ website_id: Type.String({ maxLength: 100 }) }, strict);
