/** Answers long requests and does imports and bulk actions, with a connection of its own: readers are not delayed. */
import { flushCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { openApp } from "../../app/app.ts";
import type { buildDashboardThread } from "../../http/admin/build-dashboard-thread.ts";
import type { LongReply, LongRequest, SenderRequest } from "../../http/admin/dashboard-thread.ts";
import { Proxies } from "../../http/connection/proxies.ts";
import { ContentCounters } from "../../content-processes/processes.ts";
import { answerParent, Moved, notifyParent, packError, reportError } from "../../process/child-loop.ts";
import { logThreadWarnings } from "../../process/fatal-errors.ts";
import { lowerThreadPriority } from "../../process/thread-priority.ts";
import { anySenderSecret } from "../../store/articles/senders/senders.ts";
import type { Tracer } from "../../telemetry/tracer.ts";
import { CommitReports, REPORT_INTERVAL_MS } from "./commit-reports.ts";
import { GarbageCollection } from "./garbage.ts";
import {
  type DashboardNotice,
  type DashboardThreadData,
  type Job,
  type Movable,
  threadFailed,
  toMovable,
} from "./messages.ts";

/** Connections to PostgreSQL: one for a read, one for a write, one spare. */
const CONNECTIONS = 3;
/** Of lists, which agents rarely repeat. */
const CACHE_BYTES = 1_000_000;
/** Characters. An import has many short texts, whose garbage V8 collects by itself. */
const MIN_LONG_TEXT = 500_000;

const notify = (notice: DashboardNotice): void => notifyParent(notice);

if (parentPort !== null) {
  // thread.ts sends it.
  const data = workerData as DashboardThreadData;
  logThreadWarnings(data.config);
  lowerThreadPriority();
  await work(data);
}

export type DashboardCalls = ReturnType<typeof toCalls>;

async function work({ config, contentCounts, isForSender }: DashboardThreadData): Promise<void> {
  const garbage = new GarbageCollection();
  const counters = new ContentCounters(contentCounts);
  const app = await openApp(config, {
    connections: CONNECTIONS,
    notifyIntervalMs: REPORT_INTERVAL_MS,
    contentCounters: counters,
    addSpan: (span) => notify({ type: "traced", span }),
  });
  const startForSender = async () => {
    // Where there is no sender, no request needs it.
    if ((await app.store.read(anySenderSecret)) !== undefined) app.startContentProcess();
  };
  // It starts while the rest is loaded. If the database is away, the request says so.
  if (isForSender) startForSender().catch(() => undefined);
  const { buildDashboardThread } = await import("../../http/admin/build-dashboard-thread.ts");
  const { readDroppedFile } = await import("../../content-processes/import-reader.ts");
  const { ReadModel } = await import("../../operations/articles/read-model/read-model.ts");
  const tracer = app.tracing?.tracer;
  const commits = new CommitReports(app.store, (changes) => notify({ type: "committed", changes }));
  app.store.onCommit((changes) => commits.add(changes));
  const server = await buildDashboardThread({
    deps: {
      ...app,
      deriveContent: async (...args) => {
        const content = await app.deriveContent(...args);
        if (content.text.length > MIN_LONG_TEXT) garbage.collect();
        return content;
      },
    },
    disableAfter: config.webhooks.disableAfter,
    trashMs: config.retention.trashMs,
    publicUrl: config.publicUrl,
    trace: app.tracing?.requests ?? null,
    proxies: config.trustProxy === null ? null : new Proxies(config.trustProxy),
    onSaved: () => garbage.collect(),
    onArrival: (kind, outcome) => notify({ type: "arrived", kind, outcome }),
    readModel: new ReadModel({ store: app.store, cacheBytes: CACHE_BYTES, onChange: () => undefined }),
    readImport: (file, options) => readDroppedFile(file, { ...options, counters }),
    onError: reportError,
    // The service logs how each request ended.
    log: {
      isVerbose: false,
      finished: () => undefined,
      failed: (facts, error) => notify({ type: "request failed", facts, error: packError(error) }),
    },
  });
  answerParent(toCalls(server, garbage, tracer), {
    onReply: () => commits.flush(),
    onStop: async () => {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  });
  flushCompileCache();
}

interface Stream {
  lines: AsyncGenerator<string, void>;
  /** Of the request that began it. */
  traceparent: string | undefined;
}

function toCalls(
  server: Awaited<ReturnType<typeof buildDashboardThread>>,
  garbage: GarbageCollection,
  tracer: Tracer | undefined,
) {
  const streams = new Map<number, Stream>();
  const move = (reply: LongReply): Moved<Movable<LongReply>> => {
    const body = toMovable(reply.body);
    setImmediate(() => garbage.collect());
    return new Moved({ ...reply, body }, [body.buffer]);
  };
  const run = <T>(traceparent: string | undefined, work: () => T): T =>
    tracer === undefined ? work() : tracer.run(traceparent, work);
  return {
    async request(request: Movable<LongRequest>): Promise<Moved<Movable<LongReply>>> {
      return move(await server.request({ ...request, body: Buffer.from(request.body.buffer) }));
    },
    async answerSender(request: Movable<SenderRequest>): Promise<Moved<Movable<LongReply>>> {
      const body = Buffer.from(request.body.buffer);
      return move(await run(request.traceparent, () => server.answerSender({ ...request, body })));
    },
    begin({ id, ...job }: { id: number } & Job): void {
      const lines = job.type === "import" ? server.importFile(job.job) : server.changeInBulk(job.job);
      streams.set(id, { lines, traceparent: job.job.actor.traceparent });
    },
    /** Null after the last line. */
    async next(id: number): Promise<string | null> {
      const stream = streams.get(id);
      // The stream began in a thread that has failed.
      if (stream === undefined) throw threadFailed();
      const next = await run(stream.traceparent, () => stream.lines.next());
      if (next.done !== true) return next.value;
      streams.delete(id);
      return null;
    },
    /** Cancels the rest of it. */
    async end(id: number): Promise<void> {
      await streams.get(id)?.lines.return();
      streams.delete(id);
    },
    prepareToStop: () => server.stop(),
  };
}
