/** Reads what a response contains only on request: contents and the API's optional fields. */
import type { Article } from "../../domain/articles/article.ts";
import {
  CONTENT_FIELDS,
  editorialAdditions,
  type ContentFormat,
  type OptionalField,
} from "../../domain/articles/api-format.ts";
import { findAssetHash } from "../../domain/articles/assets/asset.ts";
import { isoTime } from "../../domain/system/time.ts";
import { declareRow } from "../row.ts";
import type { Snapshot } from "../store.ts";
import { toEditorialAdditions } from "./article-rows.ts";
import { findAssetFacts } from "./assets.ts";
import { loadTranslations, type Translation } from "./translations.ts";
import { listReviewRecords } from "./quality/review-records.ts";
import { earlierSlugs } from "./redirects.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";

/** Fields of one article, by name. */
export type ResponseFields = Record<string, unknown>;

/** Size in bytes of each row's content in these forms. Does not read the content itself. */
export async function contentSizes(
  db: Snapshot,
  rowNos: readonly number[],
  formats: readonly ContentFormat[],
): Promise<Map<number, number>> {
  const sum = formats.map((format) => `octet_length(${format})`).join(" + ");
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      declareRow<{ row_no: number; bytes: number }>(
        `SELECT row_no, ${sum} AS bytes FROM article_bodies WHERE row_no IN (${placeholders(batch)})`,
      ),
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ row_no, bytes }) => [row_no, bytes]));
}

/** Each row's content in these forms, under the names of the API. */
export async function loadContents(
  db: Snapshot,
  rowNos: readonly number[],
  formats: readonly ContentFormat[],
): Promise<Map<number, ResponseFields>> {
  const columns = formats.map((format) => `${format} AS ${CONTENT_FIELDS[format]}`).join(", ");
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      declareRow<{ row_no: number } & ResponseFields>(
        `SELECT row_no, ${columns} FROM article_bodies WHERE row_no IN (${placeholders(batch)})`,
      ),
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ row_no, ...content }) => [row_no, content]));
}

/** Without those that others make: from the content (http/read-api/content-fields.ts), and from the order of a list. */
type StoredField = Exclude<OptionalField, "toc" | "neighbours">;

function isStored(field: OptionalField): field is StoredField {
  return field !== "toc" && field !== "neighbours";
}

/** The optional fields of each row that are stored. The rows belong to one website. */
export async function loadOptionalFields(
  db: Snapshot,
  rowNos: readonly number[],
  fields: readonly OptionalField[],
): Promise<Map<number, ResponseFields>> {
  if (!fields.some(isStored)) return new Map();
  const slugs = fields.includes("previous_slugs") ? await earlierSlugs(db, rowNos) : undefined;
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT row_no, id, website_id, updated_at, authors, meta_title, canonical_url, aliases, featured_image_url, featured_image_alt,
         language, translation_group
       FROM articles WHERE row_no IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  const articles = found.flat().map((row) =>
    Object.assign(toEditorialAdditions(row), {
      rowNo: row.row_no,
      id: row.id,
      websiteId: row.website_id,
      updatedAt: row.updated_at,
      featuredImageUrl: row.featured_image_url,
      featuredImageAlt: row.featured_image_alt,
    }),
  );
  const sizes = fields.includes("featured_image") ? await loadImageSizes(db, articles) : undefined;
  const records = fields.includes("review_record") ? await listReviewRecords(db, rowNos) : undefined;
  const groups = fields.includes("translations") ? await loadTranslations(db, articles) : undefined;
  return new Map(
    articles.map((article) => {
      const others = {
        previousSlugs: slugs?.get(article.rowNo),
        size: sizes?.get(article.featuredImageUrl ?? ""),
        group: groups?.get(article.translationGroup ?? ""),
        record: records?.get(article.rowNo),
      };
      return [article.rowNo, toOptionalFields(article, others, fields)];
    }),
  );
}

interface Size {
  width: number;
  height: number;
}

/** The sizes of featured images, by their URLs, of those that are in the library of the articles' website. */
export async function loadImageSizes(
  db: Snapshot,
  articles: readonly Pick<Article, "websiteId" | "featuredImageUrl">[],
): Promise<Map<string, Size>> {
  const { websiteId = "" } = articles[0] ?? {};
  const hashes = new Map<string, string>();
  for (const { featuredImageUrl: url } of articles) {
    const hash = url === null ? undefined : findAssetHash(websiteId, url);
    if (url !== null && hash !== undefined) hashes.set(url, hash);
  }
  const sizes = await findAssetFacts(db, websiteId, [...new Set(hashes.values())]);
  return new Map(
    [...hashes].flatMap(([url, hash]) => {
      const size = sizes.get(hash);
      return size === undefined ? [] : [[url, size]];
    }),
  );
}

/** Values that come from other rows than the article's. */
interface OfOthers {
  previousSlugs?: readonly string[] | undefined;
  size?: Size | undefined;
  group?: readonly Translation[] | undefined;
  record?: string | undefined;
}

export function toOptionalFields(
  article: Pick<
    Article,
    | "id"
    | "updatedAt"
    | "authors"
    | "metaTitle"
    | "canonicalUrl"
    | "aliases"
    | "language"
    | "translationGroup"
    | "featuredImageUrl"
    | "featuredImageAlt"
  >,
  { previousSlugs = [], size, group = [], record }: OfOthers,
  fields: readonly OptionalField[],
): ResponseFields {
  const { featuredImageUrl: url, featuredImageAlt: alt } = article;
  const all: Record<StoredField, unknown> = {
    ...editorialAdditions(article),
    updated_at: isoTime(article.updatedAt),
    previous_slugs: previousSlugs,
    review_record: record ?? null,
    translations: group.filter(({ id }) => id !== article.id),
    featured_image: url === null ? null : { url, width: size?.width ?? null, height: size?.height ?? null, alt },
  };
  return Object.fromEntries(fields.filter(isStored).map((field) => [field, all[field]]));
}
