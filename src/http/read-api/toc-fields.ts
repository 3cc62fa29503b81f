/** `toc`: made from the content for each answer. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OptionalField } from "../../domain/articles/api-format.ts";
import type { ResponseFields } from "../../store/articles/optional-fields.ts";

/** The same fields with the table of contents, if it is asked for. Others have their turn in between. */
export async function withToc(
  fields: ResponseFields,
  html: unknown,
  optional: readonly OptionalField[],
): Promise<ResponseFields> {
  if (!optional.includes("toc") || typeof html !== "string") return fields;
  // Loaded at its first use, with an HTML parser.
  const { tableOfContents } = await import("../../domain/articles/content/html/toc.ts");
  const work = tableOfContents(html);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return { ...fields, toc: value };
    await nextTurn();
  }
}
