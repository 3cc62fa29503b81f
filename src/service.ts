/** Wires the service: store → operations → http, and the repeated tasks. Disposes in reverse order. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "./app.ts";
import type { Config } from "./config.ts";
import { sumOfFigures } from "./content-processes/counters.ts";
import { type Dispatching, startDispatching } from "./webhooks/dispatch/thread.ts";
import { AppError } from "./domain/system/errors.ts";
import { describeSkew, MAX_CLOCK_SKEW_MS } from "./domain/system/time.ts";
import type { DispatcherHealth } from "./http/health.ts";
import { storeUnlessAway } from "./http/database-away.ts";
import { DashboardMetrics, MailMetrics, ReadMetrics, ScheduleMetrics, WebhookMetrics } from "./http/metrics.ts";
import { keyUseInStore } from "./http/read-api/api-key-usage.ts";
import { createReadApi, KEY_USE_LOST } from "./http/read-api/create-read-api.ts";
import { LocalRateLimits } from "./http/read-api/rate-limit.ts";
import { Operators } from "./http/operators.ts";
import { Proxies } from "./http/proxies.ts";
import { RequestIds } from "./http/request-ids.ts";
import { buildServer, type HttpServer } from "./http/server.ts";
import { closeAtOnce, findPort, listen } from "./process/listen.ts";
import { measureDisk } from "./process/disk.ts";
import { saveHighWaterMark } from "./process/high-water-mark.ts";
import type { Log } from "./log.ts";
import { LongWorkThread } from "./long-work/thread.ts";
import { DueArticles } from "./operations/articles/scheduled-publisher.ts";
import { Problems } from "./operations/system/problems.ts";
import type { Feeds } from "./operations/articles/feeds.ts";
import { hasAccounts } from "./store/people/accounts.ts";
import { findCheckpoint } from "./store/system/table-copy.ts";
import { hasCurrentSchema } from "./store/current-schema.ts";
import type { Store } from "./store/store.ts";
import type { Readers } from "./readers/readers.ts";
import { runEvery } from "./process/interval.ts";
import { runLeaderTasks } from "./process/leader-tasks.ts";
import { startMailTasks } from "./process/mail-tasks.ts";
import { VERSION } from "./process/version.ts";

const DESCRIPTION = join(import.meta.dirname, "..", "openapi.json");

const NO_READERS = { running: 0, restarts: 0, residentBytes: 0, cacheBytes: 0 };
const REFRESH_EVERY_MS = 250;
/** Short enough for another node to publish a killed node's articles within 2 s: that node counts as dead after 1.5 s. */
const PUBLISH_DUE_EVERY_MS = 250;
const WARN_FULL_EVERY_MS = 60_000;
/** Final part of the drain, long enough for a proxy without health checks to see several refused reads. */
const REFUSE_READS_MS = 500;
const CHECK_CLOCK_INTERVAL_MS = 1_000;
/** Long enough for the readers who waited for the start to be answered. */
const LOAD_DASHBOARD_AFTER_MS = 100;

export interface Service extends AsyncDisposable {
  /** The address it listens on, e.g. `http://127.0.0.1:4000`. */
  url: string;
  /** The operators' address, if it is a separate port. */
  metricsUrl: string | null;
  /**
   * Keeps serving for `config.drainMs` while /readyz responds with 503 and every response closes its connection, so that
   * proxies send new requests elsewhere and none is in transit when the port closes. Call it before disposing.
   */
  drain(): Promise<void>;
  /** Rejects with an AppError `conflict` when the database was set back to an earlier state: the process must then end. */
  setBack: Promise<never>;
}

/**
 * Starts the service. @throws AppError when it cannot listen on the address, or the database is an unfinished copy or was set
 * back to an earlier state.
 */
