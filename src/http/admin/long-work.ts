/**
 * Work that takes long because of the length of a text: requests with a long body, and imports. The service calls `LongWork`;
 * `buildLongWork` does the work on the thread that calls it.
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Deps } from "../../operations/system/deps.ts";
import type { ImportItem } from "../../operations/articles/import-items.ts";
import type { Proxies } from "../proxies.ts";
import { type AdminServerOptions, buildAdminServer } from "./admin-server.ts";
import { editRoutes } from "./articles/edits.ts";
import { type ImportJob, importLines } from "./articles/import-lines.ts";

/** Header added to a forwarded request: its id in the log and in responses. */
const REQUEST_ID = "x-rostrum-request-id";

/** A request as it was received. */
export interface LongRequest {
  id: string;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** Remote address of the connection. */
  peer: string;
  /** The signed-in account. */
  accountId: string;
  /** No longer used by the caller, so that it can be transferred to another thread. */
  body: Buffer;
}

export interface LongReply {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

export interface LongWork {
  /** @throws AppError `busy` when too many are waiting, `service_unavailable` when they cannot be processed. */
  request(request: LongRequest): Promise<LongReply>;
  /**
   * Yields the lines of the response; ends after the current batch when the consumer stops reading. @throws AppError as
   * `request`.
   */
  importFile(job: ImportJob): AsyncGenerator<string, void>;
  /** Called when the service stops: imports end after their current batch. */
  stop(): void;
}

/** Reads the articles of a dropped file, which is at `path`; `name` and `folder` are as the browser sent them. */
export type ReadImport = (
  file: { path: string; name: string; folder: string | null },
  options: {
    websiteUrl: string | null;
    /** Size limit of one JSON document. */
    maxJsonBytes: number;
    clock: Deps["clock"];
    onProgress: (bytesRead: number, bytesTotal: number | null) => void;
  },
) => AsyncIterable<ImportItem>;

interface LongWorkOptions extends Omit<AdminServerOptions, "accept"> {
  readImport: ReadImport;
  /** Null: no proxies are trusted. */
  proxies: Proxies | null;
}

export async function buildLongWork(options: LongWorkOptions): Promise<LongWork & AsyncDisposable> {
  const stopping = new AbortController();
  const { deps, readImport, onError, proxies } = options;
  const accept = (req: IncomingMessage) => {
    proxies?.resolve(req);
    return String(req.headers[REQUEST_ID]);
  };
  const server = await buildAdminServer({ ...options, accept }, stopping.signal, editRoutes);
  return {
    request: async ({ id, method, url, headers, peer, body }) => {
      const reply = await server.inject({
        method,
        url,
        headers: { ...headers, [REQUEST_ID]: id },
        remoteAddress: peer,
        payload: body,
      });
      return { status: reply.statusCode, headers: reply.headers, body: reply.rawPayload };
    },
    importFile: (job) => importLines({ deps, readImport, onError, stopping: stopping.signal }, job),
    stop: () => stopping.abort(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
