/**
 * Starts the reading processes (ROSTRUM_READERS) on a machine with SQLite, and restarts those that end or hang. They listen on
 * the service's port beside the main process, and the kernel shares out the connections (SO_REUSEPORT): if one dies, only its
 * own connections fail. When the main process ends in any way, their channel closes, and they end, too.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReaderStats } from "../http/operators/prometheus.ts";
import type { ReadMetrics } from "../http/operators/metrics.ts";
import type { ApiKeyCache } from "../http/read-api/key-auth.ts";
import type { LocalRateLimits } from "../http/read-api/rate-limit.ts";
import type { Log } from "../process/log.ts";
import type { Store } from "../store/store.ts";
import { Leases } from "./leases.ts";
import type { FromReader, ReaderReport, ReaderSettings, ToReader } from "./messages.ts";

const RESTART_DELAY_MS = 1_000;
const CHECK_INTERVAL_MS = 1_000;
/** A process that has not reported at this many checks hangs. */
const HUNG_CHECKS = 15;
/** How long a scrape of the metrics waits for the latest counts. */
const REPORT_TIMEOUT_MS = 1_000;
/** Beyond what reader.ts takes to close its connections. */
const STOP_TIMEOUT_MS = 14_000;
/** As in bin/rostrum.js. */
const LEAN_ALLOCATOR = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "8192", MALLOC_TRIM_THRESHOLD_: "131072" };
const LEAN_HEAP = "--max-semi-space-size=4";

export interface ReadersOptions {
  count: number;
  settings: Omit<ReaderSettings, "node" | "forwardTo">;
  nodeName: () => string;
  acceptForwarded: (path: string, token: string) => Promise<AsyncDisposable>;
  store: Pick<Store, "now">;
  limits: LocalRateLimits;
  keys: ApiKeyCache;
  metrics: ReadMetrics;
  onErrors: (count: number) => void;
  log: Pick<Log, "info" | "error">;
}

export class Readers implements AsyncDisposable {
  readonly #options: ReadersOptions;
  readonly #leases: Leases<Reader>;
  readonly #readers = new Set<Reader>();
  readonly #forwardTo = { path: `\0rostrum-${randomBytes(8).toString("hex")}`, token: randomBytes(24).toString("hex") };
  readonly #checks: NodeJS.Timeout;
  #forwarded: AsyncDisposable | undefined;
  #restarts = 0;
  #isStopping = false;

