/** The parameters of each endpoint of the read API (docs/specification.md, section 4). */
import {
  CONTENT_FORMATS,
  type ContentFormat,
  DETAIL_FIELDS,
  type DetailField,
  LIST_FIELDS,
  LIST_OPTIONAL_FIELDS,
  type ListField,
  OPTIONAL_FIELDS,
  type OptionalField,
} from "../../domain/articles/api-format.ts";
import { ARTICLE_STATUSES, type ArticleStatus } from "../../domain/articles/article.ts";
import { parseLanguageTag } from "../../domain/system/language-tag.ts";
import { queryWords } from "../../domain/articles/content/measure/search.ts";
import { type ListQuery, MAX_LABELS } from "../../operations/articles/read-model/list-query.ts";
import { type ArticleFilter, defaultSort, type Sort, SORT_FIELDS } from "../../store/articles/article-queries.ts";
import {
  choiceParser,
  choicesParser,
  parseBoolean,
  parseText,
  parseTime,
  QueryParameters,
  refuse,
  wholeNumberParser,
} from "./query-string.ts";

// Made once, not for each request.
const parseStatus = choiceParser(ARTICLE_STATUSES);
const parseSortField = choiceParser(SORT_FIELDS);
const parseListFields = choicesParser([...LIST_FIELDS, ...LIST_OPTIONAL_FIELDS]);
const parseRelatedFields = choicesParser(LIST_FIELDS);
const parseDetailFields = choicesParser([...DETAIL_FIELDS, ...OPTIONAL_FIELDS]);
const parseListIncluded = choicesParser(["content", ...LIST_OPTIONAL_FIELDS]);
const parseIncluded = choicesParser(["content", ...OPTIONAL_FIELDS]);
const parseFormats = choicesParser(CONTENT_FORMATS);
const parsePosition = wholeNumberParser(0);
const parseCount = wholeNumberParser(1);

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
export const URL_FORMS = ["absolute"] as const;
const parseUrlForm = choiceParser(URL_FORMS);
export const IMAGE_FORMS = ["responsive"] as const;
const parseImageForm = choiceParser(IMAGE_FORMS);

interface Selection<Field extends string> {
  /** Null means all fields of the form. */
  fields: readonly Field[] | null;
  /** Added to `fields`. */
  optional: readonly OptionalField[];
  /** The requested forms of the content; null for the default. */
  formats: readonly ContentFormat[] | null;
  /** Whether URLs within the content are to be absolute. */
  isAbsolute: boolean;
  /** Whether the website's own pictures within the content are to have their size and their other widths. */
  hasResponsiveImages: boolean;
  /** Whether the answer also depends on what has no version: the website's address, or its picture library. */
  isVolatile: boolean;
  /** The version that the request names (`/api/public/state`). It has no effect unless it is the current one. */
  version: string | null;
}

