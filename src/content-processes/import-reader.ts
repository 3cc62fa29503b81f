/**
 * Reads articles in a child process (import-worker.ts). A file over a limit ends only that; an item over one is
 * reported as failed, and a new process continues with the next.
 */
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ArticleStatus } from "../domain/articles/article.ts";
import type { Millis } from "../domain/system/time.ts";
import { AppError } from "../domain/system/errors.ts";
import { temporaryPrefix } from "../domain/system/temporary-names.ts";
import type { DialectName } from "../importers/site.ts";
import { type AddressPattern, onceEach, type ReadImportOptions } from "../importers/import-item.ts";
import type { DroppedFile, ImportItem } from "../operations/articles/import/import-items.ts";
import { ChildEnded } from "../process/child.ts";
import type { ImportCalls, ReadJob, ReadStep } from "./import-worker.ts";
import { type ContentCounters, contentProcess, explainEnd } from "./processes.ts";

/** CPU time allowed for what is read between two items (`FILE`) and for one item (`ITEM`). */
const MS_PER_MB = 10_000;
const MIN_ITEM_MS = 5_000;
const MAX_ITEM_MS = 20_000;
const MIN_FILE_MS = 20_000;
/** How many items of one import may exceed a limit; the next one ends the import. */
const MAX_OVERRUNS = 20;
/** A JSON document is in memory as a whole, as text and as the parsed value. */
const HEAP_MB = 96;
const HEAP_MB_PER_JSON_MB = 8;
/** Items that the process sends together, as long as none has exceeded a limit. */
const ITEMS_AT_ONCE = 32;

export interface ReaderOptions {
  websiteUrl: string | null;
  website?: AddressPattern;
  clock: () => Millis;
  status?: ArticleStatus | undefined;
  include?: readonly string[];
  dialect?: DialectName | null;
  onProgress?: (bytesRead: number, bytesTotal: number | null) => void;
  counters?: ContentCounters;
}

export async function* readDroppedFile(
  file: DroppedFile,
  options: ReaderOptions & { maxJsonBytes: number },
): AsyncGenerator<ImportItem> {
  const { maxJsonBytes } = options;
  const size = file.files?.bytes ?? (await stat(file.path)).size;
  const largest = file.files?.largestBytes ?? size;
  const heapMb = HEAP_MB + Math.ceil((Math.min(largest, maxJsonBytes) / 1_000_000) * HEAP_MB_PER_JSON_MB);
  const items = readSteps({ from: { file, maxJsonBytes }, name: file.name, size, heapMb }, options);
  // Lines of one id are upserts in turn, not copies of one article.
  yield* file.isBatch === true ? items : onceEach(items);
}

/** Reads the articles of a path (`readItems`); `-` is `stdin`. No memory limit, as only commands name paths. */
export async function* readPath(
  path: string,
  options: ReaderOptions & Pick<ReadImportOptions, "format" | "stdin">,
): AsyncGenerator<ImportItem> {
  const { format, stdin } = options;
  const read = async (from: ReadJob["from"] & { path: string }, name: string) => {
    const size = await stat(from.path).then(
      (found) => found.size,
      () => 0,
    );
    return onceEach(readSteps({ from, name, size, heapMb: null }, options));
  };
  if (path !== "-") {
    yield* await read({ path, isStdin: false, format }, path);
    return;
  }
  if (stdin === undefined) throw new AppError("invalid", "There is no standard input to read.", { field: "path" });
  const spool = join(tmpdir(), temporaryPrefix("import") + randomUUID().replaceAll("-", ""));
  try {
    // Other users of the machine must not read unpublished articles.
    await pipeline(stdin, createWriteStream(spool, { mode: 0o600, flags: "wx" }));
    yield* await read({ path: spool, isStdin: true, format }, "standard input");
  } finally {
    await rm(spool, { force: true });
  }
}

interface Reading {
  from: ReadJob["from"];
  name: string;
  /** Bytes; 0 for a folder. */
  size: number;
  heapMb: number | null;
}

async function* readSteps(
  { from, name, size, heapMb }: Reading,
  { websiteUrl, website, clock, status, include = [], dialect = null, onProgress, counters }: ReaderOptions,
): AsyncGenerator<ImportItem> {
  const betweenMs = Math.max(MIN_FILE_MS, (size / 1_000_000) * MS_PER_MB);
  const job: ReadJob = { from, websiteUrl, website, include, now: clock(), status: status ?? null, dialect, done: 0 };
  let count = ITEMS_AT_ONCE;
  let overruns = 0;
  let begun: string | undefined;
  const onPart = (item: { source: string; bytes: number }) => {
    begun = item.source;
    return Math.min(MAX_ITEM_MS, Math.max(MIN_ITEM_MS, (item.bytes / 1_000_000) * MS_PER_MB));
  };
  // If its process has ended between two calls, no item is at fault, and a new process continues.
  await using reader = contentProcess<ImportCalls>({
    program: "import-worker.ts",
    heapMb,
    ...(counters === undefined ? {} : { counters }),
  });
  const readNext = () => {
    const next = reader.ask("next", { job, count }, { cpuMs: betweenMs, onPart });
    next.catch(() => undefined);
    return next;
  };
  let next: Promise<ReadStep[]> | undefined;
  for (;;) {
    begun = undefined;
    let steps: ReadStep[];
    try {
      steps = await (next ?? readNext());
    } catch (error) {
      const isOverrun = error instanceof ChildEnded && (error.why === "time" || error.why === "memory");
      if (!isOverrun) throw explainEnd(error, String);
      next = undefined;
      if (count > 1) {
        // The items before the one at fault were not sent: a new process reads them again, one at a time.
        count = 1;
        continue;
      }
      const much = error.why === "time" ? "It takes too long to read" : "It takes too much memory to read";
      if (begun === undefined || overruns >= MAX_OVERRUNS) {
        yield { kind: "failed", source: begun ?? name, reason: `${much}: what comes after this place was not read.` };
        return;
      }
      overruns++;
      job.done++;
      yield { kind: "failed", source: begun, reason: `${much}: make it simpler or shorter.` };
      continue;
    }
    if (steps.length === 0) return;
    job.done += steps.length;
    // Reads on while the caller saves these items.
    next = count > 1 ? readNext() : undefined;
    for (const { item, bytesRead, bytesTotal } of steps) {
      onProgress?.(bytesRead, bytesTotal);
      yield item;
    }
  }
}
