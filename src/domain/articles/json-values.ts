/** Reads values of a JSON article: each returns the clean value, or throws AppError `invalid` with the field. */
import { distinctLabels } from "../system/collation.ts";
import { asUuid } from "./article.ts";
import { AppError } from "../system/errors.ts";
import { withoutOverrides } from "../system/foreign-text.ts";
import { parseIsoTime } from "../system/time.ts";
import type { Millis } from "../system/time.ts";

const MB = 1024 * 1024;

/** Limits in characters; that of `content`, which also applies to `markdown`, in bytes of UTF-8. */
export const ARTICLE_LIMITS = {
  title: 1000,
  content: 10 * MB,
  label: 500,
  labels: 1000,
  authors: 100,
  aliases: 200,
  links: 10_000,
  steps: 1000,
  json: 1 * MB,
  jsonDepth: 50,
} as const;

export function readUuid(given: unknown): string {
  const id = asUuid(given);
  if (id === null) throw invalid("id", "must be a UUID, or be left out for a new article");
  return id;
}

/** Rejects NUL, which not every database can store, and replaces lone surrogates, which none can. */
export function readText(field: string, given: unknown, most: number): string {
  if (typeof given !== "string") throw invalid(field, `must be text, not ${describeKind(given)}`);
  if (given.length > most) throw invalid(field, `must not be longer than ${most.toLocaleString("en-US")} characters`);
  if (given.includes("\0")) throw invalid(field, "must not contain the NUL character");
  return given.toWellFormed();
}

/** A title, a label or the like: shown among other texts, whose letters it must not turn around. */
export function readPhrase(field: string, given: unknown, most: number): string {
  return withoutOverrides(readText(field, given, most));
}

export function readUrl(field: string, given: unknown, most: number): string | null {
  const address = readText(field, given, most).trim();
  if (address === "") return null;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw invalid(field, "must be an absolute http or https address");
  }
  // Kept as written, unless it has characters that are unsafe in a page.
  return /[\s"<>]/.test(address) ? new URL(address).href : address;
}

export function readLabels(
  field: string,
  given: unknown,
  most: number = ARTICLE_LIMITS.labels,
  distinct = distinctLabels,
): string[] {
  if (given === null) return [];
  const list = typeof given === "string" ? given.split(",") : given;
  if (!Array.isArray(list)) throw invalid(field, `must be a list of texts, not ${describeKind(given)}`);
  const labels = list.map((item: unknown) => readPhrase(field, item, ARTICLE_LIMITS.label).trim());
  const found = distinct(labels.filter((label) => label !== ""));
  if (found.length > most) throw invalid(field, `must not have more than ${most} items`);
  return found;
}

export function readTime(field: string, given: unknown): Millis {
  const at = typeof given === "string" ? parseIsoTime(given) : null;
  if (at === null) {
    throw invalid(
      field,
      "must be an ISO 8601 time between the years 1000 and 9999, for example 2026-01-31T09:30:00.000Z",
    );
  }
  return at;
}

export function readJsonObject(field: string, given: Record<string, unknown>): Record<string, unknown> {
  const clean = cleanRecord(field, given, 0);
  if (JSON.stringify(clean).length > ARTICLE_LIMITS.json) throw invalid(field, "must not be longer than 1 MB as JSON");
  return clean;
}

function cleanRecord(field: string, given: Record<string, unknown>, depth: number): Record<string, unknown> {
  const entries = Object.entries(given).map(([key, value]) => [
    readText(field, key, 1000),
    cleanJson(field, value, depth + 1),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function cleanJson(field: string, value: unknown, depth: number): unknown {
  if (depth > ARTICLE_LIMITS.jsonDepth)
    throw invalid(field, `must not be nested deeper than ${ARTICLE_LIMITS.jsonDepth}`);
  if (typeof value === "string") return readText(field, value, ARTICLE_LIMITS.json);
  if (Array.isArray(value)) return value.map((item: unknown) => cleanJson(field, item, depth + 1));
  if (isRecord(value)) return cleanRecord(field, value, depth);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

export function invalid(field: string, rule: string): AppError {
  return new AppError("invalid", `${field} ${rule}.`, { field });
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
