/** What the service (thread.ts) and its thread for long texts (worker.ts) say to each other. */
import type { Config } from "../config.ts";
import type { PackedError } from "../process/thread-errors.ts";
import type { ImportJob } from "../http/admin/articles/import-lines.ts";
import type { RequestFacts } from "../http/read-api/read-api.ts";
import type { LongReply, LongRequest } from "../http/admin/long-work.ts";
import type { Changes } from "../store/store.ts";

/** `call`: a number that the service gives each request and each import, and finds in the messages about it. */
export type ToLongWork =
  | { type: "request"; call: number; request: Omit<LongRequest, "body"> & { body: Uint8Array<ArrayBuffer> } }
  | { type: "import"; call: number; job: ImportJob }
  /** The next line of an import. */
  | { type: "next"; call: number }
  /** No more lines of an import are wanted. */
  | { type: "end"; call: number }
  /** The service stops. */
  | { type: "stopping" }
  /** Nothing is under way, and nothing will come. */
  | { type: "close" };

export type FromLongWork =
  | { type: "reply"; call: number; reply: Omit<LongReply, "body"> & { body: Uint8Array<ArrayBuffer> } }
  /** Null: there are no more. */
  | { type: "line"; call: number; line: string | null }
  | { type: "failed"; call: number; error: PackedError }
  | { type: "committed"; changes: Changes }
  | { type: "request failed"; facts: RequestFacts; error: PackedError }
  | { type: "error"; message: string; error: PackedError };

/** The same bytes, in memory that can be moved to another thread; `bytes` must not be used afterwards. */
export function movable(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

export interface LongWorkData {
  config: Config;
  /** The memory of its ContentCounters. */
  contentCounts: SharedArrayBuffer;
}
