/** Starts the thread that delivers webhooks once there is an endpoint, and restarts it when it fails or hangs. */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { App } from "../../app/app.ts";
import { HeartbeatMonitor } from "./thread-heartbeat.ts";
import type { AttemptNote, DispatchWorkerData, FromDispatcher, ToDispatcher } from "./worker.ts";
import type { DispatcherHealth } from "../../http/operators/health.ts";
import type { Log } from "../../process/log.ts";
import { newLeaseOwner } from "../../process/identity.ts";
import { THREAD_CHECK_INTERVAL_MS, THREAD_HUNG_AFTER_MS } from "../../store/system/liveness.ts";
import { SharedLiveness } from "../../store/system/shared-liveness.ts";
import { hasEndpoints } from "../../store/webhooks/endpoints.ts";
import { unpackError } from "../../process/thread-errors.ts";
import { runEvery } from "../../process/interval.ts";

/** How often to check whether there is an endpoint; until then the thread's memory is saved. */
const POLL_INTERVAL_MS = 250;
const START_AGAIN_AFTER_MS = 1_000;
const PRUNE_EVERY_MS = 60_000;
/** Maximum time to stop, so that an unavailable database does not block the exit. Longer than worker.ts waits for attempts. */
const MAX_STOPPING_MS = 18_000;

export interface Dispatching extends AsyncDisposable {
  health(): DispatcherHealth;
}

/** `script`: what runs in the thread. */
export function startDispatching(
  app: App,
  log: Log,
  onAttempt: (
    attempt: Pick<AttemptNote, "endpointId" | "outcome" | "result" | "ms" | "warning" | "hasDisabled">,
  ) => void,
  { script = new URL("worker.ts", import.meta.url), maxSilenceMs = THREAD_HUNG_AFTER_MS } = {},
): Dispatching {
  let worker: Worker | undefined;
  let monitor: HeartbeatMonitor | undefined;
  let isHanging = false;
  let starts = 0;
  let isStopping = false;
  let earliestStart = 0;
  let checkedAt = Number.NaN;

  const start = () => {
    const liveness = new SharedLiveness();
    const data: DispatchWorkerData = {
      config: app.config,
      liveness: liveness.buffer,
      worker: newLeaseOwner(app.randomBytes),
      notesAll: log.isVerbose,
    };
    const started = new Worker(script, { workerData: data });
    worker = started;
    starts++;
    app.store.setDispatcher({ id: data.worker, liveness });
    monitor = new HeartbeatMonitor(liveness, maxSilenceMs, performance.now());
    isHanging = false;
    started.on("message", (message: FromDispatcher) => {
      if (message.type === "error") log.error(unpackError(message.error), message.message);
      else if (message.type === "recorded") {
        for (const [index, ms] of message.deliveredMs.entries()) {
          const endpointId = message.deliveredTo[index] ?? "";
          onAttempt({ endpointId, outcome: "success", result: "delivered", ms, warning: null, hasDisabled: false });
        }
        for (const note of message.notes) {
          onAttempt(note);
          report(log, note);
        }
      }
    });
    started.on("error", (error) => log.error(error, "the dispatcher failed; it is started again"));
    started.on("exit", () => {
      if (worker === started) {
        worker = undefined;
        monitor = undefined;
      }
      earliestStart = performance.now() + START_AGAIN_AFTER_MS;
      checkedAt = Number.NaN;
    });
  };
  const startIfNeeded = async () => {
    const commitCounter = app.store.commitCounter();
    if (worker !== undefined || isStopping || performance.now() < earliestStart || commitCounter === checkedAt) return;
    const isNeeded = await app.store.read(hasEndpoints);
    checkedAt = commitCounter;
    // Several calls of `startIfNeeded` may wait for the database at once.
    if (isNeeded && !isStopping && worker === undefined) start();
  };
  const checkHeartbeat = () => {
    if (worker === undefined || monitor === undefined || isHanging || !monitor.check(performance.now())) return;
    isHanging = true;
    const seconds = Math.round(monitor.silentMs / 1_000);
    log.error(
      new Error(`The dispatcher thread had no heartbeat for ${seconds} s.`),
      "the dispatcher hangs; it is terminated and started again",
    );
    // After "exit", `startIfNeeded` starts a new thread, which reclaims the leases of this one.
    void worker.terminate();
  };
  const post = (message: ToDispatcher) => worker?.postMessage(message);
  app.store.onCommit(({ size }) => {
    // On PostgreSQL a change cannot be claimed before the next heartbeat, which follows at once and calls this, too.
    if (size === 0) post("wake");
  });
  void startIfNeeded().catch((error: unknown) => log.error(error, "the dispatcher could not be started"));
  const polling = runEvery(POLL_INTERVAL_MS, startIfNeeded, log);
  const checkingHeartbeat = setInterval(checkHeartbeat, THREAD_CHECK_INTERVAL_MS).unref();
  // The leader prunes for all processes.
  const pruning = setInterval(() => {
    if (app.store.isLeader()) post("prune");
  }, PRUNE_EVERY_MS).unref();
  return {
    health: () => ({
      state: monitor === undefined ? "stopped" : isHanging ? "hanging" : "running",
      heartbeatSeconds: (monitor?.silentMs ?? 0) / 1_000,
      restarts: Math.max(0, starts - 1),
    }),
    [Symbol.asyncDispose]: async () => {
      using _ = { [Symbol.dispose]: () => clearInterval(checkingHeartbeat) };
      isStopping = true;
      await polling[Symbol.asyncDispose]();
      clearInterval(pruning);
      if (worker === undefined) return;
      // A failure of the thread meanwhile is logged above and must not fail or delay the shutdown.
      const stopping = worker;
      const exited = new Promise((resolve) => stopping.once("exit", resolve));
      post("stop");
      const isOver = await Promise.race([exited, sleep(MAX_STOPPING_MS, "too late", { ref: false })]);
      if (isOver !== "too late") return;
      log.warn({}, "deliveries that are under way were given up; they are sent again");
      await worker?.terminate();
    },
  };
}

/** Logs failed attempts and changes of an endpoint's health; successful attempts at `debug`. */
function report(log: Log, note: AttemptNote): void {
  const { warning, hasDisabled, disabledReason, ...facts } = note;
  log.attempt(facts);
  if (hasDisabled) log.warn({ endpointId: note.endpointId, reason: disabledReason }, "webhook disabled");
  else if (warning !== null) {
    log.warn({ endpointId: note.endpointId, consecutiveFailures: warning }, "webhook keeps failing");
  }
}
