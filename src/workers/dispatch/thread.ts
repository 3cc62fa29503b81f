/** Starts the thread that delivers webhooks once there is an endpoint, and restarts it when it fails or hangs. */
import type { App } from "../../app/app.ts";
import { HeartbeatMonitor } from "./thread-heartbeat.ts";
import type { AttemptNote, DispatchCalls, DispatchWorkerData, RecordedNotice } from "./worker.ts";
import type { DispatcherHealth } from "../../http/operators/health.ts";
import { Child } from "../../process/child.ts";
import { thread } from "../../process/child-program.ts";
import type { Log } from "../../process/log.ts";
import { newLeaseOwner } from "../../process/identity.ts";
import { THREAD_CHECK_INTERVAL_MS, THREAD_HUNG_AFTER_MS } from "../../store/system/liveness.ts";
import { SharedLiveness } from "../../store/system/shared-liveness.ts";
import { hasEndpoints } from "../../store/webhooks/endpoints.ts";
import { type Repeated, runEvery } from "../../process/interval.ts";

/** How often to check whether there is an endpoint; until then the thread's memory is saved. */
const POLL_INTERVAL_MS = 250;
const START_AGAIN_AFTER_MS = 1_000;
const PRUNE_EVERY_MS = 60_000;
/** Maximum time to stop, so that no unavailable database blocks the exit; worker.ts waits less for attempts. */
const MAX_STOPPING_MS = 18_000;

interface AttemptObserver {
  observe(attempt: Pick<AttemptNote, "endpointId" | "outcome" | "result" | "ms" | "warning" | "hasDisabled">): void;
}

export class DispatcherThread implements AsyncDisposable {
  readonly #app: App;
  readonly #log: Log;
  readonly #observer: AttemptObserver;
  readonly #child: Child<DispatchCalls, RecordedNotice>;
  readonly #maxSilenceMs: number;
  readonly #polling: Repeated;
  readonly #checking: NodeJS.Timeout;
  readonly #pruning: NodeJS.Timeout;
  #monitor: HeartbeatMonitor | undefined;
  #isHanging = false;
  #starts = 0;
  #isStopping = false;
  #earliestStart = 0;
  /** The commit counter when there was no endpoint. */
  #checkedAt = Number.NaN;

  /** `script`: what runs in the thread. */
  constructor(
    app: App,
    log: Log,
    observer: AttemptObserver,
    { script = new URL("worker.ts", import.meta.url), maxSilenceMs = THREAD_HUNG_AFTER_MS } = {},
  ) {
    this.#app = app;
    this.#log = log;
    this.#observer = observer;
    this.#maxSilenceMs = maxSilenceMs;
    this.#child = new Child({
      start: () => thread(script, { workerData: this.#newThread() }),
      onNotice: (notice) => this.#onRecorded(notice),
      onError: (error, message) => log.error(error, message),
      onEnd: (failure) => {
        if (failure !== undefined) log.error(failure, "the dispatcher failed; it is started again");
        this.#monitor = undefined;
        this.#earliestStart = performance.now() + START_AGAIN_AFTER_MS;
        this.#checkedAt = Number.NaN;
      },
    });
    void this.#startIfNeeded().catch((error: unknown) => log.error(error, "the dispatcher could not be started"));
    this.#polling = runEvery(POLL_INTERVAL_MS, () => this.#startIfNeeded(), log);
    this.#checking = setInterval(() => this.#checkHeartbeat(), THREAD_CHECK_INTERVAL_MS).unref();
    // The leader prunes for all processes.
    this.#pruning = setInterval(() => {
      if (app.store.isLeader()) this.#child.tell("prune", undefined);
    }, PRUNE_EVERY_MS).unref();
  }

  health(): DispatcherHealth {
    return {
      state: this.#monitor === undefined ? "stopped" : this.#isHanging ? "hanging" : "running",
      heartbeatSeconds: (this.#monitor?.silentMs ?? 0) / 1_000,
      restarts: Math.max(0, this.#starts - 1),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    using _ = { [Symbol.dispose]: () => clearInterval(this.#checking) };
    this.#isStopping = true;
    await this.#polling[Symbol.asyncDispose]();
    clearInterval(this.#pruning);
    if (await this.#child.stop(MAX_STOPPING_MS)) return;
    this.#log.warn({}, "deliveries that are under way were given up; they are sent again");
  }

  async #startIfNeeded(): Promise<void> {
    const isIdle = () => this.#monitor === undefined && !this.#isStopping;
    const commitCounter = this.#app.store.commitCounter();
    if (!isIdle() || performance.now() < this.#earliestStart || commitCounter === this.#checkedAt) return;
    const isNeeded = await this.#app.store.read(hasEndpoints);
    this.#checkedAt = commitCounter;
    // Several calls may wait for the database at once.
    if (!isNeeded || !isIdle()) return;
    // `onEnd` reports that it could not start.
    this.#child.start().catch(() => undefined);
  }

  #newThread(): DispatchWorkerData {
    const { app, liveness } = { app: this.#app, liveness: new SharedLiveness() };
    const worker = newLeaseOwner(app.randomBytes);
    app.store.setDispatcher({ id: worker, liveness });
    this.#monitor = new HeartbeatMonitor(liveness, this.#maxSilenceMs, performance.now());
    this.#isHanging = false;
    if (this.#starts++ === 0) {
      app.store.onCommit(({ size }) => {
        // On PostgreSQL a change is claimed after the next heartbeat, which follows at once and calls this, too.
        if (size === 0 && this.#monitor !== undefined) this.#child.tell("wake", undefined);
      });
    }
    return { config: app.config, liveness: liveness.buffer, worker, notesAll: this.#log.isVerbose };
  }

  #checkHeartbeat(): void {
    const monitor = this.#monitor;
    if (monitor === undefined || this.#isHanging || !monitor.check(performance.now())) return;
    this.#isHanging = true;
    const seconds = Math.round(monitor.silentMs / 1_000);
    this.#log.error(
      new Error(`The dispatcher thread had no heartbeat for ${seconds} s.`),
      "the dispatcher hangs; it is terminated and started again",
    );
    // Once it has ended, `#startIfNeeded` starts a new thread, which reclaims the leases of this one.
    void this.#child.stop();
  }

  #onRecorded({ notes, deliveredMs, deliveredTo, spans }: RecordedNotice): void {
    for (const span of spans) this.#app.tracing?.addSpan(span);
    for (const [index, ms] of deliveredMs.entries()) {
      const endpointId = deliveredTo[index] ?? "";
      this.#observer.observe({
        endpointId,
        outcome: "success",
        result: "delivered",
        ms,
        warning: null,
        hasDisabled: false,
      });
    }
    for (const note of notes) {
      this.#observer.observe(note);
      report(this.#log, note);
    }
  }
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