  constructor(options: ReadersOptions) {
    this.#options = options;
    this.#leases = new Leases<Reader>({
      limits: options.limits,
      now: () => options.store.now(),
      recall: (reader, keyId) =>
        reader.ask((id) => ({ type: "recall", id, keyId }), { tokens: 0, serial: Number.POSITIVE_INFINITY }),
    });
    this.#checks = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  /** Resolves when all of them listen, or have failed to. */
  async start(): Promise<void> {
    this.#forwarded = await this.#options.acceptForwarded(this.#forwardTo.path, this.#forwardTo.token);
    await Promise.all(Array.from({ length: this.#options.count }, () => this.#startOne()));
  }

  get stats(): ReaderStats & { cacheBytes: number } {
    const sum = (read: (reader: Reader) => number) => [...this.#readers].reduce((total, one) => total + read(one), 0);
    return {
      running: sum((reader) => (reader.isListening ? 1 : 0)),
      restarts: this.#restarts,
      residentBytes: sum((reader) => reader.residentBytes),
      cacheBytes: sum((reader) => reader.cacheBytes),
    };
  }

  /** Has the children report their latest counts. */
  async collect(): Promise<void> {
    const reports = [...this.#readers].map((reader) => reader.ask((id) => ({ type: "report", id }), undefined));
    const timeout = new AbortController();
    await Promise.race([Promise.all(reports), sleep(REPORT_TIMEOUT_MS, undefined, { signal: timeout.signal })]);
    timeout.abort();
  }

  drain(): void {
    for (const reader of this.#readers) reader.send({ type: "drain" });
  }

  refuseReads(): void {
    for (const reader of this.#readers) reader.send({ type: "refuse-reads" });
  }

  /** Lets them finish their responses. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#checks);
    await Promise.all(Array.from(this.#readers, (reader) => reader.stop()));
    await this.#forwarded?.[Symbol.asyncDispose]();
  }

  async #startOne(): Promise<void> {
    const { log, settings, nodeName } = this.#options;
    const startedAt = performance.now();
    const reader = new Reader({ ...settings, node: nodeName(), forwardTo: this.#forwardTo }, (message) =>
      this.#receive(reader, message),
    );
    this.#readers.add(reader);
    void this.#restartAfter(reader, startedAt);
    await reader.settled;
    if (reader.isListening) log.info({ pid: reader.pid }, "a reading process serves");
  }

  async #restartAfter(reader: Reader, startedAt: number): Promise<void> {
    const reason = await reader.ended;
    this.#readers.delete(reader);
    this.#leases.forget(reader);
    if (this.#isStopping) return;
    this.#restarts++;
    const { log } = this.#options;
    log.error(new Error(`a reading process has ended: ${reason}`), "a reading process is started again");
    await sleep(Math.max(0, RESTART_DELAY_MS - (performance.now() - startedAt)), undefined, { ref: false });
    if (!this.#isStopping) await this.#startOne();
  }

  #receive(reader: Reader, message: FromReader): void {
    switch (message.type) {
      case "lease":
        void this.#leases
          .lend(reader, message.keyId, message.rate)
          .then((lease) => reader.send({ type: "lease", id: message.id, lease }));
        return;
      case "refuse": {
        const { limits, store } = this.#options;
        const waitSeconds = limits.refuse(message.address, store.now());
        return reader.send({ type: "refused", id: message.id, waitSeconds });
      }
      case "return":
        if (message.id === null) this.#leases.giveBack(reader, message.keyId, message.returned);
        else reader.answer(message.id, message.returned);
        return;
      case "report":
        this.#add(message.report);
        if (message.id !== null) reader.answer(message.id, undefined);
    }
  }

  #add({ reads, uses, requests, errors }: ReaderReport): void {
    const { metrics, keys, onErrors } = this.#options;
    metrics.add(reads);
    keys.addUse(uses, requests);
    if (errors > 0) onErrors(errors);
  }

  #check(): void {
    for (const reader of this.#readers) {
      if (reader.missesReport() >= HUNG_CHECKS) reader.kill();
    }
  }
}

class Reader {
  readonly #child: ChildProcess;
  readonly #questions = new Map<number, { resolve: (answer: never) => void; ifEnded: unknown }>();
  #count = 0;
  #missed = 0;
  isListening = false;
  residentBytes = 0;
  cacheBytes = 0;
  /** Resolves when it listens or has ended. */
  readonly settled: Promise<unknown>;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;

  constructor(settings: ReaderSettings, onMessage: (message: FromReader) => void) {
    const cache = getCompileCacheDir();
    this.#child = fork(new URL("reader.ts", import.meta.url), [], {
      execArgv: [LEAN_HEAP],
      // No settings and no secrets.
      env: { ...LEAN_ALLOCATOR, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const listening = Promise.withResolvers<void>();
    this.#child.on("message", (message: FromReader) => {
      this.#missed = 0;
      if (message.type === "ready") this.send({ type: "start", settings });
      else if (message.type === "listening") {
        this.isListening = true;
        listening.resolve();
      } else {
        if (message.type === "report")
          ({ residentBytes: this.residentBytes, cacheBytes: this.cacheBytes } = message.report);
        onMessage(message);
      }
    });
    this.ended = this.#waitForEnd();
    this.settled = Promise.race([listening.promise, this.ended]);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToReader): void {
    // A failure means that the process is about to end, which is noticed below.
    if (this.#child.connected) this.#child.send(message, undefined, {}, () => undefined);
  }

  /** `ifEnded`: the answer if the process ends before it has given one. */
  ask<Answer>(question: (id: number) => ToReader, ifEnded: Answer): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    if (!this.#child.connected) return Promise.resolve(ifEnded);
    const id = ++this.#count;
    this.#questions.set(id, { resolve, ifEnded });
    this.send(question(id));
    return promise;
  }

  answer(id: number, answer: unknown): void {
    this.#questions.get(id)?.resolve(answer as never);
    this.#questions.delete(id);
  }

  /** Call it at every check. @returns how many checks it has not reported at. */
  missesReport(): number {
    return ++this.#missed;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.send({ type: "close" });
    const deadline = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(deadline);
  }

  async #waitForEnd(): Promise<string> {
    try {
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, string | null];
      return signal ?? `exit code ${code}`;
    } catch (error) {
      // It could not be started.
      return String(error);
    } finally {
      this.isListening = false;
      for (const { resolve, ifEnded } of this.#questions.values()) resolve(ifEnded as never);
      this.#questions.clear();
    }
  }
}
