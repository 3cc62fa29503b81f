/** Reclaims leases of dead processes, parks deliveries of stopped endpoints and continues replays. */
import type { App } from "../../app/app.ts";
import type { Log } from "../../process/log.ts";
import { parkStopped, reclaim } from "../../operations/webhooks/queue-maintenance.ts";
import { stepReplays } from "../../operations/webhooks/replays.ts";
import { isRunning } from "../../process/identity.ts";
import { type ActiveLease, scanAlone } from "../../store/webhooks/leases.ts";
import type { DedicatedConnection } from "../../store/store.ts";
import { NODE_BEAT_TIMEOUT_MS } from "../../store/system/liveness.ts";
import type { SharedLiveness } from "../../store/system/shared-liveness.ts";
import { runEvery, runRepeatedly } from "../../process/interval.ts";
import type { Dispatcher } from "../../webhooks/dispatch/dispatcher.ts";
import type { LeaseReaper } from "../../webhooks/dispatch/lease-reaper.ts";

export interface DispatchMaintenance {
  /** Called after a commit by any process. */
  onCommit(): void;
  /** Stops maintenance before the dispatcher stops. */
  stop(): PromiseLike<void>;
  /** Called after the dispatcher has stopped. */
  close(): void;
}

const MAINTENANCE_INTERVAL_MS = 250;
/** SQLite: how soon the leases of another, killed process are reclaimed. */
const REAP_INTERVAL_MS = 1_500;
/** How often to check whether the dispatcher is fenced. */
const CHECK_FENCE_INTERVAL_MS = 50;
/** How often to check whether the main thread gets answers. */
const PROBE_INTERVAL_MS = 100;
const REPLAY_ROWS_AT_ONCE = 200;
const UNTIL_WOKEN_MS = 3_600_000;

/** For SQLite. Resolves when the leases of killed processes have been reclaimed. */
export async function maintainSqlite(
  app: App,
  dispatcher: Dispatcher,
  worker: string,
  log: Pick<Log, "error">,
): Promise<DispatchMaintenance> {
  const isDead = ({ worker: owner }: ActiveLease) => !isAlive(owner, worker);
  const scan = async () => {
    const found = await app.store.read(scanAlone);
    if ((await reclaim(app, found.claims, isDead, log.error)) > 0) dispatcher.wake();
    return found.hasToPark || found.hasReplays;
  };
  await scan();
  let commits = 0;
  const maintaining = runEvery(
    MAINTENANCE_INTERVAL_MS,
    maintainWhenChanged(app, dispatcher, scan, () => commits, log),
    log,
  );
  return {
    onCommit: () => {
      commits++;
    },
    stop: () => maintaining[Symbol.asyncDispose](),
    close: () => undefined,
  };
}

/** Resolves when the leases of workers already known to be dead have been reclaimed. */
export async function maintainPostgres(
  app: App,
  dispatcher: Dispatcher,
  {
    connection,
    liveness,
    leaseReaper,
  }: { connection: DedicatedConnection; liveness: SharedLiveness; leaseReaper: LeaseReaper },
  log: Pick<Log, "error">,
): Promise<DispatchMaintenance> {
  const working = runRepeatedly(
    MAINTENANCE_INTERVAL_MS,
    async () => ((await drain(app, dispatcher, log)) ? 0 : UNTIL_WOKEN_MS),
    log,
  );
  const sweep = async () => {
    const nextInMs = await leaseReaper.sweep();
    if (leaseReaper.hasWork) working.wakeWithin(0);
    return nextInMs;
  };
  const firstInMs = await sweep();
  const sweeping = runRepeatedly(MAINTENANCE_INTERVAL_MS, sweep, log);
  sweeping.wakeWithin(firstInMs);
  const checking = setInterval(
    () => (liveness.isFenced() ? dispatcher.pause() : dispatcher.resume()),
    CHECK_FENCE_INTERVAL_MS,
  );
  // While the main thread gets no answer, this one's connections may be broken, too: a failed query replaces them.
  const probe = () => connection.ask(NODE_BEAT_TIMEOUT_MS, "SELECT 1 AS n");
  const probing = runEvery(
    PROBE_INTERVAL_MS,
    async () => void (liveness.isAnswered() || (await probe().catch(() => undefined))),
    log,
  );
  return {
    onCommit: () => sweeping.wakeWithin(MAINTENANCE_INTERVAL_MS),
    stop: async () => {
      await probing[Symbol.asyncDispose]();
      await sweeping[Symbol.asyncDispose]();
      await working[Symbol.asyncDispose]();
    },
    close: () => clearInterval(checking),
  };
}

/** Without a commit only leases expire and processes die, so an idle service needs few queries. */
function maintainWhenChanged(
  app: App,
  dispatcher: Dispatcher,
  scan: () => Promise<boolean>,
  commits: () => number,
  log: Pick<Log, "error">,
): () => Promise<void> {
  let handled = Number.NaN;
  let scannedAt = 0;
  return async () => {
    const now = app.store.commitCounter() + commits();
    const hasChanged = now !== handled;
    if (!hasChanged && performance.now() - scannedAt < REAP_INTERVAL_MS) return;
    scannedAt = performance.now();
    if (await scan()) while (await drain(app, dispatcher, log));
    handled = now;
  };
}

/** Parks deliveries of stopped endpoints, and advances replays a step. @returns whether they have more to do. */
async function drain(
  app: App,
  dispatcher: Pick<Dispatcher, "wake">,
  { error: onError }: Pick<Log, "error">,
): Promise<boolean> {
  await parkStopped(app, onError);
  const hasMore = await stepReplays(app, REPLAY_ROWS_AT_ONCE, onError);
  if (hasMore) dispatcher.wake();
  return hasMore;
}

/** Whether a lease's owner can still finish it. One in this process that is not this thread is an earlier one. */
function isAlive(owner: string, worker: string): boolean {
  if (owner === worker) return true;
  return !owner.startsWith(`${process.pid}-`) && isRunning(owner);
}
