/** Composes the service from its parts, and says in which order they start and stop. */
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app/app.ts";
import type { Replication } from "../backup/replication.ts";
import type { Config } from "../process/settings/config.ts";
import { AppError } from "../domain/system/errors.ts";
import type { HttpServer } from "../http/server.ts";
import type { Log } from "../process/log.ts";
import { Problems } from "../operations/system/problems.ts";
import { type BackgroundWork, startBackgroundWork } from "./background-work.ts";
import { buildHttp, type HttpParts, KEY_USE_LOST, type ServiceState } from "./build-http.ts";
import { saveHighWaterMark } from "./high-water-mark.ts";
import { closeAtOnce, descriptor, isAt, listen, listenOnPassed } from "../process/listen.ts";
import { NO_SOCKETS, type PassedSockets } from "./passed-sockets.ts";
import { hasAccounts } from "../store/people/accounts.ts";
import { findCheckpoint } from "../store/system/copy-checkpoint.ts";
import type { Store } from "../store/store.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** Final part of the drain, long enough for a proxy without health checks to see several refused reads. */
const REFUSE_READS_MS = 500;

/** Longer than any client keeps an idle connection (connections.ts). */
export const MAX_IDLE_MS = 75_000;
/** How long tasks that run may delay those of a process that takes over. */
const MAX_TASKS_MS = 1_000;
/** With a passed socket: how long responses may delay the end. */
const MAX_RESPONSE_MS = 10_000;

export interface Service extends AsyncDisposable {
  url: string;
  /** The operators' address, if it is a separate port. */
  metricsUrl: string | null;
  /**
   * Call it before disposing. Serves for `config.drainMs` more while responses close their connections, so that none is in transit
   * at the end. /readyz is 503, so that proxies go elsewhere; not if new connections wait for the next process.
   */
  drain(): Promise<void>;
  /** What it listens on, to be passed to a process that takes over. */
  sockets: PassedSockets;
  /**
   * Instead of `drain`, when another process serves on the same sockets. Calls `release` when the background work has ended. Resolves
   * when the last connection is closed: each after its next answer, or by its client, who has been told how long it may be idle. When
   * `hurry` resolves, it does not wait for idle ones.
   */
  handOver(release: () => Promise<void>, hurry: Promise<unknown>): Promise<void>;
  /** Rejects with AppError `conflict` when the database was set back: the process must then end. */
  setBack: Promise<never>;
}

interface ServiceOptions {
  /** Passed to this process, instead of addresses that the settings name. */
  sockets?: PassedSockets;
  /** What is exported, for the metrics; null: nothing. */
  telemetry?: Pick<Telemetry, "stats"> | null;
  /** Null: the database is not copied as it changes. */
  replication?: Replication | null;
  /**
   * Called when requests are answered; the background work waits for it. `kept`: sentences about addresses of the process that this one
   * replaces, where the settings name others.
   */
  onServing?: (url: string, kept: string[]) => Promise<void>;
}

