import { type Static, Type } from "typebox";
import { ARTICLE_STATUSES, FIRST_STATES } from "../../../domain/articles/article.ts";
import { EXPORT_FORMATS } from "../../../operations/articles/export/formats.ts";
import { WARNING_KINDS, type WarningKind } from "../../../domain/articles/warnings.ts";
import { count, oneOf, strictObject, textOrNull } from "../../contract/schema-helpers.ts";

const path = (most: number, description: string) =>
  Type.String({ minLength: 1, maxLength: most, pattern: "^[^\\u0000-\\u001f\\u007f]*$", description });

const importId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Chosen by the client, which stops the import by it.",
});

/**
 * POST imports: the body is the file itself, `Content-Type: application/octet-stream`, of at most 200 MB (413); a
 * single JSON document may have at most 50 MB. One file per request; a few requests at a time (409).
 *
 * A Markdown or HTML file that is imported again is recognised by its name, which also supplies slug and date if the
 * file does not:
 *
 *     name=blog/2026/hello.md&folder=blog   as `rostrum import blog` does: 2026/hello.md. Only the folder was dropped.
 *     name=blog/2026/hello.md               as importing the parent folder does: blog was dropped beside other files.
 *     name=hello.md                         the file alone.
 *
 * With `files=true` the body is several files, from one drop or choice: a line of JSON with the name and the size of each,
 * then their bytes. They are imported as a folder is, with the pictures beside them.
 *
 * An archive that `rostrum export --with-assets` wrote is imported with its pictures, a zip archive as the folder in it.
 *
 * When a file is imported again, each field that changed in it is applied. If the field was changed here, too, it is
 * `held`.
 *
 * Imports by users who may not publish wait for review, whatever the file says, and leave live articles unchanged.
 */
export const importParameters = strictObject({
  website_id: Type.String({ maxLength: 100 }),
  name: path(1_000, "The file's name with its folders, as the browser reports them."),
  folder: Type.Optional(path(500, "The dropped folder, if everything was dropped in one: `name` begins with it.")),
  files: Type.Optional(
    oneOf(["true", "false"] as const, {
      description: "Whether the body is several files, and `name` only what to call them; default: false.",
    }),
  ),
  import_id: Type.Optional(importId),
  status: Type.Optional(
    oneOf(ARTICLE_STATUSES, {
      description: "Overrides the status in the files, but for articles that their site hides.",
    }),
  ),
  review_state: Type.Optional(
    oneOf(FIRST_STATES, {
      description: "Where new pending articles begin whose file says nothing of it; default: in_review.",
    }),
  ),
  events: Type.Optional(
    oneOf(["true", "false"] as const, { description: "Whether webhooks are sent; default: false." }),
  ),
  accept_loss: Type.Optional(
    oneOf(["true", "false"] as const, {
      description:
        "Whether articles that lost more than a tenth of their words, or show source markup, go live as their files say; otherwise they are pending with that reason. Default: false.",
    }),
  ),
  overwrite: Type.Optional(
    oneOf(["true", "false"] as const, {
      description:
        "Whether the file replaces what was changed here; otherwise what both changed is held. Default: false.",
    }),
  ),
  copy_images: Type.Optional(
    oneOf(["true", "false"] as const, {
      description:
        "Whether pictures elsewhere on the web are copied, once each; then texts have the new addresses. Default: false.",
    }),
  ),
  dry_run: Type.Optional(
    oneOf(["true", "false"] as const, {
      description: "Reports what would be imported without saving anything; default: false.",
    }),
  ),
});
export type ImportParameters = Static<typeof importParameters>;

const warning = Type.Object({
  kind: oneOf(Object.keys(WARNING_KINDS) as WarningKind[], {}),
  detail: Type.String({ description: "The place or the construct, on one line." }),
});
export type ImportWarning = Static<typeof warning>;
const warnings = Type.Array(warning, {
  description: "What the source has, and the article lacks, shows as text or only guesses.",
});

