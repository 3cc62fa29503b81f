/**
 * The thread that delivers webhooks (dispatching.ts starts it): its waits for the disk never make a reader wait. It has
 * a connection of its own to the store, and talks to the service in three words.
 */
import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type App, openApp, openStore } from "./app.ts";
import type { Config } from "./config.ts";
import { isRunning } from "./process-names.ts";
import type { Recorded } from "./operations/delivering.ts";
import { parkStopped, pruneHistory, takeBackLeases } from "./operations/queue-upkeep.ts";
import { stepReplays } from "./operations/replays.ts";
import { beat, BEAT_EVERY_MS, endBeats, isFirst, Pulse } from "./store/workers.ts";
import { every } from "./upkeep.ts";
import { Dispatcher } from "./webhooks/dispatcher.ts";

/** What the service tells the thread. */
export type ToDispatcher = "wake" | "stop";

/** What the thread tells the service. */
export type FromDispatcher =
  | {
      type: "recorded";
      notes: AttemptNote[];
      /** How long those took that are not noted, each delivered. */ deliveredMs: number[];
    }
  | { type: "error"; message: string; error: unknown };

/** One attempt, for the log and the metrics. */
export interface AttemptNote extends Pick<Recorded, "result" | "warning" | "hasDisabled"> {
  endpointId: string;
  deliveryId: string;
  eventId: string;
  number: number;
  outcome: Recorded["record"]["attempt"]["outcome"];
  status: number | null;
  error: string | null;
  ms: number;
  disabledReason: string | null;
}

export interface DispatchWorkerData {
  config: Config;
  /** Names this thread among those that hold leases (process-names.ts). */
  worker: string;
  /** Whether attempts that went well are to be noted one by one, too. */
  notesAll: boolean;
}

const TIDY_EVERY_MS = 250;
/** How soon it is noticed that beats do not come back any more. */
const FEEL_PULSE_EVERY_MS = 50;
/** How soon the work of another process that was killed is taken up. */
const LOOK_FOR_DEAD_EVERY_MS = 1_500;
/** On PostgreSQL, where a dead node is known to be dead after 1.25 s; what it left is to be taken up within 2 s. */
const LOOK_FOR_DEAD_NODES_EVERY_MS = 500;
const TIDY_UNHEARD_EVERY_MS = 2_000;
/** Of PostgreSQL: one for the turns, one for what goes on beside them, one to spare. */
const CONNECTIONS = 3;
/** Turns wait for nobody's locks for long: what cannot be had now is had by the next one. */
const LOCK_TIMEOUT_MS = 1_500;
/** The locks of a dispatcher that stands still are let go when others take it for dead. */
const IDLE_TIMEOUT_MS = 1_250;
const PACEMAKER = { connections: 1, queryTimeoutMs: 900, lockTimeoutMs: 500, idleTimeoutMs: 900 } as const;
/** None of its queries takes long; one that is not answered shows that the network is broken. */
const QUERY_TIMEOUT_MS = 4_000;
const PRUNE_EVERY_MS = 60_000;
const DRAIN_MS = 12_000;
/** Of an attempt after its time-out: the rest of its body, and the record. */
const SLACK_MS = 2_000;
const REPLAY_ROWS_AT_ONCE = 200;

if (parentPort !== null) {
  const data = workerData as DispatchWorkerData;
  // Where others would take it for dead it must not starve; there it is not its commits that readers would wait for.
  if (data.config.database.kind === "sqlite") giveWay();
  await dispatch(parentPort, data);
}

/** Readers go first: where cores are scarce, the scheduler prefers the thread that answers them. */
function giveWay(): void {
  try {
    // `<pid>/task/<tid>`: to Linux a thread is a process of its own, and has a priority of its own.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Another system, or not allowed: then all are equal.
  }
}