/** @throws AppError when the address cannot be used, or the database is an unfinished copy or was set back. */
export async function startService(
  app: App,
  ownLog: Log,
  {
    sockets = NO_SOCKETS,
    telemetry = null,
    replication = null,
    onServing = () => Promise.resolve(),
  }: ServiceOptions = {},
): Promise<Service> {
  const { config, store } = app;
  const problems = new Problems();
  const log = recordErrors(ownLog, problems);
  const state: ServiceState = { isDraining: false, url: "", dispatching: null, replication, pictureCopies: null };
  await assertCopyFinished(store);
  // Stops what has started if the rest cannot.
  await using started = new AsyncDisposableStack();
  const copying = started.use(replication?.follow(store) ?? null);
  const highWaterMark = started.use(await saveHighWaterMark(store, config.dataDir, log));
  const parts = buildHttp({ app, log, telemetry, problems, state, hasOperatorSocket: sockets.metrics !== null });
  const following = started.use(await store.followCommits((error, message) => log.error(error, message)));
  // Loading takes time: before the first request while another process answers, otherwise soon after it (background-work.ts).
  if (sockets.predecessor !== null && (await store.read(hasAccounts))) await parts.http.loadAdmin();
  const { url, metricsUrl } = await listenOnAll(parts, config, sockets);
  state.url = url;
  started.defer(() => stopListening(parts));
  await onServing(url, sockets.predecessor === null || sockets.areKept ? [] : describeKept(parts, config));
  const { readModel } = parts.readApi;
  const background = await startBackgroundWork({ app, log, state, ...parts, readModel });
  started.move();
  return {
    url,
    metricsUrl,
    sockets: {
      http: descriptor(parts.http.server),
      metrics: parts.operatorServer && descriptor(parts.operatorServer),
      predecessor: null,
      areKept: sockets.areKept,
    },
    handOver: async (release, hurry) => {
      const closed = parts.http.stopAccepting();
      parts.operatorServer?.close();
      background.stopMails();
      void background.stopDispatching();
      // Another process may do the same at once: what each does is a transaction with a condition.
      await Promise.race([background.stopTasks(), sleep(MAX_TASKS_MS, undefined, { ref: false })]);
      await highWaterMark[Symbol.asyncDispose]();
      await release();
      if (config.drainMs > 0) await Promise.race([closed, hurry, sleep(MAX_IDLE_MS, undefined, { ref: false })]);
    },
    setBack: highWaterMark.setBack,
    drain: () => (sockets.areKept ? drainPassed(parts.http, background, config) : drain(parts.http, state, config)),
    [Symbol.asyncDispose]: async () => {
      await using _following = following;
      using _copying = copying;
      state.isDraining = true;
      background.stopMails();
      const dispatched = background.stopDispatching();
      await background.dashboardLoaded;
      await stopListening(parts);
      await background.stopTasks();
      await readModel[Symbol.asyncDispose]();
      await highWaterMark[Symbol.asyncDispose]();
      await dispatched;
      await parts.readApi.keys.flush().catch((error: unknown) => log.error(error, KEY_USE_LOST));
    },
  };
}

/** Counts errors for /metrics and /readyz as well. */
function recordErrors(log: Log, problems: Problems): Log {
  return {
    ...log,
    failed: (facts, error) => {
      problems.record(error);
      log.failed(facts, error);
    },
    error: (error, message) => {
      problems.record(error);
      log.error(error, message);
    },
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

async function listenOnAll(
  { http, operatorServer }: HttpParts,
  { host, port, metricsPort }: Pick<Config, "host" | "port" | "metricsPort">,
  sockets: PassedSockets,
): Promise<Pick<Service, "url" | "metricsUrl">> {
  const url =
    sockets.http === null
      ? await listen(http.server, { host, port, setting: "PORT" })
      : await listenOnPassed(http.server, sockets.http);
  if (operatorServer === null) return { url, metricsUrl: null };
  try {
    const metricsUrl =
      sockets.metrics === null
        ? await listen(operatorServer, { host, port: metricsPort ?? 0, setting: "ROSTRUM_METRICS_PORT" })
        : await listenOnPassed(operatorServer, sockets.metrics);
    return { url, metricsUrl };
  } catch (error) {
    await http.close();
    throw error;
  }
}

function describeKept({ http, operatorServer }: HttpParts, { host, port, metricsPort }: Config): string[] {
  const kept: string[] = [];
  if (!isAt(http.server, { host, port })) {
    kept.push("HOST or PORT has changed: the service stays where it is until it is stopped and started.");
  }
  if (operatorServer !== null && (metricsPort === null || !isAt(operatorServer, { host, port: metricsPort }))) {
    kept.push(
      "HOST or ROSTRUM_METRICS_PORT has changed: health and metrics stay where they are until the service is stopped and started.",
    );
  }
  return kept;
}

async function drain(http: HttpServer, state: ServiceState, { drainMs }: Config): Promise<void> {
  state.isDraining = true;
  http.drain();
  const refuseMs = Math.min(REFUSE_READS_MS, drainMs / 2);
  await sleep(drainMs - refuseMs);
  if (refuseMs > 0) http.refuseReads();
  await sleep(refuseMs);
}

/**
 * Connections wait in the supervisor's socket from the end of this process until the next one serves. So this one goes on accepting
 * until nothing that takes long is left. It stays ready: a proxy has nowhere else to go.
 */
async function drainPassed(http: HttpServer, background: BackgroundWork, { drainMs }: Config): Promise<void> {
  http.drain();
  await sleep(drainMs);
  background.stopMails();
  const finished = Promise.all([background.stopDispatching(), background.stopTasks()]);
  await Promise.all([finished, http.finish(MAX_RESPONSE_MS)]);
}

/** Closes the ports after the responses in progress. */
async function stopListening({ http, dashboardThread, operatorServer }: HttpParts): Promise<void> {
  await http.close();
  await dashboardThread[Symbol.asyncDispose]();
  if (operatorServer !== null) await closeAtOnce(operatorServer);
}
