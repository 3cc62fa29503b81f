/**
 * Every address of the service:
 *
 *     /api/public/articles        delivery.ts   list
 *     /api/public/articles/:id    delivery.ts   detail
 *     /api/public/events          delivery.ts   the events, as webhooks send them
 *     /api/public/openapi.json    delivery.ts   the description
 *     /docs                       docs.ts       the same, to read
 *     /dashboard                  dashboard.ts  the screens, and / leads there
 *     /dashboard/api/…            admin/        what they ask; admin/admin.ts lists it
 *     /healthz  /readyz           health.ts
 *     /metrics                    prometheus.ts
 */
import fastify, { type FastifyInstance } from "fastify";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";
import { ADMIN_PREFIX, AdminApi, type AdminOptions } from "./admin/lazy.ts";
import { type DashboardOptions, dashboardRoutes } from "./dashboard.ts";
import { refusal } from "./errors.ts";
import { docsRoutes, type DocsOptions } from "./docs.ts";
import { healthRoutes, type HealthOptions } from "./health.ts";
import { addManners } from "./manners.ts";
import type { MetricsSources } from "./prometheus.ts";
import { API_PREFIX } from "./public/addresses.ts";
import type { Delivery, RequestLog } from "./public/delivery.ts";

// An import of node:http makes all its exports, WebSocket and so a whole HTTP client among them: 16 MB and 30 ms.
const { createServer } = process.getBuiltinModule("node:http");

/** Proxies keep idle connections for a minute: the service must not be the first to let go. */
const KEEP_ALIVE_MS = 72_000;
const HEADERS_WITHIN_MS = 15_000;
const REQUEST_WITHIN_MS = 30_000;
const CLOSE_IDLE_EVERY_MS = 50;

export interface ServerOptions {
  delivery: Delivery;
  metrics: MetricsSources;
  health: HealthOptions;
  docs: DocsOptions;
  dashboard: DashboardOptions;
  admin: Omit<AdminOptions, "log" | "uploads">;
  log: RequestLog;
}

export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  let isClosing = false;
  const uploads = new WeakSet<Socket>();
  const admin = new AdminApi({ ...options.admin, log: options.log, uploads });
  const app = fastify({
    forceCloseConnections: "idle",
    return503OnClosing: false,
    serverFactory: (handler) => {
      const server = createServer(
        { requestTimeout: REQUEST_WITHIN_MS, headersTimeout: HEADERS_WITHIN_MS },
        (req, res) => {
          if (isClosing) res.shouldKeepAlive = false;
          // RFC 9112, section 3.2.2: a server takes a whole address, too.
          if (req.url?.[0] !== "/") req.url = req.url?.replace(/^https?:\/\/[^/?#]*\/?/i, "/") ?? "";
          if (req.url.startsWith(API_PREFIX)) options.delivery.handle(req, res);
          else if (req.url.startsWith(ADMIN_PREFIX)) admin.handle(req, res);
          else handler(req, res);
        },
      );
      server.keepAliveTimeout = KEEP_ALIVE_MS;
      return server;
    },
    clientErrorHandler: (error, socket) => {
      // A file may take longer than a request; whoever receives it sees to it that it comes.
      if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT" || !uploads.has(socket)) refuseUnreadable(error, socket);
    },
  });
  await addManners(app, options.log);
  // Closing ends the connections that are idle at that moment; the others must not stay for their keep-alive.
  app.addHook("preClose", async () => {
    isClosing = true;
    admin.endStreams();
    const timer = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
    app.server.once("close", () => clearInterval(timer));
  });
  app.addHook("onClose", () => admin.close());
  healthRoutes(app, options.health);
  docsRoutes(app, options.docs);
  dashboardRoutes(app, options.dashboard);
  let registry: Promise<Registry> | undefined;
  app.get("/metrics", async (_request, reply) => {
    registry ??= import("./prometheus.ts").then((loaded) => loaded.metricsRegistry(options.metrics));
    return reply.type((await registry).contentType).send(await (await registry).metrics());
  });
  return app;
}

/** What node:http cannot read never becomes a request: it is answered on the socket. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } =
    error.code === "HPE_HEADER_OVERFLOW"
      ? refusal(431, "The request's address and headers are too large; 16 KiB are allowed in all.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? refusal(408, "The request did not arrive in time; send it again.")
        : refusal(400, "This is not a valid HTTP request; check its address and headers.");
  const text = JSON.stringify(body);
  const requestId = randomBytes(8).toString("hex");
  socket.end(
    `HTTP/1.1 ${status} ${body["error"]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Version: v1\r\nCache-Control: private, no-cache\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
