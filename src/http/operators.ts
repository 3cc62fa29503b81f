/** Routes for operators: /healthz, /readyz and /metrics, on the service's port or on one of their own. */
import fastify, { type FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";
import { healthRoutes, type HealthOptions } from "./health.ts";
import { lazily } from "./lazily.ts";
import { setFastifyDefaults } from "./fastify-defaults.ts";
import type { MetricsSources } from "./prometheus.ts";
import { clientAddress } from "./proxies.ts";
import type { RequestLog } from "./request-log.ts";
import type { RequestIds } from "./request-ids.ts";

export interface OperatorOptions {
  health: HealthOptions;
  metrics: MetricsSources;
}

/** A server with only these routes. */
export async function buildOperatorServer(
  options: OperatorOptions,
  log: RequestLog,
  requestIds: RequestIds,
): Promise<FastifyInstance> {
  const app = fastify({ forceCloseConnections: true, genReqId: (request) => requestIds.take(request) });
  await setFastifyDefaults(app, log);
  operatorRoutes(app, options);
  return app;
}

/** `isAllowed`: requests that are not allowed get a 404, as if the routes did not exist. */
export function operatorRoutes(
  app: FastifyInstance,
  { health, metrics }: OperatorOptions,
  isAllowed: (request: IncomingMessage) => boolean = () => true,
): void {
  void app.register(async (routes) => {
    routes.addHook("onRequest", async (request, reply) => {
      if (isAllowed(request.raw)) return undefined;
      reply.callNotFound();
      return reply;
    });
    healthRoutes(routes, health);
    const load = lazily(async () => (await import("./prometheus.ts")).metricsRegistry(metrics));
    routes.get("/metrics", async (_request, reply) => {
      const registry = await load();
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  });
}

/** Whether the request was made on this machine, and not forwarded by a proxy on it. */
export function isFromHere(request: IncomingMessage): boolean {
  const address = clientAddress(request);
  return address === "::1" || address.startsWith("127.");
}