/** The response is `application/x-ndjson`: one of these per line, as they happen; the last is the `summary`. */
export const importLine = Type.Union([
  Type.Object({
    kind: Type.Literal("item"),
    source: Type.String({ description: "Identifies the article in the file." }),
    outcome: oneOf(["created", "updated", "held", "unchanged", "failed", "skipped"] as const, {}),
    article_id: textOrNull("null if there is none."),
    title: textOrNull("null if unknown."),
    reason: textOrNull(
      "Why it was held, failed, was skipped, or is pending: its site hides it, it lost words, or shows source markup.",
    ),
    warnings,
  }),
  Type.Object({
    kind: Type.Literal("picture"),
    url: Type.String({ description: "Where the picture is, elsewhere on the web." }),
    reason: textOrNull("Why it was not copied, so that its address stays; null: it was."),
  }),
  Type.Object({
    kind: Type.Literal("progress"),
    done: count("Articles."),
    part: Type.Number({ description: "Fraction of the file, 0 to 1." }),
  }),
  Type.Object({
    kind: Type.Literal("summary"),
    created: count(""),
    updated: count(""),
    held: count("Articles of which people have to apply or drop changes."),
    unchanged: count(""),
    failed: count(""),
    skipped: count(""),
  }),
  Type.Object({
    kind: Type.Literal("stopped"),
    done: count("Articles. The last line of a stopped import: the lines before it report all that was saved."),
  }),
  Type.Object({ kind: Type.Literal("error"), message: Type.String({ description: "Why the import ended early." }) }),
]);
export type ImportLine = Static<typeof importLine>;

/** Ends an import after its current batch. */
export const importStopInput = strictObject({ website_id: Type.String({ maxLength: 100 }), import_id: importId });
export const importStopResult = Type.Object({
  is_stopped: Type.Boolean({ description: "false: this process performs no such import of this person." }),
});
export type ImportStopResult = Static<typeof importStopResult>;

/** A machine's batch is answered with these lines in place of `item`. */
export const batchLine = Type.Object(
  {
    kind: Type.Literal("item"),
    line: count("Of the request, from 1."),
    outcome: oneOf(["created", "updated", "held", "unchanged", "failed", "skipped"] as const, {}),
    id: textOrNull("The article's `id`; `null`: there is none."),
    external_id: textOrNull("Your own id; `null`: the line has none that can be read."),
    held_fields: Type.Array(Type.String(), { description: "The fields that people have to apply or drop." }),
    param: textOrNull("The field at fault."),
    message: textOrNull("Why it failed, was skipped, is held or is pending."),
    warnings,
  },
  { title: "BatchItem" },
);
export type BatchLine = Static<typeof batchLine>;

/** The same for the files of a repository. */
export const pushItem = Type.Object(
  {
    kind: Type.Literal("item"),
    path: Type.String({ description: "The file; of one with several articles, its name says which." }),
    outcome: batchLine.properties.outcome,
    id: batchLine.properties.id,
    held_fields: batchLine.properties.held_fields,
    param: batchLine.properties.param,
    message: batchLine.properties.message,
    warnings,
  },
  { title: "PushItem" },
);
export const pushRemoval = Type.Object(
  {
    kind: Type.Literal("removal"),
    path: Type.String({ description: "A file that is gone." }),
    id: textOrNull("The article that people are asked to delete; `null`: there is none."),
  },
  { title: "PushRemoval" },
);
export type PushLine = Static<typeof pushItem> | Static<typeof pushRemoval>;

/** GET exports: a file to be saved. */
export const exportParameters = strictObject({
  website_id: Type.String({ maxLength: 100 }),
  format: Type.Optional(
    oneOf(EXPORT_FORMATS, {
      description: "`wordpress`: WXR, XML; `ghost`: Ghost's JSON. Default: `rostrum`, NDJSON.",
    }),
  ),
});
