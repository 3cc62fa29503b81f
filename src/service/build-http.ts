/** Builds the read API, the dashboard and the operators' routes. Nothing listens yet. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import type { App } from "../app/app.ts";
import type { PictureCopier } from "../backup/pictures.ts";
import type { Replication } from "../backup/replication.ts";
import { sumStats } from "../content-processes/processes.ts";
import { collectYoungOnOneThread } from "../process/collect-garbage.ts";
import { failFastStore } from "../http/operators/database-away.ts";
import type { BackupHealth, DispatcherHealth } from "../http/operators/health.ts";
import { createMetrics, type ServiceMetrics } from "../http/operators/metrics.ts";
import { Operators } from "../http/operators/operators.ts";
import { keepObjectLayouts } from "../http/connection/object-layout.ts";
import { Proxies } from "../http/connection/proxies.ts";
import { ReadApi } from "../http/read-api/read-api.ts";
import { RequestIds } from "../http/request.ts";
import { buildServer, type HttpServer } from "../http/server.ts";
import type { Log } from "../process/log.ts";
import { DashboardWorker } from "../workers/dashboard/thread.ts";
import type { Feeds } from "../operations/articles/lists/feeds.ts";
import type { Problems } from "../operations/system/problems.ts";
import { pendingMigrations } from "../store/migrations.ts";
import type { Database } from "../store/store.ts";
import type { DispatcherThread } from "../workers/dispatch/thread.ts";
import { measureDisk } from "../process/disk.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { DASHBOARD_FOLDER, VERSION } from "../process/installed-package.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const NO_DISPATCHER: DispatcherHealth = { state: "stopped", heartbeatSeconds: 0, restarts: 0 };
const WARN_FULL_EVERY_MS = 60_000;
export const KEY_USE_LOST = "the last use of API keys was not written down";

/** What changes while the service runs: requests ask about parts that start after the server is built. */
export interface ServiceState {
  isDraining: boolean;
  /** The address the service listens on; "" until it does. */
  url: string;
  dispatching: DispatcherThread | null;
  /** Null: the database is not copied as it changes. */
  replication: Replication | null;
  /** Null: the pictures are not copied as they are saved. */
  pictureCopies: PictureCopier | null;
}

export interface HttpParts {
  http: HttpServer;
  /** The operators' routes on a port of their own; null: they are on the service's port. */
  operatorServer: Server | null;
  readApi: ReadApi;
  dashboardThread: DashboardWorker;
  metrics: ServiceMetrics;
  /** See object-layout.ts. */
  objectLayouts: readonly object[];
}

interface BuildOptions {
  app: App;
  log: Log;
  /** Null: neither traces nor logs are exported. */
  telemetry: Pick<Telemetry, "stats"> | null;
  problems: Problems;
  state: ServiceState;
  /** Whether a socket for the operators' routes was passed to this process. */
  hasOperatorSocket: boolean;
}

export function buildHttp({ app, log, telemetry, problems, state, hasOperatorSocket }: BuildOptions): HttpParts {
  collectYoungOnOneThread();
  const objectLayouts = keepObjectLayouts();
  const { config } = app;
  const metrics = createMetrics(config.maxMetricLabels);
  const node = nodeName();
  const proxies = config.trustProxy === null ? null : new Proxies(config.trustProxy);
  const shared: Shared = {
    app,
    log,
    telemetry,
    problems,
    state,
    metrics,
    proxies,
    requestIds: new RequestIds(node, proxies),
    // For requests that wait for a response.
    store: failFastStore(app.store),
    dashboardThread: new DashboardWorker({
      config,
      store: app.store,
      log,
      arrivals: metrics.dashboard.arrivals,
      addSpan: app.tracing?.addSpan,
    }),
    readDescription: rememberFile("openapi.json"),
    readManagementDescription: rememberFile("openapi-management.json"),
  };
  const readApi = buildReadApi(shared, node);
  const operators = buildOperators(shared, () => readApi.cacheBytes);
  const isApart = hasOperatorSocket || config.metricsPort !== null;
  return {
    http: buildMainServer(shared, readApi, isApart ? null : operators),
    operatorServer: isApart ? operators.createServer() : null,
    readApi,
    dashboardThread: shared.dashboardThread,
    metrics,
    objectLayouts,
  };
}

function nodeName(): string {
  return `${hostname()
    .slice(0, 20)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")}-${randomBytes(3).toString("hex")}`;
}

interface Shared extends Omit<BuildOptions, "hasOperatorSocket"> {
  metrics: ServiceMetrics;
  proxies: Proxies | null;
  requestIds: RequestIds;
  store: Database;
  dashboardThread: DashboardWorker;
  readDescription: () => Buffer;
  readManagementDescription: () => Buffer;
}