export async function startService(app: App, ownLog: Log): Promise<Service> {
  const { config, store } = app;
  const problems = new Problems();
  const log: Log = {
    ...ownLog,
    failed: (facts, error) => {
      problems.record(error);
      ownLog.failed(facts, error);
    },
    error: (error, message) => {
      problems.record(error);
      ownLog.error(error, message);
    },
  };
  await assertCopyFinished(store);
  const keeper = await saveHighWaterMark(store, config.dataDir, log);
  const { maxMetricLabels } = config;
  const metrics = {
    reads: new ReadMetrics(maxMetricLabels),
    dashboard: new DashboardMetrics(),
    webhooks: new WebhookMetrics(maxMetricLabels),
    mails: new MailMetrics(),
    schedule: new ScheduleMetrics(),
  };
  let description: Buffer | undefined;
  const readDescription = () => (description ??= readFileSync(DESCRIPTION));
  let isDraining = false;
  const node = nodeName();
  const requestIds = new RequestIds(node);
  const limits = new LocalRateLimits();
  const onError = (error: unknown, message: string) => log.error(error, message);
  const usage = keyUseInStore(app, (error, message = KEY_USE_LOST) => onError(error, message));
  const { readApi, readModel, keys, cache } = createReadApi({
    cacheBytes: config.cacheBytes,
    httpCaches: config.httpCaches,
    defaultRate: config.rateLimit,
    store,
    clock: app.clock,
    limits,
    usage,
    onError,
    metrics: metrics.reads,
    log,
    node,
    requestIds,
    description: readDescription,
    findPreviewed: async (websiteId, token) => {
      const { findPreviewed } = await import("./operations/articles/site-preview.ts");
      return findPreviewed(app, websiteId, token);
    },
    findLatest: async (websiteId, id) => {
      const { findLatest } = await import("./operations/articles/site-preview.ts");
      return findLatest(app, websiteId, id);
    },
    forward: null,
  });
  let dispatching: Dispatching | undefined;
  const dispatcher = () =>
    dispatching?.health() ?? ({ state: "stopped", heartbeatSeconds: 0, restarts: 0 } satisfies DispatcherHealth);
  // For requests that wait for a response.
  const waiting = storeUnlessAway(store);
  const folder = config.database.kind === "sqlite" ? dirname(config.database.path) : null;
  const notReady = async () => {
    if (isDraining) return "draining";
    // The database was not reachable lately, and a query might take long.
    if (Number.isNaN(store.changeToken(""))) return "database unavailable";
    try {
      if (await waiting.read(hasCurrentSchema)) return null;
      const { pendingMigrations } = await import("./store/migrations.ts");
      return (await waiting.read((db) => pendingMigrations(db))).length === 0 ? null : "migrations pending";
    } catch {
      return "database unavailable";
    }
  };
  const longWork = new LongWorkThread({ config, store, log });
  let readers: Readers | undefined;
  let readersClosed: Promise<void> | undefined;
  const operatorOptions = {
    metrics: {
      ...metrics,
      collect: async () => readers?.collect(),
      readers: () => readers?.figures ?? NO_READERS,
      clockSkewMs: () => store.clockSkewMs(),
      version: VERSION,
      dispatcher,
      longWork: () => longWork.figures,
      content: () => sumOfFigures([app.contentCounters.figures, longWork.contentFigures]),
      pool: () => store.pool(),
      cacheBytes: () => cache.bytes + (readers?.figures ?? NO_READERS).cacheBytes,
      isReady: async () => (await notReady()) === null,
      isDraining: () => isDraining,
      disk: () => measureDisk(folder ?? config.dataDir, config.dataDir),
      errors: () => problems.counts,
      database: async () => {
        const { measureDatabase } = await import("./operations/system/measure.ts");
        return measureDatabase({ store: waiting, clock: app.clock }, maxMetricLabels);
      },
    },
    health: {
      version: VERSION,
      dispatcher,
      problems: () => problems.list({ store: waiting, secrets: app.secrets }, folder),
      notReady,
    },
  };
  const operators = new Operators(operatorOptions, log, requestIds);
  let feeds: Feeds | undefined;
  const http = buildServer({
    readApi,
    operators: config.metricsPort === null ? operators : null,
    proxies: config.trustProxy === null ? null : new Proxies(config.trustProxy),
    log,
    requestIds,
    maxConnections: connectionsPerProcess(config),
    readersClosed: async () => readersClosed,
    onFull: onceIn(WARN_FULL_EVERY_MS, () =>
      log.warn({ connections: config.maxConnections }, "no room for more connections (ROSTRUM_MAX_CONNECTIONS)"),
    ),
    docs: { description: readDescription },
    dashboard: { randomBytes },
    assets: {
      open: async (websiteId, hash) => {
        const { openAsset } = await import("./operations/articles/assets.ts");
        return openAsset(app, websiteId, hash);
      },
      openRendition: app.openRendition,
    },
    feeds: {
      read: async (websiteId, name) => {
        const { Feeds } = await import("./operations/articles/feeds.ts");
        feeds ??= new Feeds({ deps: { store: waiting }, readModel, baseUrl: () => config.publicUrl ?? url });
        return feeds.read(websiteId, name);
      },
    },
    admin: {
      deps: { ...app, store: waiting },
      readModel,
      longWork,
      publicUrl: config.publicUrl,
      disableAfter: config.webhooks.disableAfter,
      trashMs: config.retention.trashMs,
      metrics: metrics.dashboard,
      onError: (error, message) => log.error(error, message),
    },
  });
  const following = await store.follow((error, message) => log.error(error, message));
  const own = config.metricsPort === null ? null : operators.createServer();
  const port = config.readers > 1 ? await findPort(config) : config.port;
  const { url, metricsUrl } = await listenOnAll(http, own, { ...config, port }).catch(async (error: unknown) => {
    await following[Symbol.asyncDispose]();
    await keeper[Symbol.asyncDispose]();
    throw error;
  });
  if (config.readers > 1 && config.database.kind === "sqlite") {
    const { host, trustProxy, logLevel, rateLimit, cacheBytes, httpCaches } = config;
    const { Readers: ReadingProcesses } = await import("./readers/readers.ts");
    readers = new ReadingProcesses({
      count: config.readers - 1,
      settings: {
        databasePath: config.database.path,
        host,
        port,
        trustProxy,
        maxMetricLabels,
        logLevel,
        rateLimit,
        cacheBytes,
        httpCaches,
        maxConnections: connectionsPerProcess(config),
      },
      nodeName,
      acceptForwarded: (path, token) => http.acceptForwarded(path, token),
      store,
      limits,
      keys,
      metrics: metrics.reads,
      onErrors: (count) => problems.add(count),
      log,
    });
    await readers.start().catch(async (error: unknown) => {
      readersClosed = readers?.[Symbol.asyncDispose]();
      await http.close();
      if (own !== null) await closeAtOnce(own);
      await following[Symbol.asyncDispose]();
      await keeper[Symbol.asyncDispose]();
      throw error;
    });
  }
  const dueArticles = new DueArticles(
    app,
    (error, message) => log.error(error, message),
    (lateMs) => metrics.schedule.observe(lateMs),
  );
  const upkeep = [
    runEvery(REFRESH_EVERY_MS, () => readModel.refresh(), log),
    runEvery(
      PUBLISH_DUE_EVERY_MS,
      async () => {
        const published = await dueArticles.publish();
        if (published > 0) log.info({ published }, "scheduled articles published");
      },
      log,
    ),
  ];
  upkeep.push(runEvery(CHECK_CLOCK_INTERVAL_MS, warnOfSkew(store, log), log), ...runLeaderTasks(app, log));
  const mails = await startMailTasks(app, log, metrics.mails);
  upkeep.push(...mails.tasks);
  dispatching = startDispatching(app, log, (note) => metrics.webhooks.observe(note));
  // Loading takes some tenths of a second, in which nobody is answered.
  const loading = (async () => {
    await sleep(LOAD_DASHBOARD_AFTER_MS);
    if (!isDraining && (await store.read(hasAccounts))) await http.loadAdmin();
  })().catch((error: unknown) => log.error(error, "whether the dashboard has accounts could not be read"));
  return {
    url,
    metricsUrl,
    setBack: keeper.setBack,
    drain: async () => {
      isDraining = true;
      http.drain();
      readers?.drain();
      const refuseMs = Math.min(REFUSE_READS_MS, config.drainMs / 2);
      await sleep(config.drainMs - refuseMs);
      if (refuseMs > 0) {
        http.refuseReads();
        readers?.refuseReads();
      }
      await sleep(refuseMs);
    },
    [Symbol.asyncDispose]: async () => {
      await using _following = following;
      isDraining = true;
      mails.stop();
      const dispatched = dispatching?.[Symbol.asyncDispose]();
      await loading;
      readersClosed = readers?.[Symbol.asyncDispose]();
      await http.close();
      await longWork[Symbol.asyncDispose]();
      if (own !== null) await closeAtOnce(own);
      for (const task of upkeep) await task[Symbol.asyncDispose]();
      await keeper[Symbol.asyncDispose]();
      await dispatched;
      await keys.flush().catch((error: unknown) => log.error(error, "the last use of API keys was not written down"));
    },
  };
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

/** Logs each time the process's clock starts to differ from the database's. */
function warnOfSkew(store: Pick<Store, "clockSkewMs">, log: Pick<Log, "warn">): () => Promise<void> {
  let hasWarned = false;
  return async () => {
    const skewMs = store.clockSkewMs();
    if (skewMs === null) return;
    const isWrong = Math.abs(skewMs) > MAX_CLOCK_SKEW_MS;
    if (isWrong && !hasWarned) {
      const message = `this machine's clock is ${describeSkew(skewMs)} the database's, by which the service goes; set it with NTP`;
      log.warn({ clockSkewSeconds: skewMs / 1_000 }, message);
    }
    hasWarned = isWrong;
  };
}

/** The service would send only part of the queue and show only part of the articles. */
async function assertCopyFinished(store: Store): Promise<void> {
  if ((await store.read(findCheckpoint)) === undefined) return;
  throw new AppError(
    "conflict",
    'This database is a copy that "rostrum migrate-store" has not finished: run that again, then start the service.',
  );
}

function nodeName(): string {
  return `${hostname()
    .slice(0, 20)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")}-${randomBytes(3).toString("hex")}`;
}

/** Each process that answers readers takes its share. */
function connectionsPerProcess({ maxConnections, readers }: Config): number {
  return Math.ceil(maxConnections / Math.max(1, readers));
}

async function listenOnAll(
  http: HttpServer,
  own: Server | null,
  { host, port, metricsPort, readers }: Pick<Config, "host" | "port" | "metricsPort" | "readers">,
): Promise<Pick<Service, "url" | "metricsUrl">> {
  const url = await listen(http.server, { host, port, setting: "PORT", reusePort: readers > 1 });
  if (own === null) return { url, metricsUrl: null };
  try {
    return { url, metricsUrl: await listen(own, { host, port: metricsPort ?? 0, setting: "ROSTRUM_METRICS_PORT" }) };
  } catch (error) {
    await http.close();
    throw error;
  }
}
