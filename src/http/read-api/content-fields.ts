/** Made from the content for each answer: absolute URLs (`urls=absolute`) and contents (`include=toc`). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { absoluteUrls } from "../../../client/src/site/absolute-urls.ts";
import type { OptionalField } from "../../domain/articles/api-format.ts";
import type { SnapshotReader } from "../../operations/articles/read-model/read-model.ts";
import type { ResponseFields } from "../../store/articles/optional-fields.ts";
import { findWebsite } from "../../store/system/websites.ts";

interface Asked {
  isAbsolute: boolean;
  warnings: string[];
}

/** The address that URLs are resolved against; null if the request asks for none, or there is none. */
export async function findWebsiteUrl({ db, view }: SnapshotReader, asked: Asked): Promise<string | null> {
  if (!asked.isAbsolute) return null;
  const url = (await findWebsite(db, view.websiteId))?.url ?? null;
  const warning = "urls has no effect: the website has no address yet";
  if (url === null && !asked.warnings.includes(warning)) asked.warnings.push(warning);
  return url;
}

/** Makes URLs in the HTML of this field absolute. Other requests have their turn in between. */
export async function withAbsoluteUrls<Holder extends object>(
  holder: Holder,
  field: "html" | "content",
  websiteUrl: string | null,
): Promise<Holder> {
  const html: unknown = Reflect.get(holder, field);
  if (websiteUrl === null || typeof html !== "string") return holder;
  const work = absoluteUrls(html, websiteUrl);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return { ...holder, [field]: value };
    await nextTurn();
  }
}

/** Adds the table of contents, if it is asked for. Other requests have their turn in between. */
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
