/** The items of an import, and their outcomes. */
import { hash } from "node:crypto";
import type { ArticleInput, ArticleStatus } from "../../../domain/articles/article.ts";
import { type Warning, Warnings } from "../../../domain/articles/warnings.ts";

/** `source` is shown to people; `ref` is the item's stable identity within its source, wherever its files are. */
export type ImportItem =
  | {
      kind: "draft";
      source: string;
      ref: string;
      input: ArticleInput;
      /** The input before pictures got their addresses here. */
      brought?: ArticleInput;
      /** `hashInput(input)`, if already computed. */
      hash?: string;
      /** The client's own id of the article. */
      externalId?: string;
      /** Why its site does not show it to everybody, or its text may not go live by itself: then it is pending. */
      hidden?: string;
      /** Its main picture, by the path that its source gives. */
      mainPicture?: { path: string; alt: string | undefined };
      /** Where the files of its pictures may be; absent: in the imported folder. */
      pictures?: PicturePlaces;
      /** What its source has, and the article lacks or only guesses. */
      warnings?: readonly Warning[];
      /** The generator in whose form it was read, as people know it, e.g. `Jekyll`. */
      dialect?: string;
      /** Whether the importer named the status in place of the source. */
      isStatusGiven?: true;
      /** Replaces these fields on websites whose slugs are unique within each language. */
      inLanguages?: Pick<ArticleInput, "slug" | "translationGroup">;
    }
  /** A broken article. It does not stop the others. */
  | { kind: "failed"; source: string; reason: string; externalId?: string; field?: string | undefined }
  /** Deliberately not an article: a page, an attachment, a comment, a licence, an image … */
  | { kind: "skipped"; source: string; reason: string };

/** Folders on this machine. */
export interface PicturePlaces {
  /** That of the article's file. */
  folder: string;
  /** Nothing outside it is read for a path that begins at the article's file. */
  root: string;
  /** Those that the site serves at `/`. */
  served: readonly string[];
  /** Address of the site, without a slash at the end; null: unknown. */
  url: string | null;
}

export type Draft = Extract<ImportItem, { kind: "draft" }>;

const FILE_KINDS = ["markdown", "html"] as const;

/** Reference of an article that is a file. `name`: its path within the folder. */
export function fileRef(kind: (typeof FILE_KINDS)[number], name: string): string {
  return `${kind}:${name.normalize("NFC")}`;
}

/** Those that the article of a file may have. */
export function fileRefs(name: string): string[] {
  return FILE_KINDS.map((kind) => fileRef(kind, name));
}

/** The items, and after them some more. */
export async function* withItems(
  items: AsyncIterable<ImportItem>,
  more: readonly ImportItem[],
): AsyncGenerator<ImportItem> {
  yield* items;
  yield* more;
}

/** Shows whether a source's article has changed since it was last imported. */
export function hashInput(input: ArticleInput): string {
  return hash("sha256", JSON.stringify(input));
}

/** The item with `status` in place of the source's status, unless its site hides it. */
export function withStatus(item: Draft, status: ArticleStatus | undefined): Draft {
  if (status === undefined || item.input.status === status || item.hidden !== undefined) return item;
  const { hash: _hash, ...others } = item;
  const brought = item.brought === undefined ? {} : { brought: { ...item.brought, status } };
  return { ...others, ...brought, isStatusGiven: true, input: { ...item.input, status } };
}

/** The item without its id, so that it becomes an article of its own: it is recognised by its reference alone. */
export function withoutId(item: Draft): Draft {
  const { id: _id, ...input } = item.input;
  return { ...item, hash: item.hash ?? hashInput(item.input), input };
}

/** The item as one of several languages. Its hash stays: what was imported before is unchanged. */
export function withLanguages(item: Draft): Draft {
  if (item.inLanguages === undefined) return item;
  const brought = item.brought === undefined ? {} : { brought: { ...item.brought, ...item.inLanguages } };
  return {
    ...item,
    ...brought,
    hash: item.hash ?? hashInput(item.input),
    input: { ...item.input, ...item.inLanguages },
  };
}

/** The item with what its text lacks or shows, besides what its importer knows of it. */
export function withWarnings(item: Draft, derived: readonly Warning[]): Draft {
  if (derived.length === 0) return item;
  const all = new Warnings();
  all.addAll(item.warnings ?? []);
  all.addAll(derived);
  return { ...item, warnings: all.list };
}

/** The outcome of one item. */
export interface ImportedItem {
  source: string;
  externalId?: string | undefined;
  outcome: "created" | "updated" | "held" | "unchanged" | "failed" | "skipped";
  /** null if there is none. */
  articleId: string | null;
  /** null if it is unknown. */
  title: string | null;
  /** Why it was held, failed, was skipped, or is pending: its site hides it, or it lost words or shows source markup. */
  reason: string | null;
  /** What its source has, and the article lacks or only guesses. */
  warnings: readonly Warning[];
  /** The generator in whose form it was read. */
  dialect?: string | undefined;
  /** The API names of the fields that were held. */
  heldFields?: string[];
  /** The field that is invalid. */
  field?: string | undefined;
  /** Somebody else changed the article meanwhile: another attempt may succeed. */
  isStale?: true;
}

export function toOutcome(
  item: ImportItem,
  outcome: ImportedItem["outcome"],
  more: Partial<Pick<ImportedItem, "articleId" | "reason" | "heldFields" | "field">>,
): ImportedItem {
  const title = item.kind === "draft" ? (item.input.title ?? null) : null;
  const externalId = item.kind === "skipped" ? undefined : item.externalId;
  const { warnings = [], dialect } = item.kind === "draft" ? item : {};
  return { source: item.source, externalId, outcome, articleId: null, title, reason: null, warnings, dialect, ...more };
}

/** An uploaded file, which is stored here under another name. */
export interface DroppedFile {
  path: string;
  /** Original name, with its folders separated by `/`; a file that was dropped by itself has none. */
  name: string;
  /** The single folder that contained everything: `name` begins with it. Null: there are several. */
  folder: string | null;
  /** Lines of JSON, an article each, with its client's `external_id`. */
  isBatch?: boolean;
  /** Set if `path` is a folder with all files of an upload. */
  files?: UnpackedFiles;
}

export interface UnpackedFiles {
  /**
   * `push`: files of a repository (push-archive.ts). `zip`: of a zip archive (zip-archive.ts). `drop`: of one drop, which stand for
   * `folder`, or for what they were dropped from (dropped-files.ts).
   */
  from: "push" | "zip" | "drop";
  bytes: number;
  largestBytes: number;
}
