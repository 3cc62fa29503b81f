/**
 * The routes of the service:
 *
 *     /api/public/articles        read-api.ts   list
 *     /api/public/articles/:id    read-api.ts   detail
 *     /api/public/events          read-api.ts   events, as webhooks send them
 *     /api/public/openapi.json    read-api.ts   API description
 *     /docs                       docs.ts       API documentation
 *     /dashboard                  dashboard.ts  built dashboard; / redirects to it
 *     /dashboard/api/…            admin/        dashboard's API, listed in admin/admin.ts
 *     /healthz  /readyz           health.ts      unless they have a port of their own (operators.ts)
 *     /metrics                    prometheus.ts  the same
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ADMIN_PREFIX, type AdminOptions } from "./admin/admin-options.ts";
import { AdminApi } from "./admin/lazy-admin.ts";
import { Connections } from "./connections.ts";
import { LazyServer } from "./lazy-server.ts";
import { isFromHere, type Operators } from "./operators.ts";
import type { PagesOptions } from "./pages.ts";
import type { Proxies } from "./proxies.ts";
import { withoutHost } from "./request-url.ts";
import { API_PREFIX } from "./read-api/routes.ts";
import type { ReadApi } from "./read-api/read-api.ts";
import { hasTwoHosts, refuseLate, refuseTwoHosts, refuseUnreadable } from "./unreadable.ts";

// Importing node:http creates all its exports, including WebSocket and with it a whole HTTP client: 16 MB and 30 ms.
const { createServer } = process.getBuiltinModule("node:http");

/** How long a closing server still waits for a request that does not arrive, or for a response that is not read. */
const CLOSE_TIMEOUT_MS = 12_000;

export interface ServerOptions extends PagesOptions {
  delivery: ReadApi;
  /** Null: they have a port of their own. */
  operators: Operators | null;
  /** Null: no proxies are trusted. */
  proxies: Proxies | null;
  admin: Omit<AdminOptions, "log" | "requestIds" | "uploads">;
  /** Further connections are closed at once. */
  maxConnections: number;
  /** Called for each connection that is closed because there are too many. */
  onFull: () => void;
}

export interface HttpServer {
  server: Server;
  /** Accepts no new connections and waits for the responses in progress. */
  close(): Promise<void>;
  /** Loads the dashboard's API ahead of its first request, which otherwise does so, and waits for it. */
  loadAdmin(): Promise<void>;
  /** From now on every response closes its connection, including those in progress. */
  drain(): void;
  /**
   * From now on, until the server is closed, the read API answers with 503. A proxy without health checks, such as nginx,
   * takes that for a failed process: it tries another one and opens no more connections to this one, of which the last would
   * be reset when the port is closed.
   */
  refuseReads(): void;
}

export function buildServer(options: ServerOptions): HttpServer {
  let isDraining = false;
  let refusesReads = false;
  const { delivery, operators, proxies, log, requestIds } = options;
  const uploads = new WeakSet<Socket>();
  const admin = new AdminApi({ ...options.admin, log, requestIds, uploads });
  const pages = new LazyServer({
    build: async () => (await import("./pages.ts")).buildPages(options),
    requestIds,
    onFailure: (error) => options.admin.onError(error, "the pages could not be loaded"),
  });
  const connections = new Connections({
    // An upload may take longer than a request; its handler has a timeout of its own.
    onLate: (socket) => {
      if (!uploads.has(socket)) refuseLate(socket);
    },
  });
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    if (isDraining) res.shouldKeepAlive = false;
    if (hasTwoHosts(req)) return refuseTwoHosts(res);
    proxies?.resolve(req);
    req.url = withoutHost(req.url ?? "");
    if (req.url.startsWith(API_PREFIX)) {
      if (refusesReads) delivery.refuseAll(req, res);
      else delivery.handle(req, res);
    } else if (req.url.startsWith(ADMIN_PREFIX)) admin.handle(req, res);
    // Behind proxies the operators' routes are a 404 for all but this machine, as if they did not exist.
    else if (operators === null || (proxies !== null && !isFromHere(req)) || !operators.handle(req, res)) {
      pages.handle(req, res);
    }
  };
  const handleExpected = (req: IncomingMessage, res: ServerResponse) => {
    res.writeContinue();
    handle(req, res);
  };
  // Spares requests without a body the end of a stream that nobody reads: two ticks and three events each.
  const server = createServer({ optimizeEmptyRequests: true }, (req, res) => connections.admit(req, res, handle));
  connections.manage(server);
  server.on("checkContinue", (req, res) => connections.admit(req, res, handleExpected));
  server.on("clientError", refuseUnreadable);
  server.maxConnections = options.maxConnections;
  server.on("drop", options.onFull);
  const drain = () => {
    isDraining = true;
    connections.closeAfterAnswers();
  };
  return {
    server,
    close: async () => {
      drain();
      // Requests that still arrive on open connections are too late to be sent to another process.
      refusesReads = false;
      admin.endStreams();
      const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS).unref();
      // Closes idle connections as well. It fails if the server never listened.
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(deadline);
      connections[Symbol.dispose]();
      await admin.close();
      await pages.close();
    },
    loadAdmin: () => admin.load(),
    drain,
    refuseReads: () => {
      refusesReads = true;
      // The clients of the streams reconnect, to another process.
      admin.endStreams();
    },
  };
}
