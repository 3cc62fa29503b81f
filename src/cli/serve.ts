import { type App, openApp } from "../app/app.ts";
import type { Replication } from "../backup/replication.ts";
import { type Config, describeDatabase, readConfig } from "../process/settings/config.ts";
import { findService } from "../process/data-lock.ts";
import { realPath } from "../store/system/files.ts";
import { AppError } from "../domain/system/errors.ts";
import { restrictDataFolder } from "../service/data-folder.ts";
import { type Log, openLog } from "../process/log.ts";
import { makeRoom, setAside } from "../store/system/disk-reserve.ts";
import { isDiskFull } from "../store/system/outage.ts";
import { listWebsites } from "../store/system/websites.ts";
import { WRONG_KEY } from "../operations/system/problems.ts";
import { hasRightKey } from "../operations/system/secret-check.ts";
import { maxOpenFiles } from "../process/open-files.ts";
import { logFatalErrors } from "../process/fatal-errors.ts";
import { findPassedSockets, type PassedSockets } from "../service/passed-sockets.ts";
import { MAX_IDLE_MS, type Service, startService } from "../service/service.ts";
import { Supervisor } from "../service/supervisor.ts";
import { askForTakeover, controlPath, Predecessor, TakeoverOffer } from "../service/takeover.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { TelemetryConfig } from "../telemetry/telemetry-config.ts";
import type { StepReport } from "../store/migration-steps.ts";
import { VERSION } from "../process/installed-package.ts";
import { type Command, explainFailure, type Io, ownCommand, ownProgram, parseOptions } from "./command.ts";
import { lockSqlite, requireSqlitePath } from "./system/databases.ts";
import { findKeyProblem } from "./system/secret-key.ts";
import type { StopReason } from "./stop-signals.ts";

/** Limit after draining: how long pending requests, webhook attempts and queries may delay the stop. */
const STOP_TIMEOUT_MS = 20_000;
/** How long Litestream may delay a process that takes over, whose own goes on where it was. */
const MAX_LAST_COPY_MS = 1_000;

export const serve: Command = {
  summary: "run the service",
  help: `Usage: rostrum serve [--port PORT] [--takeover]

Serves the read API, the dashboard, health and metrics, and delivers webhooks, until it is stopped. After SIGTERM it keeps
serving for ROSTRUM_DRAIN_SECONDS (5), so that proxies notice; SIGINT (Ctrl-C) stops it without that. A second signal ends
it at once.

It listens on HOST (127.0.0.1) and PORT (4000), and keeps its data in ROSTRUM_DATA_DIR (./data).

  --port PORT  where it listens, instead of PORT
  --takeover   replaces the service that runs on the data in SQLite, without a gap: that one starts this version, with the
               settings of this command, and ends when it serves. If it does not serve, the old one goes on. This command
               ends then, and standard output and error are those of the old service`,
  async run(args, io) {
    const { values } = parseOptions(args, { port: { type: "string" }, takeover: { type: "boolean" } });
    const port = values.port === undefined ? {} : { PORT: values.port };
    const config = readConfig({ ...io.environment, ...port }, io.directory);
    if (values.takeover === true) return takeOver(config, values.port, io);
    const sockets = findPassedSockets(io.environment);
    using predecessor = sockets.predecessor === null ? null : new Predecessor(sockets.predecessor);
    try {
      return await run(config, sockets, predecessor, io);
    } catch (error) {
      predecessor?.fail(explainFailure(error)?.message ?? String(error));
      throw error;
    }
  },
};

async function takeOver(config: Config, port: string | undefined, io: Io): Promise<number> {
  const path = requireSqlitePath(
    config.database,
    'run several processes there, and restart one after the other (docs/operate.md, "Rolling upgrades").',
  );
  const service = findService(path);
  if (service === null) {
    throw new AppError("conflict", `No service runs on ${path}: start one with "rostrum serve".`);
  }
  const { program, environment } = ownProgram(io.environment);
  const { pid, url, kept } = await askForTakeover(controlPath(realPath(path)), {
    program: [...program, "serve", ...(port === undefined ? [] : ["--port", port])],
    directory: io.directory,
    environment,
  });
  io.out(`Process ${pid} serves now at ${url}, instead of process ${service.pid}.\n`);
  for (const sentence of kept) io.err(`${sentence}\n`);
  return 0;
}