export interface ListParameters extends Selection<ListField> {
  query: ListQuery;
  hasStatus: boolean;
  debug: boolean;
  warnings: string[];
  /** The query string of another page of the same list. */
  pageSearch: (offset: number) => string;
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseListParameters(search: string): ListParameters {
  const given = new QueryParameters(search, LIST_PARAMETERS);
  const named = given.parsed("status", parseStatus);
  const status: ArticleStatus = named ?? "published";
  const words = given.parsed("q", searchWords);
  const filter: ArticleFilter = {
    ...present("slug", given.parsed("slug", parseText)),
    ...present("category", given.parsed("category", parseText)),
    ...present("tag", given.parsed("tag", parseText)),
    ...present("tags", given.parsed("tags", parseAllOf)),
    ...present("keyword", given.parsed("keyword", parseText)),
    ...present("author", given.parsed("author", parseText)),
    ...present("language", given.parsed("lang", languageTag)),
    ...present("words", words),
    ...present("updatedSince", given.parsed("updated_since", parseTime)),
    ...present("publishedSince", given.parsed("published_since", parseTime)),
  };
  const query = {
    status,
    limit: given.parsed("limit", (value) => limit(value, given)) ?? LIMIT_DEFAULT,
    offset: given.parsed("offset", parsePosition) ?? 0,
    sort: given.parsed("sort", sort) ?? defaultSort(status),
    filter,
  };
  const fields = given.parsed("fields", parseListFields) ?? null;
  const included = given.parsed("include", parseListIncluded) ?? [];
  const formats = given.parsed("format", parseFormats);
  const hasContent = included.includes("content");
  if (formats !== undefined && !hasContent) {
    given.warn("format", {
      warning: "format has no effect on a list without include=content",
      refusal: "format has no effect on a list without include=content. Add include=content, or leave format out.",
    });
  }
  const isAbsolute = given.parsed("urls", parseUrlForm) !== undefined;
  const hasResponsiveImages = given.parsed("images", parseImageForm) !== undefined;
  for (const [name, isGiven] of Object.entries({ urls: isAbsolute, images: hasResponsiveImages })) {
    if (!isGiven || hasContent) continue;
    given.warn(name, {
      warning: `${name} has no effect on a list without include=content`,
      refusal: `${name} has no effect on a list without include=content. Add include=content, or leave ${name} out.`,
    });
  }
  const optional = LIST_OPTIONAL_FIELDS.filter((field) => included.includes(field) || fields?.includes(field));
  const isVolatile = isAbsolute || hasResponsiveImages || optional.includes("featured_image");
  return {
    query,
    hasStatus: named !== undefined,
    fields: fields && LIST_FIELDS.filter((field) => fields.includes(field)),
    optional,
    formats: hasContent ? (formats ?? ["html"]) : null,
    isAbsolute: isAbsolute && hasContent,
    hasResponsiveImages: hasResponsiveImages && hasContent,
    isVolatile,
    version: isVolatile ? null : (given.parsed("v", String) ?? null),
    debug: given.parsed("debug", parseBoolean) ?? false,
    warnings: given.warnings,
    pageSearch: (offset) => given.replaced("offset", offset),
  };
}

export interface DetailParameters extends Selection<DetailField> {
  /** By slug: only an article in this language is meant. */
  language: string | undefined;
  debug: boolean;
  warnings: string[];
}

const DETAIL_PARAMETERS = ["fields", "include", "format", "urls", "images", "v", "debug"] as const;

/** @throws AppError `invalid` with the parameter's name. */
export function parseDetailParameters(search: string): DetailParameters {
  return { ...readDetailParameters(new QueryParameters(search, DETAIL_PARAMETERS)), language: undefined };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseBySlugParameters(search: string): DetailParameters {
  const given = new QueryParameters(search, [...DETAIL_PARAMETERS, "lang"]);
  const language = given.parsed("lang", languageTag);
  return { ...readDetailParameters(given), language };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseParametersOfOne(route: "detail" | "slug", search: string): DetailParameters {
  return route === "slug" ? parseBySlugParameters(search) : parseDetailParameters(search);
}

function readDetailParameters(
  given: QueryParameters<(typeof DETAIL_PARAMETERS)[number]>,
): Omit<DetailParameters, "language"> {
  const fields = given.parsed("fields", parseDetailFields) ?? null;
  const included = given.parsed("include", parseIncluded) ?? [];
  const formats = given.parsed("format", parseFormats) ?? null;
  const all: readonly string[] | null = fields && [...fields, ...included];
  if (formats !== null && all?.includes("content") === false) {
    given.warn("format", {
      warning: "format has no effect without the field content",
      refusal: "format has no effect without the field content. Add content to fields, or leave format out.",
    });
  }
  const isAbsolute = given.parsed("urls", parseUrlForm) !== undefined;
  const hasResponsiveImages = given.parsed("images", parseImageForm) !== undefined;
  const optional = OPTIONAL_FIELDS.filter((field) => included.includes(field) || fields?.includes(field));
  const isVolatile = isAbsolute || hasResponsiveImages || optional.includes("featured_image");
  return {
    fields: all && DETAIL_FIELDS.filter((field) => all.includes(field)),
    optional,
    formats,
    isAbsolute,
    hasResponsiveImages,
    isVolatile,
    version: isVolatile ? null : (given.parsed("v", String) ?? null),
    debug: given.parsed("debug", parseBoolean) ?? false,
    warnings: given.warnings,
  };
}

/** Labels and redirects are small, so most websites get all of them in one request. */
export const SMALL_ITEMS_LIMIT = 1_000;

/** @throws AppError `invalid` with the parameter's name. */
export function parseRedirectParameters(search: string) {
  const given = new QueryParameters(search, ["limit", "after", "v"]);
  return {
    limit: given.parsed("limit", (value) => limit(value, given, SMALL_ITEMS_LIMIT)) ?? SMALL_ITEMS_LIMIT,
    after: given.parsed("after", String) ?? "",
    version: given.parsed("v", String) ?? null,
    warnings: given.warnings,
    pageSearch: (after: string) => given.replaced("after", after),
  };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseLabelParameters(search: string) {
  const given = new QueryParameters(search, ["limit", "offset", "v"]);
  return {
    limit: given.parsed("limit", (value) => limit(value, given, SMALL_ITEMS_LIMIT)) ?? SMALL_ITEMS_LIMIT,
    offset: given.parsed("offset", parsePosition) ?? 0,
    version: given.parsed("v", String) ?? null,
    warnings: given.warnings,
    pageSearch: (offset: number) => given.replaced("offset", offset),
  };
}

export const RELATED_DEFAULT = 5;
export const RELATED_MAX = 20;

/** @throws AppError `invalid` with the parameter's name. */
export function parseRelatedParameters(search: string) {
  const given = new QueryParameters(search, ["limit", "fields", "v"]);
  return {
    limit: given.parsed("limit", (value) => limit(value, given, RELATED_MAX)) ?? RELATED_DEFAULT,
    fields: given.parsed("fields", parseRelatedFields) ?? null,
    version: given.parsed("v", String) ?? null,
    warnings: given.warnings,
  };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseEventParameters(search: string): { after: number; limit: number; warnings: string[] } {
  const given = new QueryParameters(search, ["after", "limit"]);
  return {
    after: given.parsed("after", parsePosition) ?? 0,
    limit: given.parsed("limit", (value) => limit(value, given)) ?? LIMIT_DEFAULT,
    warnings: given.warnings,
  };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseNoParameters(search: string): { warnings: string[] } {
  return { warnings: new QueryParameters(search, []).warnings };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws AppError `invalid` unless the last part of the path is a UUID. @returns it in lower case. */
export function parseId(part: string): string {
  if (!UUID.test(part)) {
    throw refuse("id", "The id is not a UUID; use the id that the list gives, such as 0198a3b2-….");
  }
  return part.toLowerCase();
}

/** @throws AppError `invalid` unless the last part of the path is percent-encoded text. */
export function parseSlug(part: string): string {
  try {
    const slug = decodeURIComponent(part);
    if (!slug.includes("\0")) return slug;
  } catch {
    // Rejected below.
  }
  throw refuse("slug", "The slug is not valid percent-encoded text; encode it as UTF-8.");
}

/** @throws AppError `invalid` if the request names a version other than the current one. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || version === "v1" || version === "1") return;
  throw refuse(
    "Accept-Version",
    "This API has exactly one version: send Accept-Version: v1, or leave the header out.",
    "unsupported_version",
  );
}

const LIST_PARAMETERS = [
  "limit",
  "offset",
  "status",
  "debug",
  "slug",
  "category",
  "tag",
  "tags",
  "keyword",
  "author",
  "lang",
  "q",
  "updated_since",
  "published_since",
  "sort",
  "fields",
  "include",
  "format",
  "urls",
  "images",
  "v",
] as const;

function limit(value: string, given: QueryParameters<"limit">, most = LIMIT_MAX): number {
  const wanted = parseCount(value, "limit");
  if (wanted > most) {
    given.warn("limit", {
      warning: `limit is at most ${most}; ${most} was applied`,
      refusal: `limit must be at most ${most}.`,
    });
  }
  return Math.min(wanted, most);
}

function searchWords(value: string, name: string): string[] {
  const words = queryWords(value);
  if (words.length === 0) throw refuse(name, `${name} holds no word to search for.`);
  if (words.length > 20) throw refuse(name, `${name} holds more than 20 words; search for fewer.`);
  return words;
}

/** Those beyond the limit would be ignored, and articles without them found. */
function parseAllOf(value: string, name: string): string {
  if (value.split(",").length <= MAX_LABELS) return parseText(value, name);
  throw refuse(name, `${name} has more than ${MAX_LABELS} labels; give fewer.`);
}

function languageTag(value: string, name: string): string {
  const tag = parseLanguageTag(value);
  if (tag !== undefined) return tag;
  throw refuse(name, `${name} must be a language tag (BCP 47), such as de or pt-BR.`);
}

function sort(value: string, name: string): Sort {
  const descending = value.startsWith("-");
  return { field: parseSortField(descending ? value.slice(1) : value, name), descending };
}

function present<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  // A computed key widens to string; the only key here is `key`.
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: T });
}
