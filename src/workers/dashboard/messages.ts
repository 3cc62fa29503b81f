/** What passes between the service (thread.ts) and the dashboard's thread (worker.ts). */
import type { ArrivalState } from "../../domain/articles/senders/sender.ts";
import { AppError } from "../../domain/system/errors.ts";
import type { BulkJob } from "../../http/admin/dashboard-thread.ts";
import type { ImportJob } from "../../http/admin/articles/import-lines.ts";
import type { RequestFacts } from "../../http/request.ts";
import type { PackedError } from "../../process/child-loop.ts";
import type { Config } from "../../process/settings/config.ts";
import type { Span } from "../../telemetry/span.ts";
import type { Changes } from "../../store/store.ts";

export interface DashboardThreadData {
  config: Config;
  /** The memory of the thread's ContentCounters. */
  contentCounts: SharedArrayBuffer;
  /** Whether it starts for a request to a sender's address. */
  isForSender: boolean;
}

/** What the thread tells without being asked. */
export type DashboardNotice =
  | { type: "traced"; span: Span }
  | { type: "committed"; changes: Changes }
  | { type: "arrived"; kind: string; outcome: ArrivalState }
  | { type: "request failed"; facts: RequestFacts; error: PackedError };

/** A request or a reply whose body can move between threads. */
export type Movable<T> = Omit<T, "body"> & { body: Uint8Array<ArrayBuffer> };

/** An import or a bulk action: what it says comes line by line. */
export type Job = { type: "import"; job: ImportJob } | { type: "bulk"; job: BulkJob };

/** Puts the bytes in memory that can move to another thread; `bytes` must not be used afterwards. */
export function toMovable(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

export function threadFailed(cause?: unknown): AppError {
  return new AppError("service_unavailable", "The dashboard's thread has failed. Try again in a moment.", { cause });
}
