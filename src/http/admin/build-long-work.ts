/** Does long work on the thread that calls it, with the same routes as the service's. */
import type { IncomingMessage } from "node:http";
import type { Proxies } from "../proxies.ts";
import { type AdminServerOptions, buildAdminServer } from "./admin-server.ts";
import { editRoutes } from "./articles/edits.ts";
import { importLines, type ReadImport } from "./articles/import-lines.ts";
import type { LongWork } from "./long-work.ts";

/** Header added to a forwarded request: its id in the log and in responses. */
const REQUEST_ID = "x-rostrum-request-id";

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