/** Serves until it is told to stop, or replaced. */
async function run(config: Config, sockets: PassedSockets, predecessor: Predecessor | null, io: Io): Promise<number> {
  const stopped = io.whenStopped();
  const { database } = config;
  if (database.kind === "sqlite") makeRoom(database.path);
  // Closed last: it sends what the others have left.
  await using telemetry = config.telemetry && (await openTelemetry(config.telemetry, () => log));
  // The next process waits for it, and not for the telemetry's collector.
  using held = new DisposableStack();
  // A predecessor holds it until this process serves.
  let lock = predecessor === null ? held.use(lockSqlite(database, "serve")) : undefined;
  const openFiles = restrictDataFolder(config);
  const log = openLog(config.logLevel, telemetry === null ? undefined : (line) => telemetry.addLine(line));
  logFatalErrors(log);
  using supervisor = new Supervisor(io.environment, log);
  const onMigrationStep = (report: StepReport) => {
    log.info(report, "migration step");
    // Reports progress during a start that takes minutes.
    log.flush();
  };
  let isStarting = true;
  // Migrations may take minutes, and go on at the next start.
  const abortStart = (reason: StopReason): void => {
    if (!isStarting) return;
    log.info({ reason }, "stopping before the start has ended");
    log.flush();
    io.exit(0);
  };
  void stopped.then(abortStart);
  // Ends after the store is closed, so that no commit is left out.
  await using replication = await openReplication(config, io, log);
  if (predecessor === null) replication?.start();
  await using app = await openApp(config, {
    migrates: predecessor === null ? true : "additions",
    onMigrationStep,
    ...(telemetry !== null && { addSpan: (span) => telemetry.addSpan(span) }),
  });
  isStarting = predecessor !== null;
  try {
    await warn(app, log, openFiles);
    await using service = await startService(app, log, {
      sockets,
      telemetry,
      replication,
      onServing: async (url, kept) => {
        // Only then may the process end that the supervisor watches.
        if (predecessor !== null) await supervisor.notify(`MAINPID=${process.pid}`, "READY=1");
        supervisor.feedWatchdog();
        if (predecessor === null) return;
        for (const sentence of kept) log.warn({}, sentence);
        await predecessor.replace(url, kept);
        isStarting = false;
        lock = held.use(lockSqlite(database, "serve"));
        replication?.start();
      },
    });
    lock?.publishUrl(service.url);
    if (database.kind === "sqlite") setAside(database.path);
    const address = await announce(app, service, io, log);
    void supervisor.notify("READY=1", `STATUS=Serving at ${address}`);
    using offer = offerTakeover(config, service, io, log, supervisor);
    const reason = await Promise.race([stopped, service.setBack, ...(offer === null ? [] : [offer.taken])]);
    if (typeof reason !== "string") {
      supervisor[Symbol.dispose]();
      endWithin(STOP_TIMEOUT_MS + MAX_IDLE_MS, log, io);
      log.info({ process: reason.pid }, "another process serves now; this one finishes what it has");
      await service.handOver(async () => {
        // The successor has its own.
        await replication?.stop(MAX_LAST_COPY_MS);
        held.dispose();
        reason.release();
      }, stopped);
      return 0;
    }
    offer?.[Symbol.dispose]();
    const drains = reason === "SIGTERM";
    if (io.columns === null) log.info({ reason, drainSeconds: drains ? config.drainMs / 1_000 : 0 }, "stopping");
    void supervisor.notify("STOPPING=1", "STATUS=Finishing what is under way");
    endWithin(STOP_TIMEOUT_MS + (drains ? config.drainMs : 0), log, io);
    if (drains) await service.drain();
  } finally {
    log.flush();
  }
  return 0;
}