function buildReadApi({ app, log, metrics, requestIds, readDescription }: Shared, node: string): ReadApi {
  const { config, store, clock } = app;
  return new ReadApi({
    cacheBytes: config.cacheBytes,
    httpCaches: config.httpCaches,
    defaultRate: config.rateLimit,
    store,
    clock,
    onError: (error, message = KEY_USE_LOST) => log.error(error, message),
    metrics: metrics.reads,
    log,
    node,
    requestIds,
    description: readDescription,
    findPreviewed: async (websiteId, token) => {
      const { findPreviewed } = await import("../operations/articles/review/site-preview.ts");
      return findPreviewed(app, websiteId, token);
    },
    findLatest: async (websiteId, id) => {
      const { findLatest } = await import("../operations/articles/review/site-preview.ts");
      return findLatest(app, websiteId, id);
    },
  });
}

function backupHealth({ replication, pictureCopies }: ServiceState): BackupHealth | null {
  const parts = [replication?.status(), pictureCopies?.status()].filter((part) => part !== undefined);
  if (parts.length === 0) return null;
  return {
    lagSeconds: Math.max(...parts.map(({ lagSeconds }) => lagSeconds)),
    problem: parts.find(({ problem }) => problem !== null)?.problem ?? null,
    hasDatabase: replication !== null,
  };
}

function buildOperators(shared: Shared, cacheBytes: () => number): Operators {
  const { app, log, telemetry, problems, state, metrics, requestIds, store, dashboardThread } = shared;
  const { config } = app;
  const dispatcher = () => state.dispatching?.health() ?? NO_DISPATCHER;
  const notReady = () => whyNotReady(shared);
  const backup = () => backupHealth(state);
  const file = config.database.kind === "sqlite" ? config.database.path : null;
  return new Operators(
    {
      metrics: {
        ...metrics,
        clockSkewMs: () => app.store.clockSkewMs(),
        version: VERSION,
        dispatcher,
        dashboardThread: () => dashboardThread.stats,
        content: () => sumStats([app.contentStats(), dashboardThread.contentProcessStats]),
        pool: () => app.store.pool(),
        cacheBytes,
        isReady: async () => (await notReady()) === null,
        isDraining: () => state.isDraining,
        disk: () => measureDisk(file, config.dataDir),
        backup,
        errors: () => problems.counts,
        telemetry: () => telemetry?.stats() ?? null,
        database: async () => {
          const { measureDatabase } = await import("../operations/system/measure.ts");
          return measureDatabase({ store, clock: app.clock }, config.maxMetricLabels);
        },
      },
      health: {
        version: VERSION,
        dispatcher,
        problems: () => problems.list({ store, secrets: app.secrets }, file),
        backup,
        notReady,
      },
    },
    log,
    requestIds,
  );
}

/** @returns null if the process can serve requests. */
async function whyNotReady({ state, store, app }: Shared): Promise<string | null> {
  if (state.isDraining) return "draining";
  // The database was not reachable lately, and a query might take long.
  if (Number.isNaN(app.store.changeToken(""))) return "database unavailable";
  try {
    return (await store.read((db) => pendingMigrations(db))).length === 0 ? null : "migrations pending";
  } catch {
    return "database unavailable";
  }
}

function buildMainServer(shared: Shared, readApi: ReadApi, operators: Operators | null): HttpServer {
  const { app, log, state, metrics, proxies, requestIds, store, dashboardThread } = shared;
  const { readDescription, readManagementDescription } = shared;
  const { config } = app;
  const { readModel } = readApi;
  let feeds: Feeds | undefined;
  return buildServer({
    readApi,
    operators,
    proxies,
    trace: app.tracing?.requests ?? null,
    log,
    requestIds,
    maxConnections: config.maxConnections,
    onFull: onceIn(WARN_FULL_EVERY_MS, () =>
      log.warn({ connections: config.maxConnections }, "no room for more connections (ROSTRUM_MAX_CONNECTIONS)"),
    ),
    docs: { description: readDescription, managementDescription: readManagementDescription },
    dashboard: { randomBytes, folder: DASHBOARD_FOLDER },
    assets: {
      open: async (websiteId, hash) => {
        const { openAsset } = await import("../operations/articles/assets/assets.ts");
        return openAsset(app, websiteId, hash);
      },
      openRendition: app.openRendition,
    },
    feeds: {
      read: async (websiteId, name) => {
        const { Feeds } = await import("../operations/articles/lists/feeds.ts");
        feeds ??= new Feeds({ deps: { store }, readModel, baseUrl: () => config.publicUrl ?? state.url });
        return feeds.read(websiteId, name);
      },
    },
    reviewKeys: {
      read: async () => (await import("../operations/system/signing-keys.ts")).readKeySet({ store }),
    },
    admin: {
      deps: { ...app, store },
      readModel,
      dashboardThread,
      publicUrl: config.publicUrl,
      disableAfter: config.webhooks.disableAfter,
      trashMs: config.retention.trashMs,
      metrics: metrics.dashboard,
      managementDescription: readManagementDescription,
      onError: (error, message) => log.error(error, message),
    },
  });
}

/** Reads a file of the package at its first use. */
function rememberFile(name: string): () => Buffer {
  let file: Buffer | undefined;
  return () => (file ??= readFileSync(join(ROOT, name)));
}

/** Calls `work` the first time, then at most once per `intervalMs`. */
function onceIn(intervalMs: number, work: () => void): () => void {
  let doneAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - doneAt < intervalMs) return;
    doneAt = now;
    work();
  };
}
