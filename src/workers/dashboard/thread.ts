/** Passes long requests, imports and bulk actions to a thread (worker.ts) that starts with the first of them and ends after an idle time. */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Config } from "../../process/config.ts";
import { ContentCounters, sumStats } from "../../content-processes/counters.ts";
import { AppError } from "../../domain/system/errors.ts";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import type { BulkJob } from "../../http/admin/articles/bulk-lines.ts";
import type { ImportJob } from "../../http/admin/articles/import-lines.ts";
import type { ContentProcessStats } from "../../domain/system/content-process-stats.ts";
import type { LongWorkStats } from "../../http/operators/metrics.ts";
import type { LongReply, LongRequest, LongWork } from "../../http/admin/long-work.ts";
import type { Log } from "../../process/log.ts";
import { unpackError } from "../../process/thread-errors.ts";
import { type FromLongWork, type LongWorkData, toTransferable, type ToLongWork } from "./messages.ts";
import type { Store } from "../../store/store.ts";

const STOP_AFTER_IDLE_MS = 60_000;
/** Time for the thread to close its connections to the database. */
const MAX_ENDING_MS = 10_000;
/** Bytes at once, and how many requests may wait, of one account and in all. */
const REQUEST_LIMITS = { capacity: 8_000_000, maxWaiting: 16, maxWaitingInAll: 64 };
/** MB; the largest text uses half of it. */
const MAX_HEAP_MB = 512;

type Reply = Extract<FromLongWork, { call: number }>;

interface Call {
  resolve: (answer: Reply) => void;
  reject: (error: unknown) => void;
}

interface LongWorkThreadOptions {
  config: Config;
  store: Pick<Store, "recordCommit">;
  log: Pick<Log, "error" | "failed">;
  /** Heap limit of the thread, MB. */
  maxHeapMb?: number;
}

export class LongWorkThread implements LongWork, AsyncDisposable {
  readonly #options: LongWorkThreadOptions;
  #thread: Thread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** Long requests wait for memory, of which each takes a multiple of its length; accounts take turns. */
  readonly #queue = new FairQueue(REQUEST_LIMITS);
  #failures = 0;
  /** Counters of the threads that have ended. */
  readonly #endedCounters = new ContentCounters();

  constructor(options: LongWorkThreadOptions) {
    this.#options = options;
  }

