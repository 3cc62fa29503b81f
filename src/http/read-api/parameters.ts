/**
 * Parses the parameters of the read API (docs/specification.md, section 4). Malformed values are refused by name; unknown
 * parameters are ignored and reported in `debug.warnings`.
 */
import { ARTICLE_STATUSES, type ArticleStatus } from "../../domain/articles/article.ts";
import { parseIsoTime } from "../../domain/articles/article-json.ts";
import { searchTokens } from "../../domain/articles/content/search.ts";
import { AppError } from "../../domain/system/errors.ts";
import { LIST_FIELDS, type ListField } from "../../domain/articles/api-format.ts";
import type { ListQuery } from "../../operations/articles/read-model.ts";
import { type ArticleFilter, defaultSort, type Sort, SORT_FIELDS } from "../../store/articles/article-queries.ts";

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
const MAX_VALUE = 1_000;

export interface ListParameters {
  query: ListQuery;
  /** Null: all fields. */
  fields: readonly ListField[] | null;
  debug: boolean;
  warnings: string[];
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseListParameters(search: string): ListParameters {
  const given = new Parameters(search, LIST_PARAMETERS);
  const status: ArticleStatus = given.parsed("status", oneOf(ARTICLE_STATUSES)) ?? "published";
  const words = given.parsed("q", searchWords);
  const filter: ArticleFilter = {
    ...present("slug", given.parsed("slug", text)),
    ...present("category", given.parsed("category", text)),
    ...present("tag", given.parsed("tag", text)),
    ...present("keyword", given.parsed("keyword", text)),
    ...present("words", words),
    ...present("updatedSince", given.parsed("updated_since", time)),
    ...present("publishedSince", given.parsed("published_since", time)),
  };
  return {
    query: {
      status,
      limit: given.parsed("limit", (value) => limit(value, given.warnings)) ?? LIMIT_DEFAULT,
      offset: given.parsed("offset", wholeNumber(0)) ?? 0,
      sort: given.parsed("sort", sort) ?? defaultSort(status),
      filter,
    },
    fields: given.parsed("fields", fieldList) ?? null,
    debug: given.parsed("debug", boolean) ?? false,
    warnings: given.warnings,
  };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseDetailParameters(search: string): { debug: boolean; warnings: string[] } {
  const given = new Parameters(search, ["debug"]);
  return { debug: given.parsed("debug", boolean) ?? false, warnings: given.warnings };
}

/** @throws AppError `invalid` with the parameter's name. */
export function parseEventParameters(search: string): { after: number; limit: number } {
  const given = new Parameters(search, ["after", "limit"]);
  return {
    after: given.parsed("after", wholeNumber(0)) ?? 0,
    limit: given.parsed("limit", (value) => limit(value, given.warnings)) ?? LIMIT_DEFAULT,
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws AppError `invalid` unless the last part of the path is a UUID. @returns it in lower case. */
export function parseId(part: string): string {
  if (!UUID.test(part)) {
    throw refuse("id", "The id is not a UUID; use the id that the list gives, such as 0198a3b2-….");
  }
  return part.toLowerCase();
}

/** @throws AppError `invalid` if the request names a version other than the current one. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || version === "v1" || version === "1") return;
  throw refuse("Accept-Version", "This API has exactly one version: send Accept-Version: v1, or leave the header out.");
}

const LIST_PARAMETERS = [
  "limit",
  "offset",
  "status",
  "debug",
  "slug",
  "category",
  "tag",
  "keyword",
  "q",
  "updated_since",
  "published_since",
  "sort",
  "fields",
] as const;

class Parameters<Name extends string> {
  readonly warnings: string[] = [];
  readonly #values = new Map<string, string>();

  constructor(search: string, known: readonly Name[]) {
    for (const pair of search.split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const rawName = equals < 0 ? pair : pair.slice(0, equals);
      const name = decode(rawName) ?? rawName;
      if (!known.some((one) => one === name)) {
        if (this.warnings.length < 20) this.warnings.push(`Unknown parameter ignored: ${name.slice(0, 100)}`);
        continue;
      }
      const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
      if (value === null || value.includes("\0")) {
        throw refuse(name, `The value of ${name} is not valid percent-encoded text; encode it as UTF-8.`);
      }
      if (value.length > MAX_VALUE) {
        throw refuse(name, `The value of ${name} is too long; ${MAX_VALUE} characters are allowed.`);
      }
      if (this.#values.has(name)) throw refuse(name, `${name} is given twice; give it once.`);
      this.#values.set(name, value);
    }
  }

  parsed<T>(name: Name, parse: (value: string, name: string) => T): T | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : parse(value, name);
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

function refuse(param: string, message: string): AppError {
  return new AppError("invalid", message, { field: param });
}

function wholeNumber(least: number) {
  return (value: string, name: string): number => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least)) {
      throw refuse(name, `${name} must be a whole number of at least ${least}.`);
    }
    // Larger numbers are beyond the end of any list, and cannot be counted exactly.
    return Math.min(number, Number.MAX_SAFE_INTEGER);
  };
}

function limit(value: string, warnings: string[]): number {
  const wanted = wholeNumber(1)(value, "limit");
  if (wanted > LIMIT_MAX) warnings.push(`limit is at most ${LIMIT_MAX}; ${LIMIT_MAX} was applied`);
  return Math.min(wanted, LIMIT_MAX);
}

function oneOf<T extends string>(values: readonly T[]) {
  return (value: string, name: string): T => {
    const found = values.find((one) => one === value);
    if (found === undefined) throw refuse(name, `${name} must be one of ${values.join(", ")}.`);
    return found;
  };
}

function boolean(value: string, name: string): boolean {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw refuse(name, `${name} must be true or false.`);
}

function text(value: string, name: string): string {
  if (value.trim() === "") throw refuse(name, `${name} is empty; give a value or leave it out.`);
  return value;
}

function searchWords(value: string, name: string): string[] {
  const words = [...new Set(searchTokens(value))];
  if (words.length === 0) throw refuse(name, `${name} holds no word to search for.`);
  if (words.length > 20) throw refuse(name, `${name} holds more than 20 words; search for fewer.`);
  return words;
}

function time(value: string, name: string): number {
  const at = parseIsoTime(value);
  if (at === null) throw refuse(name, `${name} must be an ISO 8601 time, such as 2026-01-31T12:00:00.000Z.`);
  return at;
}

function sort(value: string, name: string): Sort {
  const descending = value.startsWith("-");
  return { field: oneOf(SORT_FIELDS)(descending ? value.slice(1) : value, name), descending };
}

function fieldList(value: string, name: string): ListField[] {
  const parse = oneOf(LIST_FIELDS);
  const wanted = new Set(value.split(",").map((field) => parse(field.trim(), name)));
  return LIST_FIELDS.filter((field) => wanted.has(field));
}

function present<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  // A computed key widens to string; the only key here is `key`.
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: T });
}
