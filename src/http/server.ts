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
import fastify, { type FastifyInstance } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ADMIN_PREFIX, type AdminOptions } from "./admin/admin-options.ts";
import { AdminApi } from "./admin/lazy-admin.ts";
import { Connections } from "./connections.ts";
import { type DashboardOptions, dashboardRoutes } from "./dashboard.ts";
import { docsRoutes, type DocsOptions } from "./docs.ts";
import { setFastifyDefaults, replyToBadAddress } from "./fastify-defaults.ts";
import { isFromHere, type OperatorOptions, operatorRoutes } from "./operators.ts";
import type { Proxies } from "./proxies.ts";
import { API_PREFIX } from "./read-api/routes.ts";
import type { ReadApi } from "./read-api/read-api.ts";
import type { RequestIds } from "./request-ids.ts";
import type { RequestLog } from "./request-log.ts";
import { hasTwoHosts, refuseLate, refuseTwoHosts, refuseUnreadable } from "./unreadable.ts";

// Importing node:http creates all its exports, including WebSocket and with it a whole HTTP client: 16 MB and 30 ms.
const { createServer } = process.getBuiltinModule("node:http");

/** How long a closing server still waits for a request that does not arrive, or for a response that is not read. */
const CLOSE_TIMEOUT_MS = 12_000;

export interface ServerOptions {
  delivery: ReadApi;
  /** Null: they have a port of their own. */
  operators: OperatorOptions | null;
  /** Null: no proxies are trusted. */
  proxies: Proxies | null;
  docs: DocsOptions;
  dashboard: DashboardOptions;
  admin: Omit<AdminOptions, "log" | "requestIds" | "uploads">;
  log: RequestLog;
  requestIds: RequestIds;
  /** Further connections are closed at once. */
  maxConnections: number;
  /** Called for each connection that is closed because there are too many. */
  onFull: () => void;
}

export interface HttpServer {
  /** Closing it accepts no new connections and waits for the responses in progress. */
  app: FastifyInstance;
  /** Loads the dashboard's API. Otherwise its first request does, and delays the requests of readers. */
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

export async function buildServer(options: ServerOptions): Promise<HttpServer> {
  let isDraining = false;
  let refusesReads = false;
  const uploads = new WeakSet<Socket>();
  const admin = new AdminApi({ ...options.admin, log: options.log, requestIds: options.requestIds, uploads });
  const connections = new Connections({
    // An upload may take longer than a request; its handler has a timeout of its own.
    onLate: (socket) => {
      if (!uploads.has(socket)) refuseLate(socket);
    },
  });
  const app = fastify({
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: replyToBadAddress,
    genReqId: (request) => options.requestIds.take(request),
    serverFactory: (handler) => {
      const handle = (req: IncomingMessage, res: ServerResponse) => {
        if (isDraining) res.shouldKeepAlive = false;
        if (hasTwoHosts(req)) return refuseTwoHosts(res);
        options.proxies?.resolve(req);
        // RFC 9112, section 3.2.2: a server must also accept an absolute URL.
        if (req.url?.[0] !== "/") req.url = req.url?.replace(/^https?:\/\/[^/?#]*\/?/i, "/") ?? "";
        if (req.url.startsWith(API_PREFIX)) {
          if (refusesReads) options.delivery.refuseAll(req, res);
          else options.delivery.handle(req, res);
        } else if (req.url.startsWith(ADMIN_PREFIX)) admin.handle(req, res);
        else handler(req, res);
      };
      const handleExpected = (req: IncomingMessage, res: ServerResponse) => {
        res.writeContinue();
        handle(req, res);
      };
      const server = createServer((req, res) => connections.admit(req, res, handle));
      connections.manage(server);
      server.on("checkContinue", (req, res) => connections.admit(req, res, handleExpected));
      server.maxConnections = options.maxConnections;
      server.on("drop", options.onFull);
      return server;
    },
    clientErrorHandler: refuseUnreadable,
  });
  await setFastifyDefaults(app, options.log);
  const drain = () => {
    isDraining = true;
    connections.closeAfterAnswers();
  };
  app.addHook("preClose", async () => {
    drain();
    // Requests that still arrive on open connections are too late to be sent to another process.
    refusesReads = false;
    admin.endStreams();
    const deadline = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS).unref();
    app.server.once("close", () => clearTimeout(deadline));
  });
  app.addHook("onClose", () => {
    connections[Symbol.dispose]();
    return admin.close();
  });
  if (options.operators !== null) {
    operatorRoutes(app, options.operators, options.proxies === null ? () => true : isFromHere);
  }
  docsRoutes(app, options.docs);
  dashboardRoutes(app, options.dashboard);
  return {
    app,
    loadAdmin: () => admin.load(),
    drain,
    refuseReads: () => {
      refusesReads = true;
      // The clients of the streams reconnect, to another process.
      admin.endStreams();
    },
  };
}
