/** Imports an uploaded file, and reports the outcome as the lines of the response. */
import { AppError } from "../../../domain/system/errors.ts";
import type { Website } from "../../../domain/system/website.ts";
import type { Actor, Deps } from "../../../operations/system/deps.ts";
import { importArchive, isArchive } from "../../../operations/articles/assets/asset-archive.ts";
import {
  type CopiedPicture,
  type HostFailures,
  withCopies,
} from "../../../operations/articles/assets/copy-pictures.ts";
import {
  type DroppedFile,
  type ImportedItem,
  type ImportItem,
  type UnpackedFiles,
  withItems,
} from "../../../operations/articles/import/import-items.ts";
import { type ImportCounts, NONE_COUNTED } from "../../../operations/articles/import/import-batch.ts";
import { withPictures } from "../../../operations/articles/import/import-pictures.ts";
import { importInBatches } from "../../../operations/articles/import/imports.ts";
import { isZip, unzip } from "../../../operations/articles/import/zip-archive.ts";
import { unpackFiles } from "../../../operations/articles/import/dropped-files.ts";
import { extractPush } from "../../../operations/articles/import/push-archive.ts";
import { moveFiles, PushRecord, removeFiles } from "../../../operations/articles/import/pushed-files.ts";
import type { BatchLine, ImportLine, ImportParameters, ImportWarning, PushLine } from "../contract/imports.ts";

/** The document is in memory as a whole, several times over. */
const MAX_JSON_BYTES = 50_000_000;
/** Saving a batch takes some ten milliseconds, for which other writers wait. */
const BATCH_ITEMS = 10;
/** Machines bring many articles, and wait for all of them. */
const MACHINE_BATCH_ITEMS = 50;
/** Four imports of one website leave half of its queue of texts to its editors. */
const TEXTS_AT_ONCE = 6;

/** Reads the articles of a dropped file; `name` and `folder` are as the browser sent them. */
export type ReadImport = (
  file: DroppedFile,
  options: {
    websiteUrl: string | null;
    website?: Pick<Website, "urlPattern" | "language">;
    maxJsonBytes: number;
    clock: Deps["clock"];
    onProgress: (bytesRead: number, bytesTotal: number | null) => void;
  },
) => AsyncIterable<ImportItem>;

interface ImportDeps {
  deps: Deps;
  readImport: ReadImport;
  onError: (error: unknown, message: string) => void;
  stopping: AbortSignal;
  /** Counts failures of the hosts that pictures are copied from. */
  failures: HostFailures;
}

export interface ImportJob {
  path: string;
  website: Website;
  /** Beginning of the addresses of the website's pictures. */
  base: string;
  actor: Actor;
  query: ImportParameters;
  /** A line of JSON for each article, with an `external_id`. */
  isBatch?: boolean;
  /** An archive with files of a repository. */
  isPush?: boolean;
}

/** Proxies and the service itself end responses that send nothing for a minute. */
const MAX_SILENT_MS = 10_000;

/** Ends after the current batch when the consumer stops reading. */
export async function* importLines(
  { deps, readImport, onError, stopping, failures }: ImportDeps,
  { path, website, base, actor, query, isBatch = false, isPush = false }: ImportJob,
): AsyncGenerator<string, void> {
  const { name, folder = null, status, review_state: reviewState } = query;
  const dryRun = query.dry_run === "true";
  const origin = { actor: actor.id, address: actor.address ?? null };
  const report = new Report(isPush ? presentFile : isBatch ? presentLine : present);
  const leaving = new AbortController();
  await using opened = new AsyncDisposableStack();
  try {
    yield report.progress();
    const isDrop = query.files === "true";
    const dropping = isDrop ? unpackFiles(path, folder) : Promise.resolve(null);
    opened.defer(async () => {
      await (await dropping.catch(() => null))?.[Symbol.asyncDispose]();
    });
    yield* untilDone(dropping, report);
    const drop = await dropping;
    const isFile = !isBatch && !isPush && !isDrop;
    const archive =
      isFile && (await isArchive(path))
        ? importArchive(deps, path, dryRun ? null : { website, base, origin })
        : Promise.resolve(null);
    opened.defer(async () => {
      await (await archive.catch(() => null))?.[Symbol.asyncDispose]();
    });
    yield* untilDone(archive, report);
    const unpacked = await archive;
    const unzipping = isFile && (await isZip(path, name)) ? unzip(path, name) : Promise.resolve(null);
    opened.defer(async () => {
      await (await unzipping.catch(() => null))?.[Symbol.asyncDispose]();
    });
    yield* untilDone(unzipping, report);
    const zip = await unzipping;
    const push = isPush ? opened.use(await extractPush(path)) : null;
    if (push !== null && !dryRun) await moveFiles(deps, website.id, push.manifest.moved);
    const found = readImport(
      push !== null
        ? { path: push.folder, name, folder: null, files: toFiles("push", push) }
        : zip !== null
          ? { path: zip.root, name, folder: null, files: toFiles("zip", zip) }
          : drop !== null
            ? { path: drop.root, name, folder, files: toFiles("drop", drop) }
            : unpacked === null
              ? { path, name, folder, isBatch }
              : { path: unpacked.articles, name: ARTICLES, folder: null },
      {
        websiteUrl: website.url,
        website: { urlPattern: website.urlPattern, language: website.language },
        maxJsonBytes: MAX_JSON_BYTES,
        clock: deps.clock,
        onProgress: (read, total) => {
          report.part = total === null || total === 0 ? 0 : Math.min(1, read / total);
        },
      },
    );
    const folderOfPictures = push?.root ?? zip?.root ?? drop?.root;
    const complete =
      folderOfPictures !== undefined
        ? withPictures(deps, found, { root: folderOfPictures, website, base, origin }, { dryRun })
        : found;
    const items =
      query.copy_images === "true" && !dryRun
        ? withCopies(
            deps,
            complete,
            { website, base, origin },
            {
              failures,
              signal: AbortSignal.any([stopping, leaving.signal]),
              onPicture: (picture) => report.addPicture(picture),
            },
          )
        : complete;
    const record = push && new PushRecord(push.manifest);
    const batches = importInBatches(deps, website.id, withItems(items, (unpacked ?? zip)?.skipped ?? []), {
      actor,
      events: query.events === "true",
      dryRun,
      acceptLoss: query.accept_loss === "true",
      overwrite: query.overwrite === "true",
      reviewState,
      batchItems: isBatch || isPush ? MACHINE_BATCH_ITEMS : BATCH_ITEMS,
      textsAtOnce: TEXTS_AT_ONCE,
      ...(status === undefined ? {} : { status }),
    });
    opened.defer(async () => void (await batches.return(undefined)));
    opened.defer(() => leaving.abort());
    for (;;) {
      const next = batches.next();
      yield* untilDone(next, report);
      const result = await next;
      if (result.done !== true) {
        for (const item of result.value) record?.add(item);
        yield report.addBatch(result.value);
      }
      if (stopping.aborted) {
        yield serializeLine({ kind: "error", message: STOPPING });
        return;
      }
      if (result.done === true) break;
    }
    if (!dryRun) await record?.save(deps, website.id, actor.id);
    const removed = await removeFiles(deps, website.id, push?.manifest.removed ?? [], { actor, dryRun });
    for (const { path, articleId } of removed) yield serializeLine({ kind: "removal", path, id: articleId });
    yield report.summary();
  } catch (error) {
    if (!(error instanceof AppError)) onError(error, "an import failed");
    yield failureLine(error);
  }
}

