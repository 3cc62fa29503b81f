/**
 * The process that reads the files of one import (import-reader.ts starts it). Like content-worker.ts it has no secrets and no
 * connections. Each item is sent as it is read; if an item kills the process, a new one continues after that item.
 */
import { createReadStream } from "node:fs";
import { readDropped, readItems } from "../importers/import-source.ts";
import type { ReadItem } from "../importers/import-item.ts";
import { hashInput, withStatus } from "../operations/articles/import-items.ts";
import type { ReadJob, ReadStep } from "./messages.ts";
import { serve } from "./serve.ts";

let steps: AsyncIterator<ReadStep> | undefined;

serve((send) => async (message) => {
  if (message.type === "read") {
    steps = readSteps(message.job, (source, bytes) => send({ type: "item", source, bytes }))[Symbol.asyncIterator]();
    return undefined;
  }
  const next = await steps?.next();
  return { type: "step", step: next === undefined || next.done === true ? null : next.value };
});

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
