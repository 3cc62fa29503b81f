/** Routes for operators: /healthz, /readyz and /metrics, on the service's port or on one of their own. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { errorReply, NOTHING_HERE } from "../errors.ts";
import { healthRoutes, type HealthOptions, type OperatorReply } from "./health.ts";
import { lazily } from "../pages/fastify-server.ts";
import type { MetricsSources } from "./prometheus.ts";
import { clientAddress } from "../connection/proxies.ts";
import { getRequestFacts, type RequestIds, type RequestLog, withoutHost } from "../request.ts";
import { SECURITY_HEADERS } from "../pages/security-headers.ts";
import { refuseUnreadable } from "../connection/unreadable.ts";

// Not imported: see server.ts.
const { createServer } = process.getBuiltinModule("node:http");

const IDLE_TIMEOUT_MS = 72_000;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUTS_EVERY_MS = 5_000;
/** Connections of the operators' port must not use up the files that the service's own port needs. */
const MAX_CONNECTIONS = 256;

export interface OperatorOptions {
  health: HealthOptions;
  metrics: MetricsSources;
}

/** On node:http, so that a service that is only read and watched never loads Fastify. */
export class Operators {
  readonly #routes: ReadonlyMap<string, () => Promise<OperatorReply>>;
  readonly #log: RequestLog;
  readonly #requestIds: RequestIds;

  constructor({ health, metrics }: OperatorOptions, log: RequestLog, requestIds: RequestIds) {
    const load = lazily(async () => new (await import("./prometheus.ts")).Prometheus(metrics));
    this.#routes = new Map(
      Object.entries({
        ...healthRoutes(health),
        "/metrics": async () => {
          const prometheus = await load();
          return { status: 200, headers: { "Content-Type": prometheus.contentType }, body: await prometheus.text() };
        },
      }),
    );
    this.#log = log;
    this.#requestIds = requestIds;
  }

  /** @returns false for every other request. */
  handle(req: IncomingMessage, res: ServerResponse): boolean {
    const { method } = req;
    const url = withoutHost(req.url ?? "");
    const route = method === "GET" || method === "HEAD" ? this.#routes.get(url.split("?", 1)[0] ?? "") : undefined;
    if (route === undefined) return false;
    void this.#reply(req, res, route);
    return true;
  }

  /** A server with only these routes. */
  createServer(): Server {
    const timeouts = {
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
    };
    const server = createServer(timeouts, (req, res) => {
      if (!this.handle(req, res)) void this.#reply(req, res, notFound);
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on("clientError", refuseUnreadable);
    return server;
  }

  async #reply(req: IncomingMessage, res: ServerResponse, route: () => Promise<OperatorReply>): Promise<void> {
    const startedAt = performance.now();
    const id = this.#requestIds.take(req);
    const facts = getRequestFacts(id, req);
    let reply: OperatorReply;
    try {
      reply = await route();
    } catch (error) {
      reply = errorReply(error, id);
      if (reply.status >= 500) this.#log.failed(facts, error);
    }
    const { status, headers, body } = reply;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    res.once("finish", () => {
      if (!this.#log.isVerbose && status < 400) return;
      this.#log.finished({ ...facts, status, ms: performance.now() - startedAt });
    });
    res
      .writeHead(status, {
        ...SECURITY_HEADERS,
        "X-Request-Id": id,
        "Content-Type": "application/json; charset=utf-8",
        ...headers,
        "Content-Length": Buffer.byteLength(text),
      })
      .end(text);
  }
}

/** Whether the request was made on this machine, and not forwarded by a proxy on it. */
export function isFromHere(request: IncomingMessage): boolean {
  const address = clientAddress(request);
  return address === "::1" || address.startsWith("127.");
}

function notFound(): Promise<OperatorReply> {
  return Promise.resolve(NOTHING_HERE);
}
