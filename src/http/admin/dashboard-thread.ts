/** What the dashboard's thread does for the service: requests with a long body or of senders, imports, and bulk actions. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { BulkVerb } from "../../domain/articles/verbs.ts";
import type { BulkInput } from "../../operations/articles/write/bulk.ts";
import type { Actor } from "../../operations/system/deps.ts";
import type { ImportJob } from "./articles/import-lines.ts";

export interface LongRequest {
  id: string;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  peer: string;
  /** Whose requests wait for each other. */
  accountId: string;
  /** No longer used by the caller, so that it can be transferred to another thread. */
  body: Buffer;
  /** Has the body, which is then empty here: as a buffer of megabytes it would cause collections that delay readers. */
  file?: { path: string; bytes: number };
}

/** A request to `/senders/ID`; nothing of it is checked yet but its size and rate. */
export interface SenderRequest extends Pick<LongRequest, "method" | "body" | "file"> {
  senderId: string;
  /** Below the sender's address, without its query. */
  path: string;
  query: string;
  /** As they were sent: of a header that is sent twice, Node.js joins the values or drops one. */
  rawHeaders: readonly string[];
  /** The service's address, as the sender has called it, and the client's. */
  base: string;
  address: string;
  /** When it had come, by `getTimeMs`: its sender waits for the start of the thread, too. */
  receivedAt: number;
  traceparent: string | undefined;
}

export interface LongReply {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

export interface BulkJob {
  action: BulkVerb;
  websiteId: string;
  /** Row numbers of the articles that matched at the start. */
  rowNos: readonly number[];
  actor: Actor;
  input: BulkInput;
}

export interface DashboardThread {
  /** @throws AppError `busy` when too many are waiting, `service_unavailable` when they cannot be processed. */
  request(request: LongRequest): Promise<LongReply>;
  /** @throws AppError as `request`. */
  answerSender(request: SenderRequest): Promise<LongReply>;
  /** Yields lines; ends after the current batch when the consumer stops reading. @throws AppError as `request`. */
  importFile(job: ImportJob): AsyncGenerator<string, void>;
  changeInBulk(job: BulkJob): AsyncGenerator<string, void>;
  /** Called when the service stops: imports and bulk actions end after their current batch. */
  stop(): void;
}

/** The thread as the service sees it. */
export interface StartableThread extends DashboardThread {
  /** Starts it ahead of a sender's request, with the process that reads what senders send: each takes a second to load. */
  startForSender(): void;
}
