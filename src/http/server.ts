/**
 * The routes of the service:
 *
 *     /api/public/articles        read-api.ts   list
 *     /api/public/articles/:id    read-api.ts   detail
 *     /api/public/events          read-api.ts   events, as webhooks send them
 *     /api/public/openapi.json    read-api.ts   API description
 *     /docs  /docs/management     docs.ts       documentation of the two APIs
 *     /assets/…                   assets.ts     pictures of articles
 *     /feeds/…                    feeds.ts      feeds, sitemaps and llms.txt of websites
 *     /.well-known/rostrum-keys.json  pages.ts  keys of review records
 *     /dashboard                  dashboard.ts  built dashboard; / redirects to it
 *     /dashboard/api/…            admin/        dashboard's API, listed in admin/admin.ts
 *     /api/management/…           management/   management API, listed in management/management.ts
 *     /mcp                        agents/       tools for agents, on the management API
 *     /senders/…                  senders/      what services push in formats of their own
 *     /healthz  /readyz           health.ts      unless they have a port of their own (operators.ts)
 *     /metrics                    prometheus.ts  the same
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ADMIN_PREFIX, type AdminOptions, isAgents, MANAGEMENT_PREFIX, SENDERS_PREFIX } from "./admin/admin-options.ts";
import type { StartableThread } from "./admin/dashboard-thread.ts";
import { AdminApi } from "./admin/lazy-admin.ts";
import { CLOSE_TIMEOUT_MS, PublicServer } from "./connection/public-server.ts";
import { LazyServer } from "./pages/fastify-server.ts";
import { isFromHere, type Operators } from "./operators/operators.ts";
import type { PagesOptions } from "./pages/pages.ts";
import type { Proxies } from "./connection/proxies.ts";
import type { RequestTracer } from "./connection/trace-requests.ts";
import type { ReadApi } from "./read-api/read-api.ts";

const OF_ADMIN = [ADMIN_PREFIX, MANAGEMENT_PREFIX, SENDERS_PREFIX];

export interface ServerOptions extends PagesOptions {
  readApi: ReadApi;
  /** Null: they have a port of their own. */
  operators: Operators | null;
  /** Null: no proxies are trusted. */
  proxies: Proxies | null;
  /** Null: no traces are exported. */
  trace: RequestTracer | null;
  admin: Omit<AdminOptions, "log" | "requestIds" | "uploads" | "trace" | "dashboardThread"> & {
    dashboardThread: StartableThread;
  };
  maxConnections: number;
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
   * Another process accepts new connections from now on. Requests on the open ones are answered, and close them. Resolves when none is
   * open any more.
   */
  stopAccepting(): Promise<void>;
  /**
   * Resolves when the responses now in progress are sent, except streams, or after `maxMs`. Call it before `close` if clients wait
   * for the next process.
   */
  finish(maxMs: number): Promise<void>;
  /**
   * The read API answers 503 from now on: a proxy without health checks, such as nginx, then tries another process and
   * opens no more connections here, of which the last would be reset.
   */
  refuseReads(): void;
}

export function buildServer(options: ServerOptions): HttpServer {
  const { readApi, operators, proxies, trace, log, requestIds } = options;
  const uploads = new WeakSet<Socket>();
  const admin = new AdminApi({ ...options.admin, trace, log, requestIds, uploads });
  const pages = new LazyServer({
    build: async () => (await import("./pages/pages.ts")).buildPages(options),
    requestIds,
    onFailure: (error) => options.admin.onError(error, "the pages could not be loaded"),
  });
  const publicServer = new PublicServer({
    readApi,
    proxies,
    trace,
    // An upload may take longer than a request; its handler has a timeout of its own.
    isPatient: (socket) => uploads.has(socket),
    other: (req, res) => {
      const { url = "" } = req;
      if (isAgents(url) || OF_ADMIN.some((prefix) => url.startsWith(prefix))) {
        trace?.begin(req, res);
        if (url.startsWith(SENDERS_PREFIX)) options.admin.dashboardThread.startForSender();
        admin.handle(req, res);
      }
      // Behind proxies the operators' routes are a 404 for all but this machine, as if they did not exist.
      else if (operators === null || (proxies !== null && !isFromHere(req)) || !operators.handle(req, res)) {
        trace?.join(req, res);
        pages.handle(req, res);
      }
    },
  });
  const server = publicServer.createServer();
  server.maxConnections = options.maxConnections;
  server.on("drop", options.onFull);
  return {
    server,
    close: async () => {
      publicServer.drain();
      // Requests that still arrive on open connections are too late to be sent to another process.
      publicServer.refuseReads(false);
      publicServer.spareIdle(false);
      admin.endStreams();
      const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS).unref();
      // Closes idle connections as well. It fails if the server never listened.
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(deadline);
      publicServer[Symbol.dispose]();
      await admin.close();
      await pages.close();
    },
    loadAdmin: () => admin.load(),
    drain: () => publicServer.drain(),
    stopAccepting: () => {
      publicServer.drain();
      publicServer.spareIdle(true);
      const closed = once(server, "close");
      server.close();
      admin.endStreams(true);
      return closed.then(() => undefined);
    },
    finish: (maxMs) => {
      publicServer.hurry();
      return publicServer.sent(maxMs);
    },
    refuseReads: () => {
      publicServer.refuseReads(true);
      // The clients of the streams reconnect, to another process.
      admin.endStreams();
    },
  };
}
