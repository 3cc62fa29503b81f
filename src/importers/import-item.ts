import { AppError } from "../domain/system/errors.ts";
import { ARTICLE_LIMITS, isOwnForm, parseArticleJson, requireComplete } from "../domain/articles/article-json.ts";
import type { Millis } from "../domain/articles/article.ts";
import type { ImportItem } from "../operations/articles/import-items.ts";

export const IMPORT_FORMATS = ["markdown", "wordpress", "ghost", "json", "ndjson"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export interface ImportOptions {
  format: "auto" | ImportFormat;
  /** Address of the website; relative addresses of articles and their images are resolved against it. */
  websiteUrl: string | null;
  /** What the path `-` reads. */
  stdin?: NodeJS.ReadableStream;
  /** `bytesTotal` is `null` where it cannot be known. */
  onProgress?: (bytesRead: number, bytesTotal: number | null) => void;
  /** Tells which dates lie in the future. */
  clock?: () => Millis;
}

/** What the readers of the formats need to know beyond their file. */
export interface ReadContext {
  websiteUrl: string | null;
  now: Millis;
  /** Size limit of one JSON document, which is held in memory whole. Default: no limit. */
  maxJsonBytes?: number;
  /** Left out: every item is read. */
  begin?: Begin;
}

/**
 * Called before each item is worked out, which is the part that may take long. False: it is not wanted, and `PASSED` is
 * yielded in its place.
 *
 * @param bytes how long it is; left out where that is not known.
 */
type Begin = (source: string, bytes?: number) => boolean;

/** An item that was not wanted. */
export const PASSED = { kind: "passed" } as const;
export type ReadItem = ImportItem | typeof PASSED;

/** The item, unless it is not wanted. Refusals become a failed one. */
export function beginItem(
  { begin }: Pick<ReadContext, "begin">,
  source: string,
  bytes: number | undefined,
  read: () => ImportItem,
): ReadItem {
  if (begin?.(source, bytes) === false) return PASSED;
  try {
    return read();
  } catch (error) {
    return failedItem(source, error);
  }
}

/** A readable file that evidently holds no articles: refused when it was named, skipped when it lies in a folder. */
export class NoArticles extends AppError {
  constructor(message: string) {
    super("invalid", message);
    this.name = "NoArticles";
  }
}

/** The largest article that is read, as it stands in its file. */
export const MAX_ITEM_BYTES = 20 * 1024 * 1024;

/**
 * A draft of what was read, in the field names of the JSON article, so that every format obeys the same limits.
 * `undefined` says nothing. A value that is refused makes it a failed item.
 */
export function draftOf(source: string, ref: string, article: Record<string, unknown>): ImportItem {
  try {
    return {
      kind: "draft",
      source,
      ref,
      // An empty draft can be exported, so it can be imported.
      input: requireComplete(parseArticleJson({ ...article, ...shortLabels(article) }), isOwnForm(article)),
    };
  } catch (error) {
    return failedItem(source, error);
  }
}

/** An article does not stay out for a tag that somebody's tool let grow to a paragraph. */
function shortLabels(article: Record<string, unknown>): Record<string, unknown> {
  const lists = ["categories", "tags", "seo_keywords"].filter((key) => Array.isArray(article[key]));
  return Object.fromEntries(lists.map((key) => [key, (article[key] as unknown[]).map(shortLabel)]));
}

function shortLabel(label: unknown): unknown {
  const most = ARTICLE_LIMITS.label;
  return typeof label === "string" && label.length > most ? `${label.slice(0, most - 1)}…` : label;
}

/** Refusals become the reason of a failed item; anything else is a bug and goes on. */
export function failedItem(source: string, error: unknown): ImportItem {
  // What is walked by recursion, here and in the libraries, ends like this on a file that nests without end.
  if (error instanceof RangeError) return { kind: "failed", source, reason: "It is nested too deeply." };
  if (!(error instanceof AppError)) throw error;
  return { kind: "failed", source, reason: error.message };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text, or `undefined` where there is none worth having. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  return value.trim() === "" ? undefined : value.trim();
}
