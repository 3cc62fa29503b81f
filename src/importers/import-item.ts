import { AppError } from "../domain/system/errors.ts";
import { isOwnForm, parseArticleJson, requireComplete } from "../domain/articles/article-json.ts";
import { ARTICLE_LIMITS } from "../domain/articles/json-values.ts";
import type { Millis } from "../domain/system/time.ts";
import type { Library } from "./wordpress/library.ts";
import type { CsvRow } from "./csv.ts";
import type { Website } from "../domain/system/website.ts";
import type { Cascade } from "./markdown/cascade.ts";
import type { Vault } from "./markdown/dialects/vault.ts";
import { hashInput, type ImportItem, type PicturePlaces } from "../operations/articles/import/import-items.ts";
import type { DialectName, Site } from "./site.ts";

export const IMPORT_FORMATS = ["markdown", "wordpress", "ghost", "json", "ndjson"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export interface ReadImportOptions {
  format: "auto" | ImportFormat;
  /** URL of the website; relative URLs of articles and their images are resolved against it. */
  websiteUrl: string | null;
  /** How the website makes addresses, for links between articles. */
  website?: AddressPattern;
  /** Types of WordPress and Ghost that are articles besides posts: `page`, or the name of another one. */
  include?: readonly string[];
  /** The generator whose constructs Markdown files have. Absent: it is recognised. */
  dialect?: DialectName;
  /** The stream for the path `-`. */
  stdin?: NodeJS.ReadableStream;
  /** `bytesTotal` is `null` if it is unknown. */
  onProgress?: (bytesRead: number, bytesTotal: number | null) => void;
  /** Decides which dates are in the future. */
  clock?: () => Millis;
}

export type AddressPattern = Pick<Website, "urlPattern" | "language">;

export interface ImportContext {
  websiteUrl: string | null;
  website?: AddressPattern;
  /** Types that are articles besides posts. */
  include?: readonly string[];
  now: Millis;
  /** Size limit of one JSON document, which is held in memory whole. Default: no limit. */
  maxJsonBytes?: number;
  /** The translation groups of which the folder has files with a language in their names. */
  translated?: ReadonlySet<string>;
  /** What several exports of WordPress have for each other, by file. */
  wordpress?: ReadonlyMap<string, Library>;
  /** The posts that a table of Substack lists, by their files. */
  substack?: ReadonlyMap<string, CsvRow>;
  /** What the sections that contain the file give to their articles, outer ones first. */
  cascades?: readonly Cascade[];
  /** Absent: `NO_SITE`. */
  site?: Site;
  /** The outermost folder that other files may be read from: the site's root, or else the imported one. */
  root?: string;
  /** Where the files of pictures may be. */
  pictures?: Omit<PicturePlaces, "folder">;
  /** Addresses of articles by the paths of their files, as far as links to them were met; null: unknown. */
  addresses?: Map<string, string | null>;
  /** The files in `root`. */
  vault?: Vault;
  /** The file's path relative to `root`; absent: the file is sent alone. */
  pathInSite?: string;
  /** The generator that the importer named; absent: it is recognised. */
  dialect?: DialectName;
  /** Absent: every item is read. */
  begin?: Begin;
}

/** Called before each item; if false, it is skipped, and `PASSED` is yielded. @param bytes absent if unknown. */
type Begin = (source: string, bytes?: number) => boolean;

/** An item that `begin` skipped. */
export const PASSED = { kind: "passed" } as const;
export type ReadItem = ImportItem | typeof PASSED;

/** Reads the item unless `begin` skips it. A rejected item becomes a failed one. */
export function beginItem(
  { begin }: Pick<ImportContext, "begin">,
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

/** A readable file that evidently holds no articles: an error if the file was named, skipped if it is in a folder. */
export class NoArticles extends AppError {
  constructor(message: string) {
    super("invalid", message);
    this.name = "NoArticles";
  }
}

/** Size limit of one article within its file. */
export const MAX_ITEM_BYTES = 20 * 1024 * 1024;

/** Makes a draft from JSON fields; `undefined` is ignored, an invalid one fails. `hidden`: why not all may see it. */
export function toDraft(
  source: string,
  ref: string,
  article: Record<string, unknown>,
  hidden?: string | null,
): ImportItem {
  try {
    return {
      kind: "draft",
      source,
      ref,
      ...(hidden == null ? {} : { hidden }),
      // An empty draft can be exported, so it can be imported.
      input: requireComplete(parseArticleJson({ ...article, ...shortLabels(article) }), isOwnForm(article)),
    };
  } catch (error) {
    return failedItem(source, error);
  }
}

/** Shortens overlong labels: an article is not rejected because a tool produced a paragraph-long tag. */
export function shortLabels(article: Record<string, unknown>): Record<string, unknown> {
  const lists = ["categories", "tags", "seo_keywords"].filter((key) => Array.isArray(article[key]));
  return Object.fromEntries(lists.map((key) => [key, (article[key] as unknown[]).map(shortLabel)]));
}

function shortLabel(label: unknown): unknown {
  const most = ARTICLE_LIMITS.label;
  return typeof label === "string" && label.length > most ? `${label.slice(0, most - 1)}…` : label;
}

/** An AppError becomes the reason of a failed item; anything else is a bug and is rethrown. */
export function failedItem(source: string, error: unknown): ImportItem {
  // Recursion, here and in the libraries, ends with a RangeError on a file that is nested too deeply.
  if (error instanceof RangeError) return { kind: "failed", source, reason: "It is nested too deeply." };
  if (!(error instanceof AppError)) throw error;
  return {
    kind: "failed",
    source,
    reason: error.message,
    ...(error.field === undefined ? {} : { field: error.field }),
  };
}

/** The trimmed text, or `undefined` if it is blank. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  return value.trim() === "" ? undefined : value.trim();
}

/** Gives articles that share an identity ones of their own, else imports would overwrite them; skips identical ones. */
export async function* onceEach(items: AsyncIterable<ReadItem>): AsyncGenerator<ImportItem> {
  /** Fingerprints of the articles of each reference. Most references have one article, and a file may have millions. */
  const firsts = new Map<string, string>();
  const others = new Map<string, Set<string>>();
  for await (const item of items) {
    if (item.kind === "passed") continue;
    if (item.kind !== "draft" || item.input.id !== undefined) {
      yield item;
      continue;
    }
    const fingerprint = shortFingerprint(item.hash ?? hashInput(item.input));
    const first = firsts.get(item.ref);
    if (first === undefined) {
      firsts.set(item.ref, fingerprint);
      yield item;
      continue;
    }
    const further = others.get(item.ref) ?? new Set<string>();
    if (fingerprint === first || further.has(fingerprint)) {
      yield { kind: "skipped", source: item.source, reason: "The same article was read before." };
      continue;
    }
    others.set(item.ref, further.add(fingerprint));
    yield { ...item, ref: `${item.ref}#${further.size + 1}` };
  }
}

/** The first 96 bits of the hash, copied: a slice of the string would keep all of it in memory. */
function shortFingerprint(hash: string): string {
  return Buffer.from(hash.slice(0, 24), "hex").toString("latin1");
}
