/** Reads the files of one import (import-reader.ts), without secrets and connections; several items at a time. */
import { createReadStream } from "node:fs";
import type { ArticleStatus } from "../domain/articles/article.ts";
import { readDropped, readItems } from "../importers/import-source.ts";
import type { DialectName } from "../importers/site.ts";
import type { AddressPattern, ImportFormat, ReadItem } from "../importers/import-item.ts";
import {
  type DroppedFile,
  hashInput,
  type ImportItem,
  withStatus,
} from "../operations/articles/import/import-items.ts";
import { answerService } from "./answer-service.ts";

export interface ReadJob {
  /** `isStdin`: the file is a copy of standard input. `file`: dropped in the dashboard, stored under another name. */
  from: { path: string; isStdin: boolean; format: "auto" | ImportFormat } | { file: DroppedFile; maxJsonBytes: number };
  websiteUrl: string | null;
  website?: AddressPattern | undefined;
  include: readonly string[];
  /** Later dates are in the future. */
  now: number;
  status: ArticleStatus | null;
  /** null: it is recognised. */
  dialect: DialectName | null;
  /** Number of items that earlier processes have handled. */
  done: number;
}

export interface ReadStep {
  item: ImportItem;
  bytesRead: number;
  bytesTotal: number | null;
}

/** Characters of the items that are sent together. */
const MAX_CHARACTERS = 500_000;

/** Short items are announced at intervals, as a message takes as long as reading one; they share a time limit. */
const SHORT_BYTES = 100_000;
const ANNOUNCED_EVERY_MS = 20;
let announcedAt = -Infinity;
let announce: (source: string, bytes?: number) => void;

let steps: AsyncIterator<ReadStep> | undefined;

const calls = {
  /** The next items, at most `count`; none after the last. `job` is for the first call. `send` announces an item. */
  async next(
    { job, count }: { job: ReadJob; count: number },
    send: (item: { source: string; bytes: number }) => void,
  ): Promise<ReadStep[]> {
    // Each call has a limit of its own until an item is announced.
    announcedAt = -Infinity;
    announce = (source, bytes = Number.POSITIVE_INFINITY) => {
      const now = performance.now();
      if (bytes <= SHORT_BYTES && now - announcedAt < ANNOUNCED_EVERY_MS) return;
      announcedAt = now;
      send({ source, bytes });
    };
    steps ??= readSteps(job, (source, bytes) => announce(source, bytes))[Symbol.asyncIterator]();
    return take(steps, count);
  },
};
export type ImportCalls = typeof calls;

answerService(calls);

/** Why nothing more can be read; reported once the items before it have been sent. */
let failure: unknown;

async function take(from: AsyncIterator<ReadStep>, count: number): Promise<ReadStep[]> {
  if (failure !== undefined) throw failure;
  const taken: ReadStep[] = [];
  try {
    for (let characters = 0; taken.length < count && characters < MAX_CHARACTERS;) {
      const next = await from.next();
      if (next.done === true) break;
      taken.push(next.value);
      const { item } = next.value;
      if (item.kind === "draft") characters += (item.input.content?.length ?? 0) + (item.input.markdown?.length ?? 0);
    }
  } catch (error) {
    if (taken.length === 0) throw error;
    failure = error;
  }
  return taken;
}

/** Calls `onItem` before an item is parsed. */
async function* readSteps(
  { from, websiteUrl, website, include, now, status, dialect, done }: ReadJob,
  onItem: (source: string, bytes: number | undefined) => void,
): AsyncGenerator<ReadStep> {
  let count = 0;
  let [bytesRead, bytesTotal] = [0, null as number | null];
  const options = {
    websiteUrl,
    ...(website === undefined ? {} : { website }),
    include,
    ...(dialect === null ? {} : { dialect }),
    clock: () => now,
    onProgress: (read: number, total: number | null) => {
      bytesRead = read;
      bytesTotal = total;
    },
    begin: (source: string, bytes?: number) => {
      if (count >= done) onItem(source, bytes);
      return count >= done;
    },
  };
  const items: AsyncIterable<ReadItem> =
    "file" in from
      ? readDropped(from.file, { ...options, maxJsonBytes: from.maxJsonBytes })
      : from.isStdin
        ? readItems("-", { ...options, format: from.format, stdin: createReadStream(from.path) })
        : readItems(from.path, { ...options, format: from.format });
  for await (const item of items) {
    count++;
    if (count <= done || item.kind === "passed") continue;
    if (item.kind !== "draft") {
      yield { item, bytesRead, bytesTotal };
      continue;
    }
    const draft = withStatus(item, status ?? undefined);
    yield { item: { ...draft, hash: hashInput(draft.input) }, bytesRead, bytesTotal };
  }
}
