/** What one process, the leader, does for all. The code of a task is loaded at its first run. */
import type { App } from "../app/app.ts";
import type { Log } from "../process/log.ts";
import type { OnError } from "../operations/system/set-aside.ts";
import type { DashboardMetrics } from "../http/operators/metrics.ts";
import { type Repeated, runEvery, runRepeatedly } from "../process/interval.ts";
import { hasClaimable } from "../store/articles/senders/arrivals.ts";

const REMOVE_CONTENTS_EVERY_MS = 60_000;
const REMOVE_OLD_EVERY_MS = 300_000;
const WARN_OF_EXPIRY_EVERY_MS = 600_000;
const NOTIFY_OF_SILENCE_EVERY_MS = 3_600_000;
const REMOVE_WEBSITES_EVERY_MS = 10_000;
const SEND_PINGS_EVERY_MS = 10_000;
const FINISH_ARRIVALS_EVERY_MS = 5_000;
/** After a start, and where another process is the leader. */
const RECHECK_AFTER_MS = 10_000;
const MOVE_PICTURES_AFTER_MS = 1_000;
/** Between batches, in which articles that people save have the content processes to themselves. */
const RECHECK_PAUSE_MS = 100;
const REMOVE_ORPHANED_FILES_EVERY_MS = 6 * 3_600_000;

export function runLeaderTasks(
  app: App,
  log: Pick<Log, "error">,
  { arrivals }: Pick<DashboardMetrics, "arrivals">,
): Repeated[] {
  const { store, config } = app;
  const onError: OnError = (error, message) => log.error(error, message);
  const runWhileLeader = (ms: number, work: () => Promise<unknown>) =>
    runEvery(ms, async () => void (store.isLeader() && (await work())), log);
  const onArrival = (kind: string, outcome: string) => arrivals.add(1, kind, outcome);
  return [
    runWhileLeader(REMOVE_CONTENTS_EVERY_MS, async () => {
      const { removeContents } = await import("../operations/webhooks/event-contents.ts");
      await removeContents(app, config.webhooks.eventKeepMs, onError);
    }),
    runWhileLeader(REMOVE_OLD_EVERY_MS, async () => {
      const { removeOld } = await import("../operations/website/retention.ts");
      await removeOld(app, config.retention, config.webhooks.keepMs, onError);
    }),
    runWhileLeader(WARN_OF_EXPIRY_EVERY_MS, async () => {
      const { warnOfExpiry } = await import("../operations/people/access-tokens.ts");
      await warnOfExpiry(app, onError);
    }),
    runWhileLeader(NOTIFY_OF_SILENCE_EVERY_MS, async () => {
      const { notifyOfSilence } = await import("../operations/articles/senders/notices.ts");
      await notifyOfSilence(app, onError);
    }),
    runWhileLeader(REMOVE_WEBSITES_EVERY_MS, async () => {
      const { removeDeletedWebsites } = await import("../operations/website/website-deletion.ts");
      await removeDeletedWebsites(app, onError);
    }),
    runWhileLeader(SEND_PINGS_EVERY_MS, async () => {
      const { sendPings } = await import("../operations/website/index-now.ts");
      await sendPings(app, config.indexNowUrl, onError);
    }),
    runWhileLeader(FINISH_ARRIVALS_EVERY_MS, async () => {
      if (!(await store.read((db) => hasClaimable(db, app.clock())))) return;
      const { finishWaiting } = await import("../operations/articles/senders/receive.ts");
      await finishWaiting({ ...app, publicUrl: config.publicUrl, onArrival, onError });
    }),
    runRepeatedly(RECHECK_AFTER_MS, recheckAfterUpgrade(app, onError), log),
    runRepeatedly(MOVE_PICTURES_AFTER_MS, followPublicUrl(app, config.publicUrl, onError), log),
    runWhileLeader(REMOVE_ORPHANED_FILES_EVERY_MS, async () => {
      const { removeOrphanedFiles } = await import("../operations/articles/assets/assets.ts");
      await removeOrphanedFiles(app, onError);
    }),
  ];
}

function followPublicUrl(app: App, publicUrl: string | null, onError: OnError): () => Promise<number> {
  let batches: AsyncGenerator<void> | undefined;
  let isDone = publicUrl === null;
  return async () => {
    if (isDone || publicUrl === null || !app.store.isLeader()) return MOVE_PICTURES_AFTER_MS;
    const pictures = await import("../operations/articles/assets/move-pictures.ts");
    batches ??= pictures.followPublicUrl(app, publicUrl, onError);
    try {
      isDone = (await batches.next()).done === true;
    } catch (error) {
      batches = undefined;
      throw error;
    }
    return isDone ? MOVE_PICTURES_AFTER_MS : RECHECK_PAUSE_MS;
  };
}

/** One batch per run, so that a stop waits for no more. */
function recheckAfterUpgrade(app: App, onError: OnError): () => Promise<number> {
  let isDone = false;
  return async () => {
    if (isDone || !app.store.isLeader()) return RECHECK_AFTER_MS;
    const { continueRecheck } = await import("../operations/articles/write/recheck.ts");
    isDone = !(await continueRecheck(app, onError));
    return isDone ? RECHECK_AFTER_MS : RECHECK_PAUSE_MS;
  };
}