const ARTICLES = "articles.ndjson";

/** Without what another process cannot get. */
function toFiles(from: UnpackedFiles["from"], { bytes, largestBytes }: Omit<UnpackedFiles, "from">): UnpackedFiles {
  return { from, bytes, largestBytes };
}

/** Yields what happens meanwhile, and progress at intervals. */
async function* untilDone(work: Promise<unknown>, report: Report): AsyncGenerator<string> {
  let isDone = false;
  const done = work.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  for (;;) {
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, MAX_SILENT_MS);
    await Promise.race([done, report.arrival, timer.promise]);
    clearTimeout(timeout);
    if (isDone) return;
    yield report.takePictures() + report.progress();
  }
}

class Report {
  readonly #counts: ImportCounts = { ...NONE_COUNTED };
  readonly #present: (item: ImportedItem) => ImportLine | BatchLine | PushLine;
  #pictures = "";
  #arrival = Promise.withResolvers<void>();
  /** Fraction of the file that was read. */
  part = 0;

  constructor(presentItem: (item: ImportedItem) => ImportLine | BatchLine | PushLine) {
    this.#present = presentItem;
  }

  /** Resolves when there is a picture to report. */
  get arrival(): Promise<void> {
    return this.#arrival.promise;
  }

  addPicture({ url, reason }: CopiedPicture): void {
    this.#pictures += serializeLine({ kind: "picture", url, reason });
    this.#arrival.resolve();
  }

  takePictures(): string {
    const lines = this.#pictures;
    this.#pictures = "";
    this.#arrival = Promise.withResolvers();
    return lines;
  }

  /** @returns the lines to send. */
  addBatch(batch: readonly ImportedItem[]): string {
    for (const { outcome } of batch) this.#counts[outcome]++;
    return this.takePictures() + batch.map((item) => serializeLine(this.#present(item))).join("") + this.progress();
  }

  progress(): string {
    const { created, updated, held, unchanged } = this.#counts;
    return serializeLine({ kind: "progress", done: created + updated + held + unchanged, part: this.part });
  }

  summary(): string {
    return this.takePictures() + serializeLine({ kind: "summary", ...this.#counts });
  }
}

export function failureLine(error: unknown): string {
  return serializeLine({ kind: "error", message: error instanceof AppError ? error.message : FAILED });
}

export function stoppedLine(done: number): string {
  return serializeLine({ kind: "stopped", done });
}

const STOPPING = "The service is stopping. What is in the list is kept; drop the file again in a moment to go on.";
const FAILED = "Something went wrong on the server, and its log says what. What is in the list is kept.";

function present(item: ImportedItem): ImportLine {
  const { source, outcome, articleId, title, reason } = item;
  return { kind: "item", source, outcome, article_id: articleId, title, reason, warnings: presentWarnings(item) };
}

function presentLine(item: ImportedItem): BatchLine {
  const { source, outcome, articleId, externalId, heldFields, field, reason } = item;
  return {
    kind: "item",
    line: Number(source),
    outcome,
    id: articleId,
    external_id: externalId ?? null,
    held_fields: heldFields ?? [],
    param: field ?? null,
    message: reason,
    warnings: presentWarnings(item),
  };
}

function presentFile(item: ImportedItem): PushLine {
  const { source, outcome, articleId, heldFields, field, reason } = item;
  return {
    kind: "item",
    path: source,
    outcome,
    id: articleId,
    held_fields: heldFields ?? [],
    param: field ?? null,
    message: reason,
    warnings: presentWarnings(item),
  };
}

function presentWarnings({ warnings }: ImportedItem): ImportWarning[] {
  return warnings.map(({ kind, detail }) => ({ kind, detail }));
}

function serializeLine(line: ImportLine | BatchLine | PushLine): string {
  return `${JSON.stringify(line)}\n`;
}
