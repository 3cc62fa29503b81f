/** Passes long requests, imports and bulk actions to a thread (worker.ts), which ends when idle. */
import type { Config } from "../../process/settings/config.ts";
import { ContentCounters } from "../../content-processes/processes.ts";
import { AppError } from "../../domain/system/errors.ts";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import type { ImportJob } from "../../http/admin/articles/import-lines.ts";
import type { ContentProcessStats } from "../../domain/system/content-process-stats.ts";
import type { Counter, DashboardThreadStats } from "../../http/operators/metrics.ts";
import type {
  BulkJob,
  LongReply,
  LongRequest,
  SenderRequest,
  StartableThread,
} from "../../http/admin/dashboard-thread.ts";
import type { Log } from "../../process/log.ts";
import { Child, ChildEnded } from "../../process/child.ts";
import { thread } from "../../process/child-program.ts";
import { Moved, unpackError } from "../../process/child-loop.ts";
import type { Span } from "../../telemetry/span.ts";
import type { ChangeFeed } from "../../store/store.ts";
import {
  type DashboardNotice,
  type DashboardThreadData,
  type Job,
  type Movable,
  threadFailed,
  toMovable,
} from "./messages.ts";
import type { DashboardCalls } from "./worker.ts";

const STOP_AFTER_IDLE_MS = 60_000;
/** Time for the thread to close its connections to the database. */
const STOP_MS = 10_000;
/** Bytes at once, as a request takes a multiple in memory; how many of an account wait, and in all. */
const REQUEST_LIMITS = { capacity: 8_000_000, maxWaiting: 16, maxWaitingInAll: 64 };
/** MB; the largest text uses half of it. */
const MAX_HEAP_MB = 512;

interface DashboardThreadOptions {
  config: Config;
  store: Pick<ChangeFeed, "recordCommit">;
  log: Pick<Log, "error" | "failed">;
  /** Counts what senders have sent, by kind and outcome. */
  arrivals: Counter;
  /** Exports a span; absent: no traces are exported. */
  addSpan?: ((span: Span) => void) | undefined;
  /** Heap limit of the thread, MB. */
  maxHeapMb?: number;
}

export class DashboardWorker implements StartableThread, AsyncDisposable {
  readonly #child: Child<DashboardCalls, DashboardNotice>;
  readonly #queue = new FairQueue(REQUEST_LIMITS);
  readonly #counters = new ContentCounters();
  #active = 0;
  #streams = 0;
  #failures = 0;
  #isStopping = false;
  /** Whether the thread, if it starts now, does so for a request to a sender's address. */
  #isForSender = false;

  constructor({ config, store, log, arrivals, addSpan, maxHeapMb = MAX_HEAP_MB }: DashboardThreadOptions) {
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb };
    this.#child = new Child({
      start: () => {
        const contentCounts = this.#counters.memory;
        const workerData: DashboardThreadData = { config, contentCounts, isForSender: this.#isForSender };
        return thread(new URL("worker.ts", import.meta.url), { workerData, resourceLimits });
      },
      stopAfterIdleMs: STOP_AFTER_IDLE_MS,
      stopMs: STOP_MS,
      onNotice: (notice) => {
        if (notice.type === "committed") store.recordCommit(notice.changes);
        else if (notice.type === "traced") addSpan?.(notice.span);
        else if (notice.type === "arrived") arrivals.add(1, notice.kind, notice.outcome);
        else log.failed(notice.facts, unpackError(notice.error));
      },
      onError: (error, message) => log.error(error, message),
      onEnd: (failure) => {
        if (failure === undefined) return;
        this.#failures++;
        this.#counters.forgetRunning();
        log.error(failure, "the dashboard's thread failed; the next request starts it again");
      },
    });
  }

  startForSender(): void {
    if (this.#child.isRunning || this.#isStopping) return;
    this.#isForSender = true;
    // The request reports the error.
    this.#child.start().catch(() => undefined);
    this.#isForSender = false;
  }

  request(request: LongRequest): Promise<LongReply> {
    return this.#move(request.accountId, request, (moved) => this.#child.ask("request", moved));
  }

  answerSender(request: SenderRequest): Promise<LongReply> {
    return this.#move(request.senderId, request, (moved) => this.#child.ask("answerSender", moved));
  }

  /** @param key requests with the same one wait for each other. */
  async #move<Request extends Pick<LongRequest, "body" | "file">>(
    key: string,
    request: Request,
    ask: (moved: Moved<Movable<Request>>) => Promise<Movable<LongReply>>,
  ): Promise<LongReply> {
    if (this.#queue.isFull(key)) {
      throw new AppError("busy", "Too many long texts are being processed. Try again in a few seconds.");
    }
    using _turn = await this.#queue.enter(key, request.file?.bytes ?? request.body.length);
    using _active = this.#activate();
    const body = toMovable(request.body);
    const reply = await this.#ask(() => ask(new Moved({ ...request, body }, [body.buffer])));
    return { ...reply, body: Buffer.from(reply.body.buffer) };
  }

  importFile(job: ImportJob): AsyncGenerator<string, void> {
    return this.#stream({ type: "import", job });
  }

  changeInBulk(job: BulkJob): AsyncGenerator<string, void> {
    return this.#stream({ type: "bulk", job });
  }

  async *#stream(job: Job): AsyncGenerator<string, void> {
    using _active = this.#activate();
    const id = ++this.#streams;
    let isOver = false;
    try {
      await this.#ask(() => this.#child.ask("begin", { id, ...job }));
      for (;;) {
        const line = await this.#ask(() => this.#child.ask("next", id));
        isOver = line === null;
        if (line === null) return;
        yield line;
      }
    } finally {
      if (!isOver) await this.#ask(() => this.#child.ask("end", id)).catch(() => undefined);
    }
  }

  /** Keeps the thread while a request or a stream is in progress. */
  #activate(): Disposable {
    this.#active++;
    const held = this.#child.hold();
    return {
      [Symbol.dispose]: () => {
        this.#active--;
        held[Symbol.dispose]();
      },
    };
  }

  /** @throws AppError `service_unavailable` when the thread ends; any error of the call itself. */
  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    try {
      const result = ask();
      if (this.#isStopping) this.#child.tell("prepareToStop", undefined);
      return await result;
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error;
      throw threadFailed(error);
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#child.tell("prepareToStop", undefined);
  }

  get stats(): DashboardThreadStats {
    return {
      isRunning: this.#child.isRunning,
      active: this.#active,
      waiting: this.#queue.waiting,
      failures: this.#failures,
    };
  }

  get contentProcessStats(): ContentProcessStats {
    return this.#counters.stats;
  }

  /** Call it only when nothing is in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }
}
