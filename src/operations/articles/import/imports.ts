/**
 * Imports articles from a source. Items come in batches: the current articles of a batch's items are read at once,
 * their content is prepared outside any transaction, and one transaction saves them all, while the next batches are
 * prepared. A batch is durable before the next one is saved, and an interrupted import resumes where it stopped when it
 * is run again.
 */
import type { ArticleStatus } from "../../../domain/articles/article.ts";
import { FairQueue } from "../../../domain/system/fair-queue.ts";
import type { Website } from "../../../domain/system/website.ts";
import {
  type BatchOptions,
  type ImportDeps,
  type ImportRun,
  NONE_COUNTED,
  prepareBatch,
  recordImport,
  saveBatch,
  type UnsavedBatch,
  withCounts,
} from "./import-batch.ts";
import {
  type Draft,
  type ImportedItem,
  type ImportItem,
  withLanguages,
  withoutId,
  withStatus,
} from "./import-items.ts";
import { loadWebsite } from "../../../store/system/websites.ts";
import type { WarningKind } from "../../../domain/articles/warnings.ts";

export interface ImportOptions extends BatchOptions {
  /** Overrides the source's status. */
  status?: ArticleStatus;
  /** Whether the ids in the source are ignored. */
  newIds?: boolean;
  /** Maximum articles of a batch: saving it blocks the process, which may serve readers. */
  batchItems?: number;
  /** Maximum number of texts that it asks for at once. Keep it small where the website's editors use the same queue. */
  textsAtOnce?: number;
}

const BATCH_ITEMS = 50;
const TEXTS_AT_ONCE = 24;
/** Batches that are read and prepared meanwhile: with one, all wait for its last text. */
const BATCHES_AHEAD = 2;
/** Somebody else may change an article each time between its preparation and its saving. */
const MAX_ATTEMPTS = 5;
/** Per article of a batch. A batch of large articles ends early, so that no other writer waits long. */
const ITEM_CHARACTERS = 40_000;
/** Maximum number of items in a batch, so that skipped items are reported regularly. */
const MAX_REPORTED = 500;

/** Calls `onBatch` after each batch. @throws AppError `not_found` for the website; what an unreadable source throws. */
export async function importArticles(
  deps: ImportDeps,
  websiteId: string,
  items: AsyncIterable<ImportItem>,
  options: ImportOptions & { onBatch?: (summary: ImportSummary) => void },
): Promise<ImportSummary> {
  const summary = emptySummary();
  for await (const batch of importInBatches(deps, websiteId, items, options)) {
    for (const item of batch) addOutcome(summary, item);
    options.onBatch?.(summary);
  }
  return summary;
}

/** Yields each batch's outcomes once durable; saves no more if the caller stops. @throws as `importArticles`. */
export async function* importInBatches(
  given: ImportDeps,
  websiteId: string,
  items: AsyncIterable<ImportItem>,
  options: ImportOptions,
): AsyncGenerator<ImportedItem[]> {
  const deps: ImportDeps = { ...given, deriveContent: (id, source, at) => given.deriveContent(id, source, at, true) };
  const website = await deps.store.read((db) => loadWebsite(db, websiteId));
  const run: ImportRun = { id: deps.newId(), startedAt: deps.clock(), websiteId, actor: options.actor };
  const batches = toBatches(items, website, options);
  const atOnce = options.textsAtOnce ?? TEXTS_AT_ONCE;
  const texts = new FairQueue({ capacity: atOnce });
  const unsaved: UnsavedBatch[] = [];
  const readNext = async () => {
    const { value: items } = await batches.next();
    if (items === undefined) return undefined;
    const saved = Promise.withResolvers<void>();
    const prepared = prepareBatch(deps, website, items, options, { before: [...unsaved], texts });
    unsaved.push({ items, saved: saved.promise });
    // The error is thrown when the batches before have been reported.
    prepared.catch(() => undefined);
    const onSaved = () => {
      unsaved.shift();
      saved.resolve();
    };
    return { prepared, onSaved };
  };
  const ahead: ReturnType<typeof readNext>[] = [];
  const readAhead = () => {
    const next = readNext();
    next.catch(() => undefined);
    ahead.push(next);
  };
  let counts = NONE_COUNTED;
  /** Whether the audit log contains all counts. */
  let isNoted = true;
  try {
    for (let count = 0; count < BATCHES_AHEAD; count++) readAhead();
    for (let next = await ahead.shift(); next !== undefined; next = await ahead.shift()) {
      const batch = await next.prepared;
      readAhead();
      let saved = await saveBatch(deps, website, batch, options, run, counts);
      // People look at what was changed meanwhile, and import again.
      const attempts = options.actor.isMachine === true ? MAX_ATTEMPTS : 1;
      for (let attempt = 1; saved.stale.length > 0 && attempt < attempts; attempt++) {
        const again = await prepareBatch(deps, website, saved.stale, options, { before: [], texts });
        const others = saved.outcomes.filter(({ isStale }) => isStale !== true);
        const later = await saveBatch(deps, website, again, options, run, withCounts(counts, others));
        const replaced = later.outcomes.values();
        const outcomes = saved.outcomes.map((one) => (one.isStale === true ? (replaced.next().value ?? one) : one));
        saved = { ...later, outcomes };
      }
      const { outcomes, hasWritten } = saved;
      next.onSaved();
      counts = withCounts(counts, outcomes);
      isNoted = hasWritten;
      yield outcomes;
    }
  } finally {
    await batches.return(undefined);
  }
  // Saves the counts of items after the last batch with changes, too.
  if (!isNoted && !options.dryRun && counts.created + counts.updated + counts.held > 0) {
    await deps.store.write((db) => recordImport(db, run, counts));
  }
}

