/** Starts the thread that delivers webhooks, once there is an endpoint to deliver to, and again should it ever fail. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { App } from "./app.ts";
import type { AttemptNote, DispatchWorkerData, FromDispatcher, ToDispatcher } from "./dispatch-worker.ts";
import { newHolder } from "./process-names.ts";
import type { Log } from "./log.ts";
import { hasEndpoints } from "./store/endpoints.ts";
import { every } from "./upkeep.ts";

/** Until then a service without webhooks saves the thread's memory. */
const LOOK_EVERY_MS = 250;
const START_AGAIN_AFTER_MS = 1_000;
const PRUNE_EVERY_MS = 60_000;
/** To stop, beyond an attempt's time-out: a database that is away must not keep the process. */
const MOST_STOPPING_MS = 15_000;

export function startDispatching(
  app: App,
  log: Log,
  onAttempt: (attempt: Pick<AttemptNote, "outcome" | "result" | "ms" | "warning" | "hasDisabled">) => void,
): AsyncDisposable {
  let worker: Worker | undefined;
  let isStopping = false;
  let earliestStart = 0;
  let lookedAt = Number.NaN;

  const start = () => {
    const data: DispatchWorkerData = {
      config: app.config,
      worker: newHolder(app.randomBytes),
      notesAll: log.isVerbose,
    };
    const started = new Worker(new URL("dispatch-worker.ts", import.meta.url), { workerData: data });
    worker = started;
    started.on("message", (message: FromDispatcher) => {
      if (message.type === "error") log.error(message.error, message.message);
      else if (message.type === "recorded") {
        for (const ms of message.deliveredMs) {
          onAttempt({ outcome: "success", result: "delivered", ms, warning: null, hasDisabled: false });
        }
        for (const note of message.notes) {
          onAttempt(note);
          report(log, note);
        }
      }
    });
    started.on("error", (error) => log.error(error, "the dispatcher failed; it is started again"));
    started.on("exit", () => {
      if (worker === started) worker = undefined;
      earliestStart = performance.now() + START_AGAIN_AFTER_MS;
      lookedAt = Number.NaN;
    });
  };
  const look = async () => {
    const activity = app.store.activity();
    if (worker !== undefined || isStopping || performance.now() < earliestStart || activity === lookedAt) return;
    const isNeeded = await app.store.read(hasEndpoints);
    lookedAt = activity;
    // The first look may still be waiting for the database when the next one comes.
    if (isNeeded && !isStopping && worker === undefined) start();
  };
  const tell = (message: ToDispatcher) => worker?.postMessage(message);
  app.store.onActivity(() => tell("wake"));
  void look().catch((error: unknown) => log.error(error, "the dispatcher could not be started"));
  const looking = every(LOOK_EVERY_MS, look, log);
  // Of several processes one does it.
  const pruning = setInterval(() => {
    if (app.store.hasDuty()) tell("prune");
  }, PRUNE_EVERY_MS).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      isStopping = true;
      await looking[Symbol.asyncDispose]();
      clearInterval(pruning);
      if (worker === undefined) return;
      const exited = once(worker, "exit");
      tell("stop");
      const longestMs = app.config.webhooks.timeoutMs + MOST_STOPPING_MS;
      const isOver = await Promise.race([exited, sleep(longestMs, "too late", { ref: false })]);
      if (isOver !== "too late") return;
      log.warn({}, "deliveries that are under way were given up; they are sent again");
      await worker?.terminate();
    },
  };
}

/** One line for each attempt that failed, and for what becomes of an endpoint; those that went well at `debug`. */
function report(log: Log, note: AttemptNote): void {
  const { warning, hasDisabled, disabledReason, ...facts } = note;
  log.attempt(facts);
  if (hasDisabled) log.warn({ endpointId: note.endpointId, reason: disabledReason }, "webhook disabled");
  else if (warning !== null) {
    log.warn({ endpointId: note.endpointId, consecutiveFailures: warning }, "webhook keeps failing");
  }
}
