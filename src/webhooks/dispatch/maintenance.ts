/**
 * Maintenance in the dispatcher's thread: reclaims leases of dead processes, parks deliveries of stopped endpoints and
 * continues replays.
 */
import type { App } from "../../app.ts";
import type { Log } from "../../log.ts";
import { parkStopped, reclaimLeases } from "../../operations/webhooks/queue-maintenance.ts";
import { stepReplays } from "../../operations/webhooks/replays.ts";
import { isRunning } from "../../process/identity.ts";
import type { DedicatedConnection } from "../../store/store.ts";
import { NODE_BEAT_TIMEOUT_MS } from "../../store/system/liveness.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";
import { runEvery, runRepeatedly } from "../../process/interval.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { LeaseReaper } from "./lease-reaper.ts";

export interface DispatchUpkeep {
  /** Called after a commit by any process. */
  heard(): void;
  /** Stops maintenance before the dispatcher stops. */
  rest(): PromiseLike<void>;
  /** Called after the dispatcher has stopped. */
  end(): void;
}

const TIDY_EVERY_MS = 250;
/** SQLite: how soon the leases of another, killed process are reclaimed. */
const REAP_INTERVAL_MS = 1_500;
/** How often to check whether the dispatcher is fenced. */
const CHECK_FENCE_INTERVAL_MS = 50;
/** How often to check whether the main thread gets answers. */
const PROBE_INTERVAL_MS = 100;
const REPLAY_ROWS_AT_ONCE = 200;
const UNTIL_A_LOOK_SAYS_SO_MS = 3_600_000;

/** For SQLite. Resolves when the leases of killed processes have been reclaimed. */
export async function maintainSqlite(
  app: App,
  dispatcher: Dispatcher,
  worker: string,
  log: Pick<Log, "error">,
): Promise<DispatchUpkeep> {
  const takeBack = () => reclaimLeases(app, (holder) => isAlive(holder, worker), log.error);
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
    end: () => undefined,
  };
}

/**
 * For a PostgreSQL database shared by several processes. Resolves when the leases of workers already known to be dead have been
 * reclaimed.
 */
export async function maintainPostgres(
  app: App,
  dispatcher: Dispatcher,
  { line, liveness, leaseReaper }: { line: DedicatedConnection; liveness: SharedLiveness; leaseReaper: LeaseReaper },
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
  const checking = setInterval(
    () => (liveness.isFenced() ? dispatcher.hold() : dispatcher.goOn()),
    CHECK_FENCE_INTERVAL_MS,
  );
  // While the main thread gets no answer, connections of this one may be broken, too: a query that fails replaces them all.
  const probe = () => line.ask(NODE_BEAT_TIMEOUT_MS, "SELECT 1 AS n");
  const probing = runEvery(
    PROBE_INTERVAL_MS,
    async () => void (liveness.isAnswered() || (await probe().catch(() => undefined))),
    log,
  );
  return {
    heard: () => looking.wakeWithin(TIDY_EVERY_MS),
    rest: async () => {
      await probing[Symbol.asyncDispose]();
      await looking[Symbol.asyncDispose]();
      await working[Symbol.asyncDispose]();
    },
    end: () => clearInterval(checking),
  };
}

/** Without a commit only leases expire and processes die, so an idle service needs few queries. */
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
    const now = app.store.commitCounter() + heard();
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

/** Parks the deliveries of stopped endpoints and advances replays by one step. @returns whether replays have more to do now. */
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

/** Whether the holder of a lease can still finish it. A holder in this process that is not this thread is an earlier thread. */
function isAlive(holder: string, worker: string): boolean {
  if (holder === worker) return true;
  return !holder.startsWith(`${process.pid}-`) && isRunning(holder);
}