function withOptions(
  item: Draft,
  {
    status,
    newIds,
    slugsPerLanguage,
  }: { status: ArticleStatus | undefined; newIds: boolean } & Pick<Website, "slugsPerLanguage">,
): Draft {
  const wanted = withStatus(newIds ? withoutId(item) : item, status);
  return slugsPerLanguage ? withLanguages(wanted) : wanted;
}

async function* toBatches(
  items: AsyncIterable<ImportItem>,
  { slugsPerLanguage }: Pick<Website, "slugsPerLanguage">,
  { batchItems = BATCH_ITEMS, status, newIds = false }: Pick<ImportOptions, "batchItems" | "status" | "newIds">,
): AsyncGenerator<ImportItem[], undefined> {
  let batch: ImportItem[] = [];
  let drafts = 0;
  let characters = 0;
  for await (const item of items) {
    batch.push(item.kind === "draft" ? withOptions(item, { status, newIds, slugsPerLanguage }) : item);
    if (item.kind === "draft") {
      drafts++;
      characters += (item.input.content?.length ?? 0) + (item.input.markdown?.length ?? 0);
    }
    if (drafts >= batchItems || characters > batchItems * ITEM_CHARACTERS || batch.length >= MAX_REPORTED) {
      yield batch;
      batch = [];
      drafts = 0;
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

interface Told {
  source: string;
  reason: string;
}

/** What became of all items of an import. */
export interface ImportSummary {
  created: number;
  updated: number;
  unchanged: number;
  /** Items of which people have to apply or drop changes. */
  held: Told[];
  /** Those that are pending, unless people have published them: their site hides them, or they lost words. */
  hidden: Told[];
  failed: Told[];
  skipped: Told[];
  /** What articles lack of their sources: the first `MAX_WARNINGS`. */
  warnings: { source: string; kind: WarningKind; detail: string }[];
  /** How many there are. */
  warning_counts: Partial<Record<WarningKind, number>>;
  /** How many articles were read in the form of which generator. */
  dialects: Record<string, number>;
}

/** So that an import of any number of articles stays in memory. */
const MAX_WARNINGS = 10_000;

function emptySummary(): ImportSummary {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    held: [],
    hidden: [],
    failed: [],
    skipped: [],
    warnings: [],
    warning_counts: {},
    dialects: {},
  };
}

function addOutcome(summary: ImportSummary, item: ImportedItem): void {
  const { source, outcome, reason, warnings, dialect } = item;
  if (outcome === "held" || outcome === "failed" || outcome === "skipped") {
    summary[outcome].push({ source, reason: reason ?? "" });
  } else {
    summary[outcome]++;
    if (reason !== null) summary.hidden.push({ source, reason });
  }
  if (dialect !== undefined) summary.dialects[dialect] = (summary.dialects[dialect] ?? 0) + 1;
  for (const { kind, detail } of warnings) {
    summary.warning_counts[kind] = (summary.warning_counts[kind] ?? 0) + 1;
    if (summary.warnings.length < MAX_WARNINGS) summary.warnings.push({ source, kind, detail });
  }
}
