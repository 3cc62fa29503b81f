/** Wires the service: store → operations → http, and the repeated tasks. Disposes in reverse order. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "./app.ts";
import type { Config } from "./config.ts";
import { sumOfFigures } from "./content-processes/counters.ts";
import { type Dispatching, startDispatching } from "./webhooks/dispatch/thread.ts";
import { KEY_SCOPES } from "./domain/people/api-key.ts";
import { AppError } from "./domain/system/errors.ts";
import { describeSkew, MAX_CLOCK_SKEW_MS } from "./domain/system/time.ts";
import { apiUrl } from "./domain/webhooks/event.ts";
import type { DispatcherHealth } from "./http/health.ts";
import { storeUnlessAway } from "./http/database-away.ts";
import { DashboardMetrics, MailMetrics, ReadMetrics, ScheduleMetrics, WebhookMetrics } from "./http/metrics.ts";
import { ReadApi } from "./http/read-api/read-api.ts";
import { ApiKeyCache } from "./http/read-api/key-auth.ts";
import { ResponseCache } from "./http/read-api/response-cache.ts";
import { Operators } from "./http/operators.ts";
import { Proxies } from "./http/proxies.ts";
import { RequestIds } from "./http/request-ids.ts";
import { buildServer, type HttpServer } from "./http/server.ts";
import { measureDisk } from "./process/disk.ts";
import { saveHighWaterMark } from "./process/high-water-mark.ts";
import type { Log } from "./log.ts";
import { LongWorkThread } from "./long-work/thread.ts";
import { DueArticles } from "./operations/articles/scheduled-publisher.ts";
import { Problems } from "./operations/system/problems.ts";
import type { OnError } from "./operations/webhooks/dead-letters.ts";
import { measureDatabase } from "./operations/system/measure.ts";
import { findPreviewed } from "./operations/articles/site-preview.ts";
import { ReadModel } from "./operations/articles/read-model.ts";
import { Outbox } from "./operations/system/email-outbox.ts";
import { hasAccounts } from "./store/people/accounts.ts";
import { findCheckpoint } from "./store/system/table-copy.ts";
import { pendingMigrations } from "./store/migrations.ts";
import type { Store } from "./store/store.ts";
import { runEvery } from "./process/interval.ts";
import { VERSION } from "./process/version.ts";

const DESCRIPTION = join(import.meta.dirname, "..", "openapi.json");

/** Share of the cache memory for list forms and sorted indexes; the rest is for prepared responses. */
const CATALOG_SHARE = 0.3;
const REFRESH_EVERY_MS = 250;
/** Short enough for another node to publish a killed node's articles within 2 s: that node counts as dead after 1.5 s. */
const PUBLISH_DUE_EVERY_MS = 250;
const SEND_MAILS_EVERY_MS = 1_000;
const WARN_FULL_EVERY_MS = 60_000;
/** Final part of the drain, long enough for a proxy without health checks to see several refused reads. */
const REFUSE_READS_MS = 500;
const REMOVE_CONTENTS_EVERY_MS = 60_000;
const CHECK_CLOCK_INTERVAL_MS = 1_000;
const REMOVE_OLD_EVERY_MS = 300_000;
const REMOVE_WEBSITES_EVERY_MS = 10_000;
/** Long enough for the readers who waited for the start to be answered. */
const LOAD_DASHBOARD_AFTER_MS = 100;
const REBUILD_INDEXES_EVERY_MS = 300_000;

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
  const catalogBytes = Math.floor(config.cacheBytes * CATALOG_SHARE);
  const cache = new ResponseCache(config.cacheBytes - catalogBytes);
  const readModel = new ReadModel({
    store,
    cacheBytes: catalogBytes,
    onChange: (websiteId, articleIds) => {
      for (const scope of KEY_SCOPES) {
        for (const id of articleIds) cache.drop(websiteId, scope, apiUrl(id));
      }
    },
  });
  const keys = new ApiKeyCache({
    deps: app,
    defaultRate: config.rateLimit,
    partition: (websiteId, scope) => cache.partition(websiteId, scope),
    onError: (error, message = "the last use of API keys was not written down") => log.error(error, message),
  });
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
  const delivery = new ReadApi({
    store,
    readModel,
    keys,
    cache,
    metrics: metrics.reads,
    log,
    node,
    requestIds,
    description: readDescription,
    findPreviewed: (websiteId, token) => findPreviewed(app, websiteId, token),
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
      return (await waiting.read(pendingMigrations)).length === 0 ? null : "migrations pending";
    } catch {
      return "database unavailable";
    }
  };
  const longWork = new LongWorkThread({ config, store, log });
  const operatorOptions = {
    metrics: {
      ...metrics,
      clockSkewMs: () => store.clockSkewMs(),
      version: VERSION,
      dispatcher,
      longWork: () => longWork.figures,
      content: () => sumOfFigures([app.contentCounters.figures, longWork.contentFigures]),
      pool: () => store.pool(),
      cacheBytes: () => cache.bytes,
      isReady: async () => (await notReady()) === null,
      isDraining: () => isDraining,
      disk: () => measureDisk(folder ?? config.dataDir, config.dataDir),
      errors: () => problems.counts,
      database: () => measureDatabase({ store: waiting, clock: app.clock }, maxMetricLabels),
    },
    health: {
      version: VERSION,
      dispatcher,
      problems: () => problems.list({ store: waiting, secrets: app.secrets }, folder),
      notReady,
    },
  };
  const operators = new Operators(operatorOptions, log, requestIds);
  const http = buildServer({
    delivery,
    operators: config.metricsPort === null ? operators : null,
    proxies: config.trustProxy === null ? null : new Proxies(config.trustProxy),
    log,
    requestIds,
    maxConnections: config.maxConnections,
    onFull: onceIn(WARN_FULL_EVERY_MS, () =>
      log.warn({ connections: config.maxConnections }, "no room for more connections (ROSTRUM_MAX_CONNECTIONS)"),
    ),
    docs: { description: readDescription },
    dashboard: { randomBytes },
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
  const { url, metricsUrl } = await listenOnAll(http, own, config).catch(async (error: unknown) => {
    await following[Symbol.asyncDispose]();
    await keeper[Symbol.asyncDispose]();
    throw error;
  });
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
  // The leader does this for all processes. What it takes is loaded then: a start does not wait for it.
  const ifOnDuty = (work: (onError: OnError) => Promise<unknown>) => async () => {
    if (store.isLeader()) await work((error, message) => log.error(error, message));
  };
  upkeep.push(runEvery(CHECK_CLOCK_INTERVAL_MS, warnOfSkew(store, log), log));
  upkeep.push(
    runEvery(
      REMOVE_CONTENTS_EVERY_MS,
      ifOnDuty(async (onError) => {
        const { removeContents } = await import("./operations/webhooks/event-contents.ts");
        await removeContents(app, config.webhooks.eventKeepMs, onError);
      }),
      log,
    ),
    runEvery(
      REMOVE_OLD_EVERY_MS,
      ifOnDuty(async (onError) => {
        const { removeOld } = await import("./operations/system/retention.ts");
        await removeOld(app, config.retention, config.webhooks.keepMs, onError);
      }),
      log,
    ),
    runEvery(
      REMOVE_WEBSITES_EVERY_MS,
      ifOnDuty(async (onError) => {
        const { removeDeletedWebsites } = await import("./operations/system/website-deletion.ts");
        await removeDeletedWebsites(app, onError);
      }),
      log,
    ),
    runEvery(
      REBUILD_INDEXES_EVERY_MS,
      ifOnDuty(async () => {
        const { rebuildBloatedIndexes } = await import("./operations/system/index-rebuild.ts");
        for (const { name, bytes } of await rebuildBloatedIndexes(app)) {
          log.info({ index: name, bytes }, "an index was many times larger than its rows need, and was rebuilt");
        }
      }),
      log,
    ),
  );
  const outbox = createOutbox(app, log, metrics.mails);
  if (outbox !== undefined) upkeep.push(runEvery(SEND_MAILS_EVERY_MS, () => outbox.poll(), log));
  dispatching = startDispatching(app, log, (note) => {
    metrics.webhooks.observe(note);
    // The dispatcher thread commits quietly, so the store does not wake the outbox.
    if (note.hasDisabled || note.warning !== null) outbox?.wake();
  });
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
      const refuseMs = Math.min(REFUSE_READS_MS, config.drainMs / 2);
      await sleep(config.drainMs - refuseMs);
      if (refuseMs > 0) http.refuseReads();
      await sleep(refuseMs);
    },
    [Symbol.asyncDispose]: async () => {
      await using _following = following;
      isDraining = true;
      outbox?.stop();
      const dispatched = dispatching?.[Symbol.asyncDispose]();
      await loading;
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

/** Undefined if no emails are sent. */
function createOutbox({ store, clock, secrets, mail }: App, log: Log, metrics: MailMetrics): Outbox | undefined {
  if (mail === null) return undefined;
  return new Outbox({
    deps: { store, clock, secrets, mail },
    onError: (error, message) => log.error(error, message),
    onTried: (outcome) => metrics.observe(outcome),
  });
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

async function listenOnAll(
  http: HttpServer,
  own: Server | null,
  { host, port, metricsPort }: Pick<Config, "host" | "port" | "metricsPort">,
): Promise<Pick<Service, "url" | "metricsUrl">> {
  const url = await listen(http.server, { host, port, setting: "PORT" });
  if (own === null) return { url, metricsUrl: null };
  try {
    return { url, metricsUrl: await listen(own, { host, port: metricsPort ?? 0, setting: "ROSTRUM_METRICS_PORT" }) };
  } catch (error) {
    await http.close();
    throw error;
  }
}

async function closeAtOnce(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

async function listen(
  server: Server,
  { host, port, setting }: Pick<Config, "host" | "port"> & { setting: string },
): Promise<string> {
  try {
    server.listen({ host, port });
    await once(server, "listening");
    return addressOf(server);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new AppError(
        "conflict",
        `Port ${port} on ${host} is in use by another program: stop it, or choose another port, as in ${setting}=${port + 1}.`,
        { cause: error },
      );
    }
    if (code === "EACCES") {
      throw new AppError(
        "misconfigured",
        `This user may not listen on port ${port}: choose one above 1023 with ${setting}.`,
      );
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new AppError("misconfigured", `HOST is "${host}", which is not an address of this machine.`);
    }
    throw error;
  }
}

/** @returns the URL at which this machine can reach it. */
function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  const host = address.address === "0.0.0.0" ? "127.0.0.1" : address.address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
