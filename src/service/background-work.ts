/** What the service does besides answering requests: articles that are due, e-mails, webhooks, the leader's tasks. */
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type App, openAssetFiles } from "../app/app.ts";
import { describeSkew, MAX_CLOCK_SKEW_MS } from "../domain/system/time.ts";
import type { HttpServer } from "../http/server.ts";
import type { Log } from "../process/log.ts";
import { Schedule } from "../operations/articles/write/schedule.ts";
import type { ReadModel } from "../operations/articles/read-model/read-model.ts";
import { hasAccounts } from "../store/people/accounts.ts";
import type { Clock } from "../store/store.ts";
import { DispatcherThread } from "../workers/dispatch/thread.ts";
import type { Counter, ServiceMetrics } from "../http/operators/metrics.ts";
import type { ServiceState } from "./build-http.ts";
import { describeDatabase } from "../process/settings/config.ts";
import type { FilePlace } from "../process/settings/file-places.ts";
import { type Repeated, runEvery, runRepeatedly } from "../process/interval.ts";
import { runLeaderTasks } from "./leader-tasks.ts";
import { releaseStartMemory } from "../process/start-memory.ts";
import { removeAbandonedFiles } from "../process/temporary-files.ts";

const REFRESH_EVERY_MS = 250;
/** Short enough for another node to publish a killed one's articles within 2 s: it counts as dead after 1.5 s. */
const PUBLISH_DUE_EVERY_MS = 250;
const CHECK_CLOCK_INTERVAL_MS = 1_000;
/** After the start, and where another process is the leader. */
const COPY_PICTURES_AFTER_MS = 1_000;
/** Long enough for the readers who waited for the start to be answered. */
const LOAD_DASHBOARD_AFTER_MS = 100;

export interface BackgroundWork {
  stopMails(): void;
  /** Resolves when the dispatcher's thread has ended. May be called again, as may `stopTasks`. */
  stopDispatching(): Promise<void>;
  /** Settles when the dashboard's API is loaded, or will not be. */
  dashboardLoaded: Promise<void>;
  stopTasks(): Promise<void>;
}

interface BackgroundOptions {
  app: App;
  log: Log;
  state: ServiceState;
  http: HttpServer;
  readModel: ReadModel;
  metrics: ServiceMetrics;
}

export async function startBackgroundWork(options: BackgroundOptions): Promise<BackgroundWork> {
  const { app, log, state, metrics } = options;
  const tasks = [...runNodeTasks(options), ...runLeaderTasks(app, log, metrics.dashboard)];
  const mails = await startMailTasks(app, log, metrics.mails);
  tasks.push(...mails.tasks);
  if (app.config.backup.place !== null) tasks.push(await copyPictures(options, app.config.backup.place));
  const memory = releaseStartMemory();
  const dispatching = new DispatcherThread(app, log, metrics.webhooks);
  state.dispatching = dispatching;
  void removeTemporaryFiles(log);
  return {
    stopMails: () => mails.stop(),
    stopDispatching: async () => dispatching[Symbol.asyncDispose](),
    dashboardLoaded: loadDashboard(options),
    stopTasks: async () => {
      memory[Symbol.dispose]();
      for (const task of tasks) await task[Symbol.asyncDispose]();
    },
  };
}

/** What every process does, the leader or not. */
function runNodeTasks({ app, log, readModel, metrics }: BackgroundOptions): Repeated[] {
  const schedule = new Schedule(
    app,
    (error, message) => log.error(error, message),
    (lateMs) => metrics.schedule.observe(Math.max(0, lateMs)),
  );
  const publishDue = async () => {
    const published = await schedule.publish();
    if (published > 0) log.info({ published }, "scheduled articles published");
  };
  return [
    runEvery(REFRESH_EVERY_MS, () => readModel.refresh(), log),
    runEvery(PUBLISH_DUE_EVERY_MS, publishDue, log),
    runEvery(CHECK_CLOCK_INTERVAL_MS, warnOfSkew(app.store, log), log),
  ];
}

/** For all processes of the service, the leader does it. */
async function copyPictures({ app, log, state }: BackgroundOptions, place: FilePlace): Promise<Repeated> {
  const [{ PictureCopier }, { backupPlace }, { openObjects }, { SharedPlace }] = await Promise.all([
    import("../backup/pictures.ts"),
    import("../backup/backup-url.ts"),
    import("../backup/objects.ts"),
    import("../backup/place-owner.ts"),
  ]);
  const { config, store } = app;
  const stopping = new AbortController();
  const { signal } = stopping;
  const objects = openObjects(place, signal);
  const shared = new SharedPlace(store, objects, backupPlace(place).url, describeDatabase(config.database));
  const copier = new PictureCopier({
    ...app,
    copies: openAssetFiles({ assets: backupPlace(place).pictures, dataDir: config.dataDir }, signal),
    objects,
    place,
    keepMs: config.backup.keepMs,
    isOwner: () => state.replication?.isOwner() ?? shared.isOwner(),
    log,
    signal,
  });
  state.pictureCopies = copier;
  const work = async () => (store.isLeader() ? copier.run() : COPY_PICTURES_AFTER_MS);
  const copying = runRepeatedly(COPY_PICTURES_AFTER_MS, work, log);
  return {
    ...copying,
    [Symbol.asyncDispose]: async () => {
      // A bucket may never answer. The next start copies what is left.
      stopping.abort();
      await copying[Symbol.asyncDispose]();
    },
  };
}

async function removeTemporaryFiles(log: Log): Promise<void> {
  try {
    const removed = await removeAbandonedFiles(tmpdir());
    if (removed > 0) log.info({ removed }, "temporary files of killed processes removed");
  } catch (error) {
    log.error(error, "the temporary folder could not be read");
  }
}

/** Loading takes some tenths of a second of CPU time. */
async function loadDashboard({ app, log, state, http }: BackgroundOptions): Promise<void> {
  try {
    await sleep(LOAD_DASHBOARD_AFTER_MS);
    if (!state.isDraining && (await app.store.read(hasAccounts))) await http.loadAdmin();
  } catch (error) {
    log.error(error, "whether the dashboard has accounts could not be read");
  }
}

/** Logs each time the process's clock starts to differ from the database's. */
function warnOfSkew(store: Clock, log: Pick<Log, "warn">): () => Promise<void> {
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

const SEND_MAILS_EVERY_MS = 1_000;

interface MailTasks {
  tasks: Repeated[];
  stop(): void;
}

/** Sends the e-mails that are queued, and those about what is in inboxes. */
async function startMailTasks(app: App, log: Pick<Log, "error">, tries: Counter): Promise<MailTasks> {
  const { store, clock, secrets, mail } = app;
  if (mail === null) return { tasks: [], stop: () => undefined };
  const { Outbox } = await import("../operations/system/email-outbox.ts");
  const { NotificationMailer } = await import("../operations/people/notification-mails.ts");
  const onError = (error: unknown, message: string) => log.error(error, message);
  const onTried = (outcome: string) => tries.add(1, outcome);
  const outbox = new Outbox({ deps: { store, clock, secrets, mail }, onError, onTried });
  const mailer = new NotificationMailer({ ...app, mail }, onError);
  return {
    tasks: [
      runEvery(SEND_MAILS_EVERY_MS, () => outbox.poll(), log),
      runEvery(SEND_MAILS_EVERY_MS, async () => void (await mailer.poll()), log),
    ],
    stop: () => outbox.stop(),
  };
}
