/**
 * Derives content from untrusted text in child processes (process.ts), so that no text delays readers. Websites take turns. A
 * text that exceeds its limit of time or memory is refused without affecting others. The processes start with the first text
 * and stop after an idle time.
 */
import type { Millis } from "../domain/articles/article.ts";
import type { PreparedContent } from "../domain/articles/content/content.ts";
import type { ContentSource } from "../domain/articles/content/content-source.ts";
import { ContentCounters } from "./counters.ts";
import { ContentProcess, Overrun } from "./process.ts";
import { AppError } from "../domain/system/errors.ts";

/** Limits of one text; `…Ms` is CPU time. */
export interface ContentLimits {
  msPerMb: number;
  leastMs: number;
  maxMs: number;
  /** Maximum queued texts of one website, besides those in progress. */
  maxWaiting: number;
  /** Whether one website's short texts may use both processes, as in an import that has the machine's cores. */
  usesBoth: boolean;
  /** V8's old generation, MB. The language database uses 50 of it. */
  heapMb: number;
  /** The same for the process that handles short texts. */
  shortHeapMb: number;
}

const LIMITS: ContentLimits = {
  msPerMb: 2_000,
  leastMs: 1_000,
  maxMs: 5_000,
  maxWaiting: 32,
  usesBoth: false,
  heapMb: 320,
  shortHeapMb: 160,
};
/** Texts up to this length may use the second process, so that they do not wait behind a long one. */
const SHORT_CHARACTERS = 250_000;
const SHORT_WAITS_MS = 250;
const STOP_AFTER_IDLE_MS = 20_000;

interface Job {
  websiteId: string;
  source: ContentSource;
  startedAt: Millis;
  characters: number;
  since: number;
  resolve: (content: PreparedContent) => void;
  reject: (error: unknown) => void;
}

/** CPU time allowed for a text of this length, ms. */
function cpuLimit(characters: number, { msPerMb, leastMs, maxMs } = LIMITS): number {
  return Math.min(maxMs, Math.max(leastMs, (characters / 1_000_000) * msPerMb));
}

function tooExpensive({ what }: Overrun): AppError {
  return new AppError(
    "too_expensive",
    what === "time"
      ? "This text takes too long to work out: it is refused. Make it simpler or shorter, then try again."
      : "This text takes too much memory to work out: it is refused. Make it simpler or shorter, then try again.",
  );
}

