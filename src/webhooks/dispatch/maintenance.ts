/** What goes on beside the dispatcher, in its thread: the dead leave leases behind, endpoints are stopped, replays step on. */
import type { App } from "../../app.ts";
import type { Log } from "../../log.ts";
import { parkStopped, takeBackLeases } from "../../operations/webhooks/queue-maintenance.ts";
import { stepReplays } from "../../operations/webhooks/replays.ts";
import { isRunning } from "../../process/identity.ts";
import { DISPATCHER_BEAT_INTERVAL_MS } from "../../store/system/liveness.ts";
import { runEvery, runRepeatedly } from "../../process/interval.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LeaseReaper } from "./lease-reaper.ts";

export interface DispatchUpkeep {
  /** Somebody has committed something. */
  heard(): void;
  /** The dispatcher is about to stop: nothing new is begun for it. */
  rest(): PromiseLike<void>;
  /** It has stopped. */
  end(): PromiseLike<void>;
}

const TIDY_EVERY_MS = 250;
/** On SQLite: how soon the work of another process that was killed is taken up. */
const REAP_INTERVAL_MS = 1_500;
/** How soon it is noticed that beats do not come back any more. */
const FEEL_PULSE_EVERY_MS = 50;
const REPLAY_ROWS_AT_ONCE = 200;
const UNTIL_A_LOOK_SAYS_SO_MS = 3_600_000;

/** On a database of its own. What a killed process left is taken back when this resolves. */
export async function maintainSqlite(
  app: App,
  dispatcher: Dispatcher,
  worker: string,
  log: Pick<Log, "error">,
): Promise<DispatchUpkeep> {
  const takeBack = () => takeBackLeases(app, (holder) => isAlive(holder, worker), log.error);
  await takeBack();
  let heard = 0;
  const tidying = runEvery(
    TIDY_EVERY_MS,
    tidyWhenChanged(app, dispatcher, takeBack, () => heard, log),
    log,
  );
  return {
    heard: () => {
      heard++;
    },
    rest: () => tidying[Symbol.asyncDispose](),
    end: () => Promise.resolve(),
  };
}

/** On a PostgreSQL that others share. What a dead process left is taken back when this resolves, if it can be told by now. */
export async function maintainPostgres(
  app: App,
  dispatcher: Dispatcher,
  { heartbeat, leaseReaper }: { heartbeat: Heartbeat; leaseReaper: LeaseReaper },
  log: Pick<Log, "error">,
): Promise<DispatchUpkeep> {
  const working = runRepeatedly(
    TIDY_EVERY_MS,
    async () => ((await workOff(app, dispatcher, log)) ? 0 : UNTIL_A_LOOK_SAYS_SO_MS),
    log,
  );
  const look = async () => {
    const nextInMs = await leaseReaper.look();
    if (leaseReaper.hasWork) working.wakeWithin(0);
    return nextInMs;
  };
  const firstInMs = await look();
  const looking = runRepeatedly(TIDY_EVERY_MS, look, log);
  looking.wakeWithin(firstInMs);
  const beating = runEvery(DISPATCHER_BEAT_INTERVAL_MS, () => heartbeat.keepUp(), log);
  const feeling = setInterval(() => (heartbeat.isStale() ? dispatcher.hold() : dispatcher.goOn()), FEEL_PULSE_EVERY_MS);
  return {
    heard: () => looking.wakeWithin(TIDY_EVERY_MS),
    rest: async () => {
      await looking[Symbol.asyncDispose]();
      await working[Symbol.asyncDispose]();
    },
    // The beats go on until nothing is under way any more.
    end: async () => {
      clearInterval(feeling);
      await beating[Symbol.asyncDispose]();
      await heartbeat[Symbol.asyncDispose]();
    },
  };
}

/** Nothing changes without a commit but that leases lapse and processes die: an idle service costs a query now and then. */
function tidyWhenChanged(
  app: App,
  dispatcher: Dispatcher,
  takeBack: () => Promise<number>,
  heard: () => number,
  log: Pick<Log, "error">,
): () => Promise<void> {
  let seen = Number.NaN;
  let lookedAt = 0;
  return async () => {
    const now = app.store.activity() + heard();
    const hasChanged = now !== seen;
    if (hasChanged || performance.now() - lookedAt >= REAP_INTERVAL_MS) {
      lookedAt = performance.now();
      if ((await takeBack()) > 0) dispatcher.wake();
    }
    if (!hasChanged) return;
    while (await workOff(app, dispatcher, log));
    seen = now;
  };
}

/** Parks what waits for stopped endpoints, and takes replays a step on. @returns whether there is more of it to do now. */
async function workOff(
  app: App,
  dispatcher: Pick<Dispatcher, "wake">,
  { error: onError }: Pick<Log, "error">,
): Promise<boolean> {
  await parkStopped(app, onError);
  const hasMore = await stepReplays(app, REPLAY_ROWS_AT_ONCE, onError);
  if (hasMore) dispatcher.wake();
  return hasMore;
}

/** Whether the holder of a lease can still finish it. One of this process, but not this thread, is an earlier thread. */
function isAlive(holder: string, worker: string): boolean {
  if (holder === worker) return true;
  return !holder.startsWith(`${process.pid}-`) && isRunning(holder);
}
