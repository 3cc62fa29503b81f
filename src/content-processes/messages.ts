/** The messages between the service and the processes that handle untrusted text. */
import type { ArticleStatus } from "../domain/articles/article.ts";
import type { Millis } from "../domain/system/time.ts";
import type { DerivedContent } from "../domain/articles/content/content.ts";
import type { PictureFacts } from "../domain/articles/assets/asset.ts";
import type { Rendition } from "../domain/articles/assets/rendition.ts";
import type { ContentSource } from "../domain/articles/content/content-source.ts";
import type { Redline, RedlineInput } from "../domain/articles/content/redline/redline.ts";
import type { Followed, FollowInput } from "../domain/articles/passages.ts";
import type { ErrorCode } from "../domain/system/errors.ts";
import type { ImportFormat } from "../importers/import-item.ts";
import type { DroppedFile } from "../importers/import-source.ts";
import type { ImportItem } from "../operations/articles/import/import-items.ts";

export type ToContentProcess =
  /** Several short texts share a message and its reply. */
  | { type: "derive"; texts: { source: ContentSource; startedAt: Millis }[] }
  | { type: "compare"; before: RedlineInput; after: RedlineInput }
  | { type: "findPassages"; input: FollowInput }
  /** Names the file to read; has no reply. */
  | { type: "read"; job: ReadJob }
  /** Asks for the next items, at most as many. */
  | { type: "next"; count: number }
  /** Checks a picture's file and writes it without metadata to `cleaned`, which must not exist. */
  | { type: "inspect"; path: string; cleaned: string }
  /** Writes a form of a picture to `target`, which must not exist; nothing if it has none. */
  | { type: "render"; request: RenderRequest };

export type FromContentProcess =
  | { type: "ready" }
  /** In the order of the texts, some at a time. */
  | { type: "derived"; results: (DerivedContent | Refusal)[]; isLast: boolean }
  | { type: "compared"; redline: Redline }
  | { type: "passages"; followed: Followed }
  /** None after the last item. */
  | { type: "steps"; steps: ReadStep[] }
  /** Announces the item being processed, with its length if known; the reply follows. */
  | { type: "item"; source: string; bytes: number | undefined }
  | { type: "inspected"; picture: InspectedPicture }
  | { type: "rendered" }
  | Refusal;

export type Refusal =
  | { type: "refused"; code: ErrorCode; message: string; field: string | undefined }
  | { type: "failed"; message: string; stack: string | undefined };

export interface ReadJob {
  /** `isStdin`: the file is a copy of standard input. `file`: dropped in the dashboard and stored under another name. */
  from: { path: string; isStdin: boolean; format: "auto" | ImportFormat } | { file: DroppedFile; maxJsonBytes: number };
  websiteUrl: string | null;
  /** Later dates are in the future. */
  now: number;
  /** Overrides the status in the source. */
  status: ArticleStatus | null;
  /** Number of items that earlier processes have handled. */
  done: number;
}

/** The next item and the progress. */
export interface ReadStep {
  item: ImportItem;
  bytesRead: number;
  bytesTotal: number | null;
}

export interface RenderRequest extends Rendition {
  path: string;
  target: string;
}

export interface InspectedPicture {
  facts: PictureFacts;
  /** Of the cleaned file; SHA-256, hexadecimal. */
  hash: string;
  bytes: number;
}
