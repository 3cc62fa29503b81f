/**
 * The process that reads the files of one import (import-reader.ts starts it). Like content-worker.ts it has no secrets and no
 * connections. Items are sent several at a time; if an item kills the process, a new one continues after that item.
 */
import { createReadStream } from "node:fs";
import { readDropped, readItems } from "../importers/import-source.ts";
import type { ReadItem } from "../importers/import-item.ts";
import { hashInput, withStatus } from "../operations/articles/import/import-items.ts";
import type { ReadJob, ReadStep } from "./messages.ts";
import { serveParent } from "./serve.ts";

/** Characters of the items that are sent together. */
const MAX_CHARACTERS = 500_000;

/**
 * Short items are announced at intervals only, because a message takes as long as reading one. They share the time limit of the
 * item announced last.
 */
const SHORT_BYTES = 100_000;
const ANNOUNCED_EVERY_MS = 20;
let announcedAt = -Infinity;

let steps: AsyncIterator<ReadStep> | undefined;

serveParent((send) => async (message) => {
  if (message.type === "read") {
    const onItem = (source: string, bytes = Number.POSITIVE_INFINITY) => {
      const now = performance.now();
      if (bytes <= SHORT_BYTES && now - announcedAt < ANNOUNCED_EVERY_MS) return;
      announcedAt = now;
      send({ type: "item", source, bytes });
    };
    steps = readSteps(message.job, onItem)[Symbol.asyncIterator]();
    return undefined;
  }
  if (message.type !== "next") throw new Error(`nothing to ${message.type} here`);
  // A new request has a limit of its own until an item is announced.
  announcedAt = -Infinity;
  return { type: "steps", steps: steps === undefined ? [] : await take(steps, message.count) };
});

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
  { from, websiteUrl, now, status, done }: ReadJob,
  onItem: (source: string, bytes: number | undefined) => void,
): AsyncGenerator<ReadStep> {
  let count = 0;
  let [bytesRead, bytesTotal] = [0, null as number | null];
  const options = {
    websiteUrl,
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
