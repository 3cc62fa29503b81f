/**
 * A reading process: serves the read API on the service's port and passes all other requests on to the main process
 * (readers.ts), which starts it. It opens the database for reading only, and has no secrets.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { Forwarder } from "../http/connection/forwarding.ts";
import { CLOSE_TIMEOUT_MS, Front } from "../http/connection/front.ts";
import { ReadMetrics } from "../http/operators/metrics.ts";
import { Proxies } from "../http/connection/proxies.ts";
import type { KeyUseTime } from "../http/read-api/api-key-usage.ts";
import { createReadApi } from "../http/read-api/create-read-api.ts";
import { RequestIds } from "../http/request-log.ts";
import { type Log, openLog } from "../process/log.ts";
import { ORDERS_SUFFIX } from "../operations/articles/read-model/large-orders.ts";
import { logFatalErrors } from "../process/fatal-errors.ts";
import { runEvery } from "../process/interval.ts";
import { releaseStartMemory } from "../process/start-memory.ts";
import { openSqliteForReading } from "../store/engine/sqlite/sqlite.ts";
import type { KeyRequests } from "../store/people/key-requests.ts";
import { LeasedRateLimits } from "./leased-limits.ts";
import type { FromReader, TokenLease, ReaderReport, ReaderSettings, ToReader } from "./messages.ts";

const DESCRIPTION = join(import.meta.dirname, "..", "..", "openapi.json");
const REPORT_INTERVAL_MS = 1_000;
const REFRESH_EVERY_MS = 250;

// The main process says when to stop; its end closes the channel.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
process.on("disconnect", exit);

process.once("message", (message: ToReader) => {
  if (message.type === "start") void read(message.settings);
});
send({ type: "ready" });

function exit(): void {
  // oxlint-disable-next-line no-restricted-properties -- without the main process there is nothing left to do
  process.exit(0);
}

function send(message: FromReader): void {
  // A closed channel ends this process.
  if (process.connected) process.send?.(message, undefined, {}, () => undefined);
}

/** Questions to the main process that are not answered yet. */
class Questions {
  readonly #open = new Map<number, (answer: never) => void>();
  #count = 0;

  ask<Answer>(question: (id: number) => FromReader): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const id = ++this.#count;
    this.#open.set(id, resolve);
    send(question(id));
    return promise;
  }

  answer(id: number, answer: unknown): void {
    this.#open.get(id)?.(answer as never);
    this.#open.delete(id);
  }
}

async function read(settings: ReaderSettings): Promise<void> {
  let errors = 0;
  const log = countErrors(openLog(settings.logLevel), () => errors++);
  logFatalErrors(log);
  const store = openSqliteForReading(settings.databasePath);
  const questions = new Questions();
  const limits = new LeasedRateLimits({
    lend: (keyId, rate) => questions.ask<TokenLease>((id) => ({ type: "lease", id, keyId, rate })),
    giveBack: (keyId, returned) => send({ type: "return", id: null, keyId, returned }),
    refuse: (address) => questions.ask<number | null>((id) => ({ type: "refuse", id, address })),
  });
  let uses: KeyUseTime[] = [];
  let requests: KeyRequests[] = [];
  let description: Buffer | undefined;
  const metrics = new ReadMetrics(settings.maxMetricLabels === 0 ? 0 : Number.POSITIVE_INFINITY);
  const { path, token } = settings.forwardTo;
  const forwarder = new Forwarder(path, token);
  const { readApi, readModel, keys, cache } = createReadApi({
    cacheBytes: settings.cacheBytes,
    httpCaches: settings.httpCaches,
    defaultRate: settings.rateLimit,
    ordersFolder: settings.databasePath + ORDERS_SUFFIX,
    store,
    clock: () => store.now(),
    limits,
    usage: {
      saveUses: async (some) => void uses.push(...some),
      saveRequests: async (some) => void requests.push(...some),
    },
    metrics,
    log,
    node: settings.node,
    requestIds: new RequestIds(settings.node),
    description: () => (description ??= readFileSync(DESCRIPTION)),
    findPreviewed: () => Promise.resolve(undefined),
    findLatest: () => Promise.resolve(undefined),
    forward: (req, res) => forwarder.handle(req, res),
    onError: (error, message) => log.error(error, message),
  });
  const front = new Front({
    readApi,
    proxies: settings.trustProxy === null ? null : new Proxies(settings.trustProxy),
    isPatient: (socket) => forwarder.isForwarding(socket),
    other: (req, res) => forwarder.handle(req, res),
    // A preview shows what is not published, and needs what only the main process has.
    isOther: (req) => req.headers["x-preview-token"] !== undefined,
    otherContinues: true,
    onArrival: () => store.expireChangeToken(),
  });
  const server = front.createServer();
  server.maxConnections = settings.maxConnections;
  const report = async (id: number | null) => {
    await keys.flush();
    const said: ReaderReport = {
      reads: metrics.drain(),
      uses,
      requests,
      errors,
      cacheBytes: cache.bytes,
      residentBytes: process.memoryUsage.rss(),
    };
    uses = [];
    requests = [];
    errors = 0;
    send({ type: "report", id, report: said });
  };
  const close = async () => {
    front.drain();
    front.refuseReads(false);
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
    server.close();
    await once(server, "close");
    clearTimeout(deadline);
    limits[Symbol.dispose]();
    await report(null);
    await readModel[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    log.flush();
    process.disconnect?.();
  };
  process.on("message", (message: ToReader) => {
    switch (message.type) {
      case "lease":
        return questions.answer(message.id, message.lease);
      case "refused":
        return questions.answer(message.id, message.waitSeconds);
      case "recall":
        return send({ type: "return", id: message.id, keyId: message.keyId, returned: limits.recall(message.keyId) });
      case "report":
        return void report(message.id);
      case "drain":
        return front.drain();
      case "refuse-reads":
        return front.refuseReads(true);
      case "close":
        return void close();
    }
  });
  runEvery(REFRESH_EVERY_MS, () => readModel.refresh(), log);
  runEvery(REPORT_INTERVAL_MS, () => report(null), log);
  server.listen({ host: settings.host, port: settings.port, reusePort: true });
  await once(server, "listening");
  send({ type: "listening" });
  releaseStartMemory();
}

function countErrors(log: Log, count: () => void): Log {
  return {
    ...log,
    failed: (facts, error) => {
      count();
      log.failed(facts, error);
    },
    error: (error, message) => {
      count();
      log.error(error, message);
    },
  };
}
