/** Serves /docs, /dashboard, the pictures of articles, feeds, the keys of review records, and the 404 of every other path. */
import fastify, { type FastifyInstance } from "fastify";
import { assetFileRoutes, type AssetsOptions } from "./assets.ts";
import { type DashboardOptions, dashboardRoutes } from "./dashboard.ts";
import { feedRoutes, type FeedRoutesOptions } from "./feeds.ts";
import { docsRoutes, type DocsOptions } from "./docs.ts";
import { replyToBadAddress, setFastifyDefaults, WITHOUT_COMPILERS } from "./fastify-server.ts";
import type { RequestTracer } from "../connection/trace-requests.ts";
import type { RequestIds, RequestLog } from "../request.ts";

export interface PagesOptions {
  docs: DocsOptions;
  dashboard: DashboardOptions;
  assets: AssetsOptions;
  feeds: FeedRoutesOptions;
  reviewKeys: ReviewKeysOptions;
  /** Null: no traces are exported. */
  trace: RequestTracer | null;
  log: RequestLog;
  requestIds: RequestIds;
}

/** Builds a server that is ready for requests but does not listen. */
export async function buildPages(options: PagesOptions): Promise<FastifyInstance> {
  const { docs, dashboard, assets, feeds, reviewKeys, trace, log, requestIds } = options;
  const app = fastify({
    frameworkErrors: replyToBadAddress,
    genReqId: (request) => requestIds.take(request),
    schemaController: WITHOUT_COMPILERS,
  });
  setFastifyDefaults(app, log, trace);
  docsRoutes(app, docs);
  dashboardRoutes(app, dashboard);
  assetFileRoutes(app, { ...assets, log });
  feedRoutes(app, feeds);
  reviewKeyRoutes(app, reviewKeys);
  await app.ready();
  return app;
}

interface ReviewKeysOptions {
  /** The key set. */
  read: () => Promise<object>;
}

/** Short, so that a revoked key is soon known. */
const CACHE_CONTROL = "public, max-age=300";

/** The keys that review records are checked with (RFC 7517), for everybody. */
function reviewKeyRoutes(app: FastifyInstance, { read }: ReviewKeysOptions): void {
  app.get("/.well-known/rostrum-keys.json", async (_request, reply) =>
    reply
      .type("application/jwk-set+json")
      .header("Cache-Control", CACHE_CONTROL)
      .header("Access-Control-Allow-Origin", "*")
      .send(JSON.stringify(await read())),
  );
}
