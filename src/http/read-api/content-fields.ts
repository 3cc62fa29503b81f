/** Made from the content for each answer: absolute URLs, responsive pictures, and contents (`include=toc`). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { absoluteUrls } from "../../../client/src/site/absolute-urls.ts";
import type { OptionalField } from "../../domain/articles/api-format.ts";
import type { SnapshotReader } from "../../operations/articles/read-model/read-model.ts";
import type { PictureFacts } from "../../domain/articles/assets/asset.ts";
import { findAssetFacts } from "../../store/articles/assets.ts";
import type { ResponseFields } from "../../store/articles/optional-fields.ts";
import { findWebsite } from "../../store/system/websites.ts";
import type { DetailParameters } from "./parameters.ts";
import { findOwnPictures, responsivePictures } from "./responsive-pictures.ts";

type Asked = Pick<DetailParameters, "isAbsolute" | "hasResponsiveImages" | "warnings">;

/** What changes in the HTML of an answer. */
export interface Rewriting {
  websiteId: string;
  /** The address that URLs are resolved against; null: they stay as they are. */
  websiteUrl: string | null;
  /** The website's own pictures, by their hashes; null: they stay as they are. */
  pictures: ReadonlyMap<string, PictureFacts> | null;
}

/** Reads what the rewriting of these texts takes. Other requests have their turn in between. */
export async function prepareRewriting(
  { db, view: { websiteId } }: SnapshotReader,
  asked: Asked,
  texts: readonly unknown[],
): Promise<Rewriting> {
  const url = asked.isAbsolute ? ((await findWebsite(db, websiteId))?.url ?? null) : null;
  const warning = "urls has no effect: the website has no address yet";
  if (asked.isAbsolute && url === null && !asked.warnings.includes(warning)) asked.warnings.push(warning);
  if (!asked.hasResponsiveImages) return { websiteId, websiteUrl: url, pictures: null };
  const hashes = new Set<string>();
  for (const text of texts) {
    if (typeof text !== "string") continue;
    for (const hash of await inTurns(findOwnPictures(text, websiteId))) hashes.add(hash);
  }
  return { websiteId, websiteUrl: url, pictures: await findAssetFacts(db, websiteId, [...hashes]) };
}

/** What the rewriting depends on and has no version, for the ETag. */
export function rewritingFacts({ websiteUrl, pictures }: Rewriting): (string | null)[] {
  // Databases return rows in any order.
  const sorted = pictures && [...pictures].sort(([a], [b]) => (a < b ? -1 : 1));
  return [websiteUrl, sorted && JSON.stringify(sorted)];
}

/** Rewrites the HTML in this field. Other requests have their turn in between. */
export async function withRewriting<Holder extends object>(
  holder: Holder,
  field: "html" | "content",
  { websiteId, websiteUrl, pictures }: Rewriting,
): Promise<Holder> {
  const html: unknown = Reflect.get(holder, field);
  if (typeof html !== "string" || (websiteUrl === null && pictures === null)) return holder;
  const absolute = websiteUrl === null ? html : await inTurns(absoluteUrls(html, websiteUrl));
  const value = pictures === null ? absolute : await inTurns(responsivePictures(absolute, websiteId, pictures));
  return { ...holder, [field]: value };
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
  return { ...fields, toc: await inTurns(tableOfContents(html)) };
}

async function inTurns<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
