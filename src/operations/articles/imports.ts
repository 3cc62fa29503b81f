/**
 * Articles from a source. Items come in batches: what the batch's items are now is read at once, their content is
 * prepared outside any transaction, and one transaction saves them all. A batch is durable when the next one begins,
 * and an import that was stopped goes on where it was when it is run again.
 */
import type { ArticleStatus } from "../../domain/articles/article.ts";
import { type BatchOptions, importBatch, type ImportDeps } from "./import-batch.ts";
import { type ImportedItem, type ImportItem, withStatus } from "./import-items.ts";
import { type ImportRun, NONE_COUNTED, noteImport, withCounts } from "./import-audit.ts";
import { loadWebsite } from "./article-persistence.ts";

export interface ImportOptions extends BatchOptions {
  /** Instead of what the source says. */
  status?: ArticleStatus;
  /** Most articles of a batch. A process that has readers to serve takes few: it stands still while it saves them. */
  batchItems?: number;
}

export interface ImportSummary {
  created: number;
  updated: number;
  unchanged: number;
  failed: { source: string; reason: string }[];
  skipped: { source: string; reason: string }[];
}

const BATCH_ITEMS = 50;
/** For each article of a batch: it ends early when its articles are large, so that a writer is never held up for long. */
const ITEM_CHARACTERS = 40_000;
/** What was left out is told of so often. */
const MAX_REPORTED = 500;

/**
 * All of them. `onBatch` is called after each batch.
 *
 * @throws AppError `not_found` for the website; whatever the source throws when it cannot be read at all.
 */
export async function importArticles(
  deps: ImportDeps,
  websiteId: string,
  items: AsyncIterable<ImportItem>,
  options: ImportOptions & { onBatch?: (summary: ImportSummary) => void },
): Promise<ImportSummary> {
  const summary: ImportSummary = { created: 0, updated: 0, unchanged: 0, failed: [], skipped: [] };
  for await (const batch of importInBatches(deps, websiteId, items, options)) {
    for (const { source, outcome, reason } of batch) {
      if (outcome === "failed" || outcome === "skipped") summary[outcome].push({ source, reason: reason ?? "" });
      else summary[outcome]++;
    }
    options.onBatch?.(summary);
  }
  return summary;
}

/**
 * Yields what has become of the items of each batch, in their order, once it is durable. Whoever asks for no more ends the
 * import with the batch under way.
 *
 * @throws as `importArticles`.
 */
export async function* importInBatches(
  deps: ImportDeps,
  websiteId: string,
  items: AsyncIterable<ImportItem>,
  options: ImportOptions,
): AsyncGenerator<ImportedItem[]> {
  const { batchItems = BATCH_ITEMS } = options;
  const website = await deps.store.read((db) => loadWebsite(db, websiteId));
  const run: ImportRun = { id: deps.newId(), startedAt: deps.clock(), websiteId, actor: options.actor };
  let counts = NONE_COUNTED;
  /** Whether the audit log has heard of everything that was counted. */
  let isNoted = true;
  let batch: ImportItem[] = [];
  let drafts = 0;
  let characters = 0;
  const flush = async (): Promise<ImportedItem[]> => {
    const { outcomes, hasWritten } = await importBatch(deps, website, batch, options, run, counts);
    counts = withCounts(counts, outcomes);
    isNoted = hasWritten;
    batch = [];
    drafts = 0;
    characters = 0;
    return outcomes;
  };
  for await (const item of items) {
    batch.push(item.kind === "draft" ? withStatus(item, options.status) : item);
    if (item.kind === "draft") {
      drafts++;
      characters += (item.input.content?.length ?? 0) + (item.input.markdown?.length ?? 0);
    }
    if (drafts >= batchItems || characters > batchItems * ITEM_CHARACTERS || batch.length >= MAX_REPORTED) {
      yield await flush();
    }
  }
  if (batch.length > 0) yield await flush();
  // What came after the last batch that changed anything is counted, too.
  if (!isNoted && !options.dryRun && counts.created + counts.updated > 0) {
    await deps.store.write((db) => noteImport(db, run, counts));
  }
}
