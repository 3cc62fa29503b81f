/** Delivers webhooks, with a connection of its own, so that its disk waits never delay readers. */
import { flushCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { type App, openApp } from "../../app/app.ts";
import type { Config } from "../../process/settings/config.ts";
import { type DispatchMaintenance, maintainPostgres, maintainSqlite } from "./maintenance.ts";
import { parseTraceparent } from "../../domain/system/trace-context.ts";
import type { TraceFacts } from "../../http/request.ts";
import { saveReceipt } from "../../operations/articles/lists/receipts.ts";
import type { Recorded } from "../../operations/webhooks/record-attempts.ts";
import { DISPATCHER_DEAD_AFTER_MS, THREAD_BEAT_INTERVAL_MS } from "../../store/system/liveness.ts";
import { SharedLiveness } from "../../store/system/shared-liveness.ts";
import { pruneHistory } from "../../operations/webhooks/queue-maintenance.ts";
import type { Span } from "../../telemetry/span.ts";
import { Dispatcher } from "../../webhooks/dispatch/dispatcher.ts";
import { logThreadWarnings } from "../../process/fatal-errors.ts";
import { answerParent, notifyParent, reportError as onError } from "../../process/child-loop.ts";
import { lowerThreadPriority } from "../../process/thread-priority.ts";
import { LeaseRegistry } from "../../webhooks/dispatch/result-writer.ts";
import { LeaseReaper } from "../../webhooks/dispatch/lease-reaper.ts";

export type DispatchCalls = ReturnType<typeof toCalls>["calls"];

export interface RecordedNotice {
  notes: AttemptNote[];
  /** Durations of the successful attempts without a note, milliseconds. */
  deliveredMs: number[];
  /** Endpoints of these attempts; empty unless attempts are counted by webhook. */
  deliveredTo: string[];
  /** Empty unless traces are exported. */
  spans: Span[];
}

/** One attempt, for the log and the metrics. */
export interface AttemptNote extends Pick<Recorded, "result" | "warning" | "hasDisabled">, TraceFacts {
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
  /** Memory of the `SharedLiveness` of both threads. */
  liveness: SharedArrayBuffer;
  /** Identifies this thread as a lease holder (process/identity.ts). */
  worker: string;
  /** Whether successful attempts have notes, too. */
  notesAll: boolean;
}

/** Connections to PostgreSQL: one for the cycle, one for maintenance, one spare. */
const CONNECTIONS = 3;
/** Twice the usual: the pages of one cycle's deliveries, and of the indexes that it changes, stay for the next. */
const CACHE_KIB = 8_000;
/** A cycle does not wait long for locks held by others; the next cycle tries again. */
const LOCK_TIMEOUT_MS = 1_500;
/** The locks of a dispatcher that hangs are released when other workers count it as dead. */
const IDLE_TIMEOUT_MS = DISPATCHER_DEAD_AFTER_MS;
/** None of its queries takes long; one without a response means that the network is broken. */
const QUERY_TIMEOUT_MS = 4_000;
const DRAIN_MS = 12_000;
/** Attempts that take longer are aborted and sent again, so that the process stops in time (cli/serve.ts). */
const MAX_DRAIN_MS = 15_000;
/** Time after an attempt's timeout to read the rest of the body and record the result. */
const SLACK_MS = 2_000;
/** No step of the dispatcher takes this long, however slow the store is, because each has a timeout. */
const MAX_STEP_MS = 60_000;

if (parentPort !== null) {
  const data = workerData as DispatchWorkerData;
  logThreadWarnings(data.config);
  // Only on SQLite. On PostgreSQL a starved dispatcher would count as dead, and its commits do not block readers.
  if (data.config.database.kind === "sqlite") lowerThreadPriority();
  await dispatch(data);
}

async function dispatch({ config, worker, notesAll, liveness: sharedMemory }: DispatchWorkerData): Promise<void> {
  const liveness = new SharedLiveness(sharedMemory);
  let running: Dispatcher | undefined;
  // A blocked thread sends no heartbeat, nor does one whose dispatcher is stuck in a step.
  setInterval(() => {
    if ((running?.stepMs ?? 0) < MAX_STEP_MS) liveness.beat();
  }, THREAD_BEAT_INTERVAL_MS).unref();
  let spans: Span[] = [];
  const app = await openApp(config, {
    addSpan: (span) => spans.push(span),
    connections: CONNECTIONS,
    cacheKib: CACHE_KIB,
    looksUp: true,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  const leases = new LeaseRegistry();
  const connection = app.store.openDedicatedConnection();
  const tracer = app.tracing?.tracer;
  const dispatcher = new Dispatcher(
    {
      deps: app,
      ...(tracer !== undefined && { traceOfEvent: (eventId) => tracer.traceOfEvent(eventId) }),
      policy: config.webhooks,
      random: Math.random,
      saveReceipt,
      worker,
      ...(connection === null ? {} : { liveness }),
      onRecorded: (results) => {
        const [notes, deliveredMs, deliveredTo] = [[] as AttemptNote[], [] as number[], [] as string[]];
        for (const one of results) {
          tracer?.attempt(one);
          if (notesAll || one.result !== "delivered" || one.hasDisabled) notes.push(toNote(one));
          else {
            deliveredMs.push(one.record.attempt.timings.total);
            if (config.maxMetricLabels > 0) deliveredTo.push(one.record.claim.endpointId);
          }
        }
        notifyParent({ notes, deliveredMs, deliveredTo, spans } satisfies RecordedNotice);
        spans = [];
      },
      onError,
    },
    leases,
  );
  const log = { error: onError };
  const maintenance =
    connection === null
      ? await maintainSqlite(app, dispatcher, worker, log)
      : await maintainPostgres(
          app,
          dispatcher,
          {
            connection,
            liveness,
            leaseReaper: new LeaseReaper({
              deps: app,
              connection,
              worker,
              liveness,
              leases,
              dispatcher,
              onError,
            }),
          },
          log,
        );
  dispatcher.start();
  running = dispatcher;
  // Ends the longer time allowed for the start.
  liveness.beat();
  const { calls, pruned } = toCalls(app, dispatcher, maintenance);
  answerParent(calls, {
    onStop: async () => {
      // If the database is unavailable, another worker or the next start reclaims the leases.
      await using _app = app;
      await using _connection = connection;
      await maintenance.stop();
      await pruned();
      using _ = { [Symbol.dispose]: () => maintenance.close() };
      await dispatcher.stop(Math.min(Math.max(DRAIN_MS, config.webhooks.timeoutMs + SLACK_MS), MAX_DRAIN_MS));
    },
  });
  flushCompileCache();
}

function toCalls(app: App, dispatcher: Dispatcher, maintenance: DispatchMaintenance) {
  let pruning = Promise.resolve();
  const prune = async () => {
    try {
      await pruneHistory(app, app.clock() - app.config.webhooks.keepMs, onError);
    } catch (error) {
      onError(error, "the history of deliveries could not be pruned; it will be retried");
    }
  };
  return {
    calls: {
      wake(): void {
        dispatcher.wake();
        maintenance.onCommit();
      },
      prune(): void {
        pruning = pruning.then(prune);
      },
    },
    pruned: () => pruning,
  };
}

function toNote({ record, result, warning, hasDisabled, health }: Recorded): AttemptNote {
  const { claim, attempt } = record;
  const trace = parseTraceparent(attempt.requestHeaders["traceparent"] ?? "");
  return {
    ...(trace !== undefined && { trace_id: trace.traceId, span_id: trace.spanId }),
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
