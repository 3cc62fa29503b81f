/** Reads what a response contains only on request: contents and the API's optional fields. */
import type { Article } from "../../domain/articles/article.ts";
import {
  CONTENT_FIELDS,
  editorialAdditions,
  type ContentFormat,
  type OptionalField,
} from "../../domain/articles/api-format.ts";
import { isoTime } from "../../domain/system/time.ts";
import { declareRow } from "../row.ts";
import type { Reader } from "../store.ts";
import { toEditorialAdditions } from "./article-rows.ts";
import { earlierSlugs } from "./redirects.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";

/** Fields of one article, by name. */
export type Fields = Record<string, unknown>;

/** Size in bytes of each row's content in these forms. Does not read the content itself. */
export async function contentSizes(
  db: Reader,
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
  db: Reader,
  rowNos: readonly number[],
  formats: readonly ContentFormat[],
): Promise<Map<number, Fields>> {
  const columns = formats.map((format) => `${format} AS ${CONTENT_FIELDS[format]}`).join(", ");
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      declareRow<{ row_no: number } & Fields>(
        `SELECT row_no, ${columns} FROM article_bodies WHERE row_no IN (${placeholders(batch)})`,
      ),
      ...batch,
    ),
  );
  return new Map(found.flat().map(({ row_no, ...content }) => [row_no, content]));
}

/** The optional fields of each row. */
export async function loadOptionalFields(
  db: Reader,
  rowNos: readonly number[],
  fields: readonly OptionalField[],
): Promise<Map<number, Fields>> {
  if (fields.length === 0) return new Map();
  const slugs = fields.includes("previous_slugs") ? await earlierSlugs(db, rowNos) : undefined;
  const found = await inBatches(rowNos, (batch) =>
    db.all(
      `SELECT row_no, updated_at, authors, meta_title, canonical_url, aliases FROM articles
       WHERE row_no IN (${placeholders(batch)})`,
      ...batch,
    ),
  );
  return new Map(
    found
      .flat()
      .map((row) => [
        row.row_no,
        toOptionalFields(
          { updatedAt: row.updated_at, ...toEditorialAdditions(row) },
          slugs?.get(row.row_no) ?? [],
          fields,
        ),
      ]),
  );
}

export function toOptionalFields(
  article: Pick<Article, "updatedAt" | "authors" | "metaTitle" | "canonicalUrl" | "aliases">,
  previousSlugs: readonly string[],
  fields: readonly OptionalField[],
): Fields {
  const all: Record<OptionalField, unknown> = {
    ...editorialAdditions(article),
    updated_at: isoTime(article.updatedAt),
    previous_slugs: previousSlugs,
  };
  return Object.fromEntries(fields.map((field) => [field, all[field]]));
}