async function dispatch(
  port: NonNullable<typeof parentPort>,
  { config, worker, notesAll }: DispatchWorkerData,
): Promise<void> {
  const tell = (message: FromDispatcher) => port.postMessage(message);
  const onError = (error: unknown, message: string) => tell({ type: "error", message, error });
  const app = await openApp(config, {
    connections: CONNECTIONS,
    looksUp: true,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  const dispatcher = new Dispatcher({
    deps: app,
    policy: config.webhooks,
    random: Math.random,
    worker,
    onRecorded: (results) => {
      const [notes, deliveredMs] = [[] as AttemptNote[], [] as number[]];
      for (const one of results) {
        if (notesAll || one.result !== "delivered" || one.hasDisabled) notes.push(noteOf(one));
        else deliveredMs.push(one.record.attempt.timings.total);
      }
      tell({ type: "recorded", notes, deliveredMs });
    },
    onError,
  });
  const pulse = new Pulse();
  const isShared = app.store.engine === "postgres";
  // On a connection of its own: whatever the others wait for, it lives.
  const pacemaker = isShared ? openStore(config.database, PACEMAKER) : undefined;
  const beatOnce = async () => {
    if (pacemaker === undefined) return;
    const startedAt = performance.now();
    try {
      await beat(pacemaker, worker);
      pulse.felt(startedAt);
    } catch (error) {
      pulse.missed();
      throw error;
    }
  };
  const takeBack = () =>
    takeBackLeases(
      app,
      (holder) => isAlive(holder, worker),
      () => pulse.deadAfterMs(performance.now()),
    );
  await beatOnce();
  // What a killed process left is sent again before anything else.
  await takeBack();
  dispatcher.start();
  const feeling = isShared
    ? setInterval(() => (pulse.isWeak(performance.now()) ? dispatcher.hold() : dispatcher.goOn()), FEEL_PULSE_EVERY_MS)
    : undefined;
  const log = { error: onError };
  let heard = 0;
  const activity = () => app.store.activity() + heard;
  const prune = async () => {
    if (await isFirst(app.store, worker)) await pruneHistory(app, app.clock() - config.webhooks.keepMs);
  };
  const tasks = [
    every(TIDY_EVERY_MS, tidyWhenChanged(app, dispatcher, takeBack, activity), log),
    every(PRUNE_EVERY_MS, prune, log),
    ...(isShared ? [every(BEAT_EVERY_MS, beatOnce, log)] : []),
  ];
  port.on("message", (message: ToDispatcher) => {
    if (message === "wake") {
      heard++;
      dispatcher.wake();
    } else void stop().catch((error: unknown) => onError(error, "the dispatcher did not stop cleanly"));
  });

  async function stop(): Promise<void> {
    // Where the database is away, what is left is taken up by whoever lives, or by the next start.
    await using _port = closing(port);
    await using _app = app;
    await using _pacemaker = pacemaker;
    // The beats go on until nothing is under way any more.
    const [tidying, pruning, ...beating] = tasks;
    await tidying?.[Symbol.asyncDispose]();
    await pruning?.[Symbol.asyncDispose]();
    try {
      await dispatcher.stop(Math.max(DRAIN_MS, config.webhooks.timeoutMs + SLACK_MS));
    } finally {
      clearInterval(feeling);
      for (const task of beating) await task[Symbol.asyncDispose]();
    }
    await endBeats(app.store, worker);
  }
}

function closing(port: NonNullable<typeof parentPort>): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => port.close() };
}

/** Nothing changes without a commit but that leases lapse and processes die: an idle service costs a query now and then. */
function tidyWhenChanged(
  app: App,
  dispatcher: Dispatcher,
  takeBack: () => Promise<number>,
  activity: () => number,
): () => Promise<void> {
  let seen = Number.NaN;
  let lookedAt = 0;
  let tidiedAt = 0;
  const isShared = app.store.engine === "postgres";
  const lookEveryMs = isShared ? LOOK_FOR_DEAD_NODES_EVERY_MS : LOOK_FOR_DEAD_EVERY_MS;
  return async () => {
    const now = activity();
    const hasChanged = now !== seen;
    const isTime = performance.now() - lookedAt >= lookEveryMs;
    if (hasChanged || isTime) {
      lookedAt = performance.now();
      if ((await takeBack()) > 0) dispatcher.wake();
    }
    // What another node has committed may not have been heard of.
    const isTimeForAll = isShared && performance.now() - tidiedAt >= TIDY_UNHEARD_EVERY_MS;
    if (!hasChanged && !isTimeForAll) return;
    tidiedAt = performance.now();
    if (isShared) await dispatcher.reconcile();
    await parkStopped(app);
    while (await stepReplays(app, REPLAY_ROWS_AT_ONCE)) dispatcher.wake();
    seen = now;
  };
}

/** Whether the holder of a lease can still finish it. One of this process, but not this thread, is an earlier thread. */
function isAlive(holder: string, worker: string): boolean {
  if (holder === worker) return true;
  return !holder.startsWith(`${process.pid}-`) && isRunning(holder);
}

function noteOf({ record, result, warning, hasDisabled, health }: Recorded): AttemptNote {
  const { claim, attempt } = record;
  return {
    endpointId: claim.endpointId,
    deliveryId: claim.deliveryId,
    eventId: claim.eventId,
    number: attempt.number,
    outcome: attempt.outcome,
    status: attempt.status,
    error: attempt.error,
    ms: attempt.timings.total,
    result,
    warning,
    hasDisabled,
    disabledReason: hasDisabled ? (health?.disabledReason ?? null) : null,
  };
}