/** Logs what does not stop the service. `openFiles`: sentences about files that others can read. */
async function warn(app: App, log: Log, openFiles: readonly string[]): Promise<void> {
  const { config } = app;
  const { maxConnections } = config;
  for (const sentence of [...config.ignoredSettings, ...openFiles]) log.warn({}, sentence);
  const files = maxOpenFiles();
  if (files < maxConnections) {
    log.warn(
      { files, maxConnections },
      "fewer files may be open than ROSTRUM_MAX_CONNECTIONS: raise the limit (LimitNOFILE)",
    );
  }
  const keyProblem = findKeyProblem(config) ?? ((await hasRightKey(app)) ? null : WRONG_KEY);
  if (keyProblem !== null) log.warn({}, keyProblem);
  if (config.database.kind === "postgres" && config.secretKey === null) {
    log.warn({}, "ROSTRUM_SECRET_KEY is not set: each machine has a key of its own, and cannot sign for the others");
  }
}

/** Says where the service is, and what to do first. @returns the public URL, or else the local one, which commands use. */
async function announce(app: App, { url, metricsUrl }: Service, io: Io, log: Log): Promise<string> {
  const { publicUrl, database } = app.config;
  const address = publicUrl ?? url;
  if (io.columns !== null) {
    io.out(
      `Rostrum ${VERSION} serves at ${address}; the dashboard is at ${address}/dashboard.\n` +
        `Its data is in ${describeDatabase(database)}. Stop it with Ctrl+C.\n`,
    );
  } else {
    log.info({ url, publicUrl, metricsUrl, version: VERSION, database: describeDatabase(database) }, "serving");
  }
  if ((await app.store.read(listWebsites)).length === 0) {
    io.err(
      "There is no website yet. Add one in the dashboard, or in another terminal:\n" +
        `  ${ownCommand(io.directory)} website create --name "My website" --url https://example.com\n`,
    );
  }
  const { showOwnerLink } = await import("./people/setup-link.ts");
  try {
    await showOwnerLink(app, io, address);
  } catch (error) {
    // On a full disk readers are served all the same.
    if (!isDiskFull(error)) throw error;
    log.error(error, "the link for the owner cannot be made");
  }
  return address;
}

/** Null: the database is not copied. */
async function openReplication(
  { backup, database }: Config,
  { environment }: Io,
  log: Log,
): Promise<Replication | null> {
  const { place, keepMs } = backup;
  if (place === null) return null;
  if (database.kind === "postgres") {
    log.warn(
      {},
      'ROSTRUM_BACKUP_URL copies the pictures, not the data in PostgreSQL: see "Backups: PostgreSQL" in docs/operate.md',
    );
    return null;
  }
  const { Replication } = await import("../backup/replication.ts");
  return new Replication({ place, databasePath: realPath(database.path), keepMs, environment, log });
}

/** Null on PostgreSQL, where several processes run. */
function offerTakeover(
  { database }: Config,
  { sockets }: Service,
  { environment }: Io,
  log: Log,
  supervisor: Supervisor,
): TakeoverOffer | null {
  if (database.kind !== "sqlite") return null;
  return new TakeoverOffer({
    path: controlPath(realPath(database.path)),
    sockets,
    environment,
    log,
    // The successor may have taken its place there already.
    onFailed: () => void supervisor.notify(`MAINPID=${process.pid}`),
  });
}

function endWithin(ms: number, log: Log, io: Io): void {
  setTimeout(() => {
    log.warn({}, "not everything could be finished in time; the process ends now");
    log.flush();
    io.exit(1);
  }, ms).unref();
}

async function openTelemetry(config: TelemetryConfig, log: () => Log): Promise<Telemetry> {
  const { Telemetry } = await import("../telemetry/telemetry.ts");
  return new Telemetry({
    config,
    version: VERSION,
    onDown: (facts, message) => log().warn(facts, message),
    onUp: (facts, message) => log().info(facts, message),
  });
}
