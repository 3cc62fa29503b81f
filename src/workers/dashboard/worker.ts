/**
 * The thread that processes long texts for the dashboard (thread.ts starts it). It has its own connection to the store, so that
 * neither parsing nor saving them delays readers.
 */
import { parentPort, type Transferable, workerData } from "node:worker_threads";
import { openApp } from "../../app/app.ts";
import { buildLongWork } from "../../http/admin/build-long-work.ts";
import { Proxies } from "../../http/connection/proxies.ts";
import { ContentCounters } from "../../content-processes/counters.ts";
import { readDroppedFile } from "../../content-processes/import-reader.ts";
import { logThreadWarnings } from "../../process/fatal-errors.ts";
import { packError } from "../../process/thread-errors.ts";
import { CommitReports, REPORT_INTERVAL_MS } from "./commit-reports.ts";
import { GarbageCollection } from "./garbage.ts";
import { type FromLongWork, type LongWorkData, toTransferable, type ToLongWork } from "./messages.ts";
import { lowerThreadPriority } from "../../process/thread-priority.ts";

/** Connections to PostgreSQL: one for a read, one for a write, one spare. */
const CONNECTIONS = 3;
/** Characters. An import has many short texts, whose garbage V8 collects by itself. */
const MIN_LONG_TEXT = 500_000;

if (parentPort !== null) {
  // thread.ts sends it.
  const data = workerData as LongWorkData;
  logThreadWarnings(data.config);
  lowerThreadPriority();
  await work(parentPort, data);
}

async function work(port: NonNullable<typeof parentPort>, { config, contentCounts }: LongWorkData): Promise<void> {
  const post = (message: FromLongWork, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  const onError = (error: unknown, message: string) => post({ type: "error", message, error: packError(error) });
  const garbage = new GarbageCollection();
  const counters = new ContentCounters(contentCounts);
  const app = await openApp(config, {
    connections: CONNECTIONS,
    notifyIntervalMs: REPORT_INTERVAL_MS,
    contentCounters: counters,
  });
  const commits = new CommitReports(app.store, (changes) => post({ type: "committed", changes }));
  app.store.onCommit((changes) => commits.add(changes));
  const longWork = await buildLongWork({
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
    proxies: config.trustProxy === null ? null : new Proxies(config.trustProxy),
    onSaved: () => garbage.collect(),
    readImport: (file, options) => readDroppedFile(file, { ...options, counters }),
    onError,
    // The service logs how each request ended.
    log: {
      isVerbose: false,
      finished: () => undefined,
      failed: (facts, error) => post({ type: "request failed", facts, error: packError(error) }),
    },
  });
  const streams = new Map<number, AsyncGenerator<string, void>>();
  const answer = async (message: ToLongWork): Promise<void> => {
    switch (message.type) {
      case "request": {
        const { call, request } = message;
        const reply = await longWork.request({ ...request, body: Buffer.from(request.body.buffer) });
        const body = toTransferable(reply.body);
        commits.flush();
        post({ type: "reply", call, reply: { ...reply, body } }, [body.buffer]);
        setImmediate(() => garbage.collect());
        return;
      }
      case "import":
        streams.set(message.call, longWork.importFile(message.job));
        return;
      case "bulk":
        streams.set(message.call, longWork.changeInBulk(message.job));
        return;
      case "next": {
        const { call } = message;
        const next = await streams.get(call)?.next();
        const line = next?.done === false ? next.value : null;
        if (line === null) streams.delete(call);
        commits.flush();
        post({ type: "line", call, line });
        return;
      }
      case "end": {
        const { call } = message;
        await streams.get(call)?.return();
        streams.delete(call);
        commits.flush();
        post({ type: "line", call, line: null });
        return;
      }
      case "stopping":
        longWork.stop();
        return;
      case "close": {
        port.close();
        await longWork[Symbol.asyncDispose]();
        await app[Symbol.asyncDispose]();
      }
    }
  };
  port.on("message", (message: ToLongWork) => {
    answer(message).catch((error: unknown) => {
      commits.flush();
      if ("call" in message) post({ type: "failed", call: message.call, error: packError(error) });
      else onError(error, "the thread for long texts did not end cleanly");
    });
  });
}