export class ContentPool implements AsyncDisposable {
  /** Queued jobs by website; the website whose turn is next comes first. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #slots: ProcessSlot[];
  readonly #limits: ContentLimits;
  readonly #counters: ContentCounters;
  #isClosed = false;
  #hurry: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ContentLimits> = {}, counters = new ContentCounters()) {
    this.#counters = counters;
    this.#limits = { ...LIMITS, ...limits };
    const { heapMb, shortHeapMb } = this.#limits;
    this.#slots = [heapMb, shortHeapMb].map(
      (heapMb) => new ProcessSlot({ heapMb, limits: this.#limits, counters, onFree: () => this.#assign() }),
    );
  }

  /**
   * @throws AppError `too_expensive`, `busy`; `invalid` for content that is not an article; `unavailable` when the pool is
   * closed.
   */
  prepare(websiteId: string, source: ContentSource, startedAt: Millis): Promise<PreparedContent> {
    const { promise, resolve, reject } = Promise.withResolvers<PreparedContent>();
    const waiting = this.#waiting.get(websiteId) ?? [];
    if (this.#isClosed) reject(closed());
    else if (waiting.length >= this.#limits.maxWaiting) reject(busy());
    else {
      const characters = (source.html?.length ?? 0) + (source.markdown?.length ?? 0);
      waiting.push({ websiteId, source, startedAt, characters, since: performance.now(), resolve, reject });
      this.#waiting.set(websiteId, waiting);
      this.#counters.add("waiting");
      this.#assign();
    }
    return promise;
  }

  /** Rejects queued jobs and those in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#hurry);
    for (const job of [...this.#waiting.values()].flat()) {
      this.#counters.add("waiting", -1);
      job.reject(closed());
    }
    this.#waiting.clear();
    await Promise.all(this.#slots.map((slot) => slot[Symbol.asyncDispose]()));
  }

  #assign(): void {
    const [first, second] = this.#slots;
    if (first === undefined || second === undefined || this.#isClosed) return;
    if (first.running === undefined) {
      const job = this.#take(second.running, () => true);
      if (job !== undefined) void first.run(job);
    }
    if (first.running !== undefined && second.running === undefined) this.#assignShort(first.running, second);
    clearTimeout(this.#hurry);
    if (this.#waiting.size > 0) this.#hurry = setTimeout(() => this.#assign(), SHORT_WAITS_MS);
  }

  /** Gives the second process a short text that has waited behind another website's text. */
  #assignShort(other: Job, slot: ProcessSlot): void {
    const now = performance.now();
    const isDue = (job: Job) =>
      job.characters <= SHORT_CHARACTERS &&
      (this.#limits.usesBoth || (now - job.since >= SHORT_WAITS_MS && job.websiteId !== other.websiteId));
    if (!slot.isReady) {
      // Starts the process without assigning the job, because the first process may become free earlier.
      if ([...this.#waiting.values()].some((jobs) => jobs.some(isDue))) slot.prepare();
      return;
    }
    const job = this.#take(other, isDue);
    if (job !== undefined) void slot.run(job);
  }

  /** Removes the next job in turn. The website of `other` comes last. */
  #take(other: Job | undefined, fits: (job: Job) => boolean): Job | undefined {
    const turns = [...this.#waiting.keys()];
    const others = turns.filter((websiteId) => websiteId !== other?.websiteId);
    for (const websiteId of others.length > 0 ? others : turns) {
      const jobs = this.#waiting.get(websiteId) ?? [];
      const index = jobs.findIndex(fits);
      if (index < 0) continue;
      const [job] = jobs.splice(index, 1);
      this.#counters.add("waiting", -1);
      // Moves the website to the end of the queue.
      this.#waiting.delete(websiteId);
      if (jobs.length > 0) this.#waiting.set(websiteId, jobs);
      return job;
    }
    return undefined;
  }
}

interface ProcessSlotOptions {
  heapMb: number;
  limits: ContentLimits;
  counters: ContentCounters;
  onFree: () => void;
}

/** One child process and its current job. */
class ProcessSlot implements AsyncDisposable {
  readonly #heapMb: number;
  readonly #limits: ContentLimits;
  readonly #counters: ContentCounters;
  readonly #onFree: () => void;
  #process: ContentProcess | undefined;
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;
  running: Job | undefined;

  constructor({ heapMb, limits, counters, onFree }: ProcessSlotOptions) {
    this.#heapMb = heapMb;
    this.#limits = limits;
    this.#counters = counters;
    this.#onFree = onFree;
  }

  get isReady(): boolean {
    return this.#isReady && this.#process?.isGone === false;
  }

  /** Starts the process ahead of its first job. */
  prepare(): void {
    try {
      this.#start();
    } catch {
      // The next job reports the error.
    }
  }

  /** @throws AppError `unavailable`. */
  #start(): ContentProcess {
    clearTimeout(this.#idle);
    if (this.#process?.isGone === false) return this.#process;
    const started = new ContentProcess({
      program: "content-worker.ts",
      heapMb: this.#heapMb,
      counters: this.#counters,
    });
    this.#process = started;
    this.#isReady = false;
    // The job that waits for the process reports a failed start.
    void this.#whenReady(started).catch(() => undefined);
    return started;
  }

  async #whenReady(started: ContentProcess): Promise<void> {
    await started.ready;
    this.#isReady = true;
    this.#stopWhenIdle();
    this.#onFree();
  }

  async run(job: Job): Promise<void> {
    this.running = job;
    const { source, startedAt, resolve, reject, characters } = job;
    try {
      const process = this.#start();
      const answer = await process.ask({ type: "prepare", source, startedAt }, cpuLimit(characters, this.#limits));
      if (answer.type !== "prepared") throw new Error(`a content process answered with ${answer.type}`);
      resolve(answer.content);
    } catch (error) {
      reject(error instanceof Overrun ? tooExpensive(error) : error);
    }
    this.running = undefined;
    this.#stopWhenIdle();
    this.#onFree();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    this.running?.reject(closed());
    await this.#stop();
  }

  #stopWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.running === undefined) this.#idle = setTimeout(() => void this.#stop(), STOP_AFTER_IDLE_MS).unref();
  }

  async #stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.[Symbol.asyncDispose]();
  }
}

function busy(): AppError {
  return new AppError(
    "busy",
    "Too many texts of this website are being worked on: wait until they are done, then try again.",
  );
}

function closed(): AppError {
  return new AppError("service_unavailable", "The service is stopping: nothing was saved. Try again in a few seconds.");
}
