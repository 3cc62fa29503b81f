/** Messages between the service (thread.ts) and its thread for long texts (worker.ts). */
import type { Config } from "../../process/config.ts";
import type { PackedError } from "../../process/thread-errors.ts";
import type { BulkJob } from "../../http/admin/articles/bulk-lines.ts";
import type { ImportJob } from "../../http/admin/articles/import-lines.ts";
import type { RequestFacts } from "../../http/request-log.ts";
import type { LongReply, LongRequest } from "../../http/admin/long-work.ts";
import type { Changes } from "../../store/store.ts";

/** `call`: the number that the service assigns to each request, import and bulk action, to match the messages about it. */
export type ToLongWork =
  | { type: "request"; call: number; request: Omit<LongRequest, "body"> & { body: Uint8Array<ArrayBuffer> } }
  | { type: "import"; call: number; job: ImportJob }
  | { type: "bulk"; call: number; job: BulkJob }
  /** Requests the next lines of an import or a bulk action. */
  | { type: "next"; call: number }
  /** Cancels the rest of it. */
  | { type: "end"; call: number }
  /** The service is stopping. */
  | { type: "stopping" }
  /** Ends the thread. Nothing is in progress, and nothing will follow. */
  | { type: "close" };

export type FromLongWork =
  | { type: "reply"; call: number; reply: Omit<LongReply, "body"> & { body: Uint8Array<ArrayBuffer> } }
  /** Null after the last line. */
  | { type: "line"; call: number; line: string | null }
  | { type: "failed"; call: number; error: PackedError }
  | { type: "committed"; changes: Changes }
  | { type: "request failed"; facts: RequestFacts; error: PackedError }
  | { type: "error"; message: string; error: PackedError };

/** The same bytes in memory that can be transferred to another thread; `bytes` must not be used afterwards. */
export function toTransferable(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

export interface LongWorkData {
  config: Config;
  /** The memory of the thread's ContentCounters. */
  contentCounts: SharedArrayBuffer;
}