  async request({ body, ...request }: LongRequest): Promise<LongReply> {
    const { accountId } = request;
    if (this.#queue.isFull(accountId)) {
      throw new AppError("busy", "Too many long texts are being processed. Try again in a few seconds.");
    }
    using _turn = await this.#queue.enter(accountId, body.length);
    try {
      const moved = toTransferable(body);
      const answer = await this.#start().ask(
        (call) => ({ type: "request", call, request: { ...request, body: moved } }),
        [moved.buffer],
      );
      if (answer.type !== "reply") throw new Error(`a long request was answered by "${answer.type}"`);
      return { ...answer.reply, body: Buffer.from(answer.reply.body.buffer) };
    } finally {
      this.#stopWhenIdle();
    }
  }

  importFile(job: ImportJob): AsyncGenerator<string, void> {
    return this.#stream((call) => ({ type: "import", call, job }));
  }

  changeInBulk(job: BulkJob): AsyncGenerator<string, void> {
    return this.#stream((call) => ({ type: "bulk", call, job }));
  }

  async *#stream(first: (call: number) => ToLongWork): AsyncGenerator<string, void> {
    const thread = this.#start();
    const { call, post } = thread.open();
    let isOver = false;
    try {
      post(first(call));
      for (;;) {
        const answer = await thread.askOn(call, { type: "next", call });
        if (answer.type !== "line") throw new Error(`lines were answered by "${answer.type}"`);
        isOver = answer.line === null;
        if (answer.line === null) return;
        yield answer.line;
      }
    } finally {
      if (!isOver) await thread.askOn(call, { type: "end", call }).catch(() => undefined);
      thread.close(call);
      this.#stopWhenIdle();
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#thread?.post({ type: "stopping" });
  }

  get stats(): LongWorkStats {
    const thread = this.#thread;
    return {
      isRunning: thread !== undefined,
      active: thread?.active ?? 0,
      waiting: this.#queue.waiting,
      failures: this.#failures,
    };
  }

  /** Sums the child processes of the current thread and of those that have ended. */
  get contentProcessStats(): ContentProcessStats {
    const running = this.#thread?.contentCounters.stats;
    return sumStats([this.#endedCounters.stats, ...(running === undefined ? [] : [running])]);
  }

  /** Call it only when nothing is in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread?.end();
  }

  #start(): Thread {
    clearTimeout(this.#idle);
    if (this.#thread !== undefined) return this.#thread;
    const started = new Thread(this.#options, ({ hasFailed }) => {
      if (hasFailed) this.#failures++;
      this.#endedCounters.takeOver(started.contentCounters);
      if (this.#thread === started) this.#thread = undefined;
    });
    if (this.#isStopping) started.post({ type: "stopping" });
    this.#thread = started;
    return started;
  }

  #stopWhenIdle(): void {
    const thread = this.#thread;
    if (thread === undefined || !thread.isIdle) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#thread = undefined;
      void thread.end();
    }, STOP_AFTER_IDLE_MS).unref();
  }
}

class Thread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #calls = new Map<number, Call | undefined>();
  #count = 0;
  #isGone = false;
  readonly contentCounters = new ContentCounters();

  constructor(
    { config, store, log, maxHeapMb = MAX_HEAP_MB }: LongWorkThreadOptions,
    onExit: (how: { hasFailed: boolean }) => void,
  ) {
    const data: LongWorkData = { config, contentCounts: this.contentCounters.memory };
    const worker = new Worker(new URL("worker.ts", import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    this.#worker = worker;
    worker.on("message", (message: FromLongWork) => {
      if (message.type === "committed") store.recordCommit(message.changes);
      else if (message.type === "request failed") log.failed(message.facts, unpackError(message.error));
      else if (message.type === "error") log.error(unpackError(message.error), message.message);
      else this.#answer(message);
    });
    let hasFailed = false;
    worker.on("error", (error) => {
      hasFailed = true;
      log.error(error, "the thread for long texts failed; the next one starts it again");
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    worker.once("exit", () => {
      this.#isGone = true;
      onExit({ hasFailed });
      for (const call of this.#calls.values()) call?.reject(threadEnded());
      this.#calls.clear();
      resolve();
    });
  }

  /** Requests, imports and bulk actions in progress. */
  get active(): number {
    return this.#calls.size;
  }

  get isIdle(): boolean {
    return this.active === 0;
  }

  post(message: ToLongWork, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Sends one message and returns its reply. */
  async ask(message: (call: number) => ToLongWork, transfer: ArrayBuffer[]): Promise<Reply> {
    const { call } = this.open();
    try {
      return await this.askOn(call, message(call), transfer);
    } finally {
      this.close(call);
    }
  }

  /** Starts a call of several messages; `close` ends it. */
  open(): { call: number; post: (message: ToLongWork) => void } {
    const call = ++this.#count;
    this.#calls.set(call, undefined);
    return { call, post: (message) => this.post(message) };
  }

  /** @throws AppError `service_unavailable` when the thread ends; any error of the call itself. */
  askOn(call: number, message: ToLongWork, transfer: ArrayBuffer[] = []): Promise<Reply> {
    if (this.#isGone) return Promise.reject(threadEnded());
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#calls.set(call, { resolve, reject });
    this.post(message, transfer);
    return promise;
  }

  close(call: number): void {
    this.#calls.delete(call);
  }

  async end(): Promise<void> {
    this.post({ type: "close" });
    const isOver = this.#exited.then(() => true);
    if (!(await Promise.race([isOver, sleep(MAX_ENDING_MS, false, { ref: false })]))) await this.#worker.terminate();
  }

  #answer(message: Reply): void {
    const call = this.#calls.get(message.call);
    if (message.type === "failed") call?.reject(unpackError(message.error));
    else call?.resolve(message);
  }
}

function threadEnded(): AppError {
  return new AppError("service_unavailable", "The thread for long texts has failed. Try again in a moment.");
}
