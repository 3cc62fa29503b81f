/** What the dashboard's thread does: long requests with the same routes as the service's, senders' requests directly. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import type { Proxies } from "../connection/proxies.ts";
import type { ArrivalState } from "../../domain/articles/senders/sender.ts";
import { bySession } from "./access.ts";
import { ADMIN_PREFIX, AGENTS_PATH, MANAGEMENT_PREFIX, REQUEST_ID } from "./admin-options.ts";
import { type AdminServerOptions, Background, buildAdminServer } from "./admin-server.ts";
import type { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import { agentTools } from "../agents/mcp.ts";
import { managementInThread } from "../management/management.ts";
import { byToken } from "../management/token-access.ts";
import { answerSenders } from "../senders/answer.ts";
import type { AdminServer } from "./routes.ts";
import { bulkLines } from "./articles/bulk.ts";
import { editRoutes } from "./articles/edits.ts";
import { importLines, type ReadImport } from "./articles/import-lines.ts";
import type { DashboardThread } from "./dashboard-thread.ts";

/** Hosts that pictures could not be fetched from. */
const MAX_HOSTS = 1_000;
const FAILURE_REMEMBERED_MS = 60_000;

interface DashboardThreadOptions extends Omit<AdminServerOptions, "accept"> {
  readImport: ReadImport;
  /** For lists. */
  readModel: ReadModel;
  /** Null: no proxies are trusted. */
  proxies: Proxies | null;
  /** Called when a text is saved and only its response is left to write, which takes as much memory as the saving. */
  onSaved: () => void;
  /** Called once it is known what became of what a sender of this kind has sent. */
  onArrival: (kind: string, state: ArrivalState) => void;
}

export async function buildDashboardThread(
  options: DashboardThreadOptions,
): Promise<DashboardThread & AsyncDisposable> {
  const stopping = new AbortController();
  const { deps, publicUrl, readImport, readModel, onError, proxies, onSaved, onArrival } = options;
  const failures = new LRUCache<string, number>({ max: MAX_HOSTS, ttl: FAILURE_REMEMBERED_MS });
  const accept = (req: IncomingMessage) => {
    proxies?.resolve(req);
    return String(req.headers[REQUEST_ID]);
  };
  const prepare = (routes: AdminServer): void => {
    routes.addHook("preSerialization", async (_request, _reply, payload) => {
      onSaved();
      return payload;
    });
    // Otherwise it would be encoded twice.
    routes.addHook("onSend", async (_request, _reply, payload) =>
      typeof payload === "string" ? Buffer.from(payload) : payload,
    );
  };
  const server = await buildAdminServer({ ...options, accept }, stopping.signal, [
    {
      prefix: ADMIN_PREFIX,
      authentication: bySession,
      addRoutes: (routes, admin) => {
        prepare(routes);
        editRoutes(routes, admin);
      },
    },
    {
      prefix: MANAGEMENT_PREFIX,
      authentication: byToken,
      addRoutes: (routes, admin) => {
        prepare(routes);
        managementInThread(routes, admin, readModel);
      },
    },
    { prefix: `${AGENTS_PATH}/`, authentication: byToken, addRoutes: agentTools },
  ]);
  const background = new Background(onError);
  return {
    request: async ({ id, method, url, headers, peer, body, file }) => {
      const reply = await server.inject({
        method,
        url,
        headers: { ...headers, [REQUEST_ID]: id },
        remoteAddress: peer,
        payload: file === undefined ? body : await readFile(file.path),
        // The whole payload would be there three times, once as a string.
        payloadAsStream: true,
      });
      return { status: reply.statusCode, headers: reply.headers, body: await readAll(reply.stream()) };
    },
    answerSender: answerSenders({ ...deps, publicUrl, onArrival, onError }, (work) => background.add(work)),
    importFile: (job) => importLines({ deps, readImport, onError, stopping: stopping.signal, failures }, job),
    changeInBulk: (job) => bulkLines({ deps, onError, stopping: stopping.signal }, job),
    stop: () => stopping.abort(),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await background.whenDone();
    },
  };
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = await stream.toArray();
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
