/** Imports an uploaded file, and reports the outcome as the lines of the response. */
import { AppError } from "../../../domain/system/errors.ts";
import type { Actor, Deps } from "../../../operations/system/deps.ts";
import type { ImportedItem, ImportItem } from "../../../operations/articles/import-items.ts";
import { type ImportCounts, NONE_COUNTED } from "../../../operations/articles/import-batch.ts";
import { importInBatches } from "../../../operations/articles/imports.ts";
import type { ImportLine, ImportQuery } from "../contract/imports.ts";

/** The document is in memory as a whole, several times over. */
const MAX_JSON_BYTES = 50_000_000;
/** Saving a batch takes some ten milliseconds, for which other writers wait. */
const BATCH_ITEMS = 10;
/** Four imports of one website leave half of its queue of texts to its editors. */
const TEXTS_AT_ONCE = 6;

/** Reads the articles of a dropped file, which is at `path`; `name` and `folder` are as the browser sent them. */
export type ReadImport = (
  file: { path: string; name: string; folder: string | null },
  options: {
    websiteUrl: string | null;
    /** Size limit of one JSON document. */
    maxJsonBytes: number;
    clock: Deps["clock"];
    onProgress: (bytesRead: number, bytesTotal: number | null) => void;
  },
) => AsyncIterable<ImportItem>;

interface ImportDeps {
  deps: Deps;
  readImport: ReadImport;
  onError: (error: unknown, message: string) => void;
  /** Aborted when the service stops. */
  stopping: AbortSignal;
}

export interface ImportJob {
  path: string;
  websiteId: string;
  websiteUrl: string | null;
  actor: Actor;
  query: ImportQuery;
}

/** Ends after the current batch when the consumer stops reading. */
export async function* importLines(
  { deps, readImport, onError, stopping }: ImportDeps,
  { path, websiteId, websiteUrl, actor, query }: ImportJob,
): AsyncGenerator<string, void> {
  const {
    name,
    folder = null,
    status,
    review_state: reviewState,
    events,
    dry_run: dryRun,
    accept_loss: acceptLoss,
  } = query;
  let part = 0;
  const counts: ImportCounts = { ...NONE_COUNTED };
  const progress = () =>
    serializeLine({ kind: "progress", done: counts.created + counts.updated + counts.unchanged, part });
  try {
    yield progress();
    const items = readImport(
      { path, name, folder },
      {
        websiteUrl,
        maxJsonBytes: MAX_JSON_BYTES,
        clock: deps.clock,
        onProgress: (read, total) => {
          part = total === null || total === 0 ? 0 : Math.min(1, read / total);
        },
      },
    );
    const batches = importInBatches(deps, websiteId, items, {
      actor,
      events: events === "true",
      dryRun: dryRun === "true",
      acceptLoss: acceptLoss === "true",
      reviewState,
      batchItems: BATCH_ITEMS,
      textsAtOnce: TEXTS_AT_ONCE,
      ...(status === undefined ? {} : { status }),
    });
    for await (const batch of batches) {
      for (const { outcome } of batch) counts[outcome]++;
      yield batch.map((item) => serializeLine(present(item))).join("") + progress();
      if (stopping.aborted) {
        yield serializeLine({ kind: "error", message: STOPPING });
        return;
      }
    }
    yield serializeLine({ kind: "summary", ...counts });
  } catch (error) {
    if (!(error instanceof AppError)) onError(error, "an import failed");
    yield failureLine(error);
  }
}

/** The last line of a failed import. */
export function failureLine(error: unknown): string {
  return serializeLine({ kind: "error", message: error instanceof AppError ? error.message : FAILED });
}

const STOPPING = "The service is stopping. What is in the list is kept; drop the file again in a moment to go on.";
const FAILED = "Something went wrong on the server, and its log says what. What is in the list is kept.";

function present(item: ImportedItem): ImportLine {
  const { source, outcome, articleId, title, reason } = item;
  return { kind: "item", source, outcome, article_id: articleId, title, reason };
}

function serializeLine(line: ImportLine): string {
  return `${JSON.stringify(line)}\n`;
}
