/**
 * Derives content from untrusted text in child processes (process.ts), so that no text delays readers. Websites take turns. A
 * text that exceeds its limit of time or memory is refused without affecting others. The processes start with the first text
 * and stop after an idle time.
 */
import type { Millis } from "../domain/system/time.ts";
import type { DerivedContent } from "../domain/articles/content/content.ts";
import type { ContentSource } from "../domain/articles/content/content-source.ts";
import type { Redline, RedlineInput } from "../domain/articles/content/redline/redline.ts";
import type { Followed, FollowInput } from "../domain/articles/passages.ts";
import { ContentCounters } from "./counters.ts";
import { ContentProcess, Overrun, toError } from "./process.ts";
import type { Refusal } from "./messages.ts";
import { AppError } from "../domain/system/errors.ts";

/** Limits of one text; `…Ms` is CPU time. */
export interface ContentLimits {
  msPerMb: number;
  leastMs: number;
  maxMs: number;
  /** Maximum queued texts of one website, besides those in progress. */
  maxWaiting: number;
  /** Characters of the texts that a process gets in one message. */
  maxCharactersTogether: number;
  /** Whether one website's short texts may use both processes, as in an import that has the machine's cores. */
  usesBoth: boolean;
  /** V8's old generation, MB. */
  heapMb: number;
  /** The same for the process that handles short texts. */
  shortHeapMb: number;
}

const LIMITS: ContentLimits = {
  msPerMb: 2_000,
  leastMs: 1_000,
  maxMs: 5_000,
  maxWaiting: 32,
  maxCharactersTogether: 100_000,
  usesBoth: false,
  heapMb: 320,
  shortHeapMb: 160,
};
/** Texts up to this length may use the second process, so that they do not wait behind a long one. */
const SHORT_CHARACTERS = 250_000;
const SHORT_WAITS_MS = 250;
const STOP_AFTER_IDLE_MS = 20_000;
/**
 * Texts of one website that a process gets in one message, as in an import. Messages take CPU time of both processes, and each
 * wakes one of them; texts of other websites wait for as many characters behind a single text, too.
 */
const MAX_TEXTS_TOGETHER = 16;

interface Job {
  websiteId: string;
  work: Work;
  characters: number;
  /** Whether it exceeded a limit together with others: which of them is at fault is not known. */
  isAlone: boolean;
  since: number;
  reject: (error: unknown) => void;
}

type Work =
  | { type: "derive"; source: ContentSource; startedAt: Millis; resolve: (content: DerivedContent) => void }
  /** Always the only job of its message. */
  | { type: "compare"; before: RedlineInput; after: RedlineInput; resolve: (redline: Redline) => void }
  | { type: "findPassages"; input: FollowInput; resolve: (followed: Followed) => void };

/** CPU time allowed for a text of this length, ms. */
function cpuLimit(characters: number, { msPerMb, leastMs, maxMs } = LIMITS): number {
  return Math.min(maxMs, Math.max(leastMs, (characters / 1_000_000) * msPerMb));
}

function tooExpensive({ what }: Overrun): AppError {
  return new AppError(
    "too_expensive",
    what === "time"
      ? "This text takes too long to process. Make it simpler or shorter, then try again."
      : "This text takes too much memory to process. Make it simpler or shorter, then try again.",
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
      (heapMb) =>
        new ProcessSlot({
          heapMb,
          limits: this.#limits,
          counters,
          onFree: () => this.#assign(),
          onRetry: (jobs) => this.#retry(jobs),
        }),
    );
  }

  /**
   * @throws AppError `too_expensive`, `busy`; `invalid` for content that is not an article; `unavailable` when the pool is
   * closed.
   */
  deriveContent(
    websiteId: string,
    source: ContentSource,
    startedAt: Millis,
    isPatient = false,
  ): Promise<DerivedContent> {
    const { promise, resolve, reject } = Promise.withResolvers<DerivedContent>();
    const { html = "", markdown = "" } = source.known ?? source;
    const characters = html.length + markdown.length;
    this.#enqueue({ websiteId, work: { type: "derive", source, startedAt, resolve }, characters, reject }, isPatient);
    return promise;
  }

  /** @throws AppError as `deriveContent`. */
  compare(websiteId: string, before: RedlineInput, after: RedlineInput): Promise<Redline> {
    const { promise, resolve, reject } = Promise.withResolvers<Redline>();
    const characters = before.html.length + after.html.length;
    this.#enqueue({ websiteId, work: { type: "compare", before, after, resolve }, characters, reject });
    return promise;
  }

  /** @throws AppError as `deriveContent`. */
  findPassages(websiteId: string, input: FollowInput): Promise<Followed> {
    const { promise, resolve, reject } = Promise.withResolvers<Followed>();
    const characters = input.from.length + input.to.length;
    this.#enqueue({ websiteId, work: { type: "findPassages", input, resolve }, characters, reject });
    return promise;
  }

  #enqueue(job: Omit<Job, "isAlone" | "since">, isPatient = false): void {
    const waiting = this.#waiting.get(job.websiteId) ?? [];
    if (this.#isClosed) job.reject(closed());
    else if (!isPatient && waiting.length >= this.#limits.maxWaiting) job.reject(busy());
    else {
      waiting.push({ ...job, isAlone: job.work.type !== "derive", since: performance.now() });
      this.#waiting.set(job.websiteId, waiting);
      this.#counters.add("waiting");
      this.#assign();
    }
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

  /** Starts a process before the first text. */
  start(): void {
    this.#slots[0]?.prepare();
  }

  #assign(): void {
    const [first, second] = this.#slots;
    if (first === undefined || second === undefined || this.#isClosed) return;
    if (first.running.length === 0) {
      const jobs = this.#take(second.running[0], () => true);
      if (jobs.length > 0) void first.run(jobs);
    }
    const [running] = first.running;
    if (running !== undefined && second.running.length === 0) this.#assignShort(running, second);
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
    const jobs = this.#take(other, isDue);
    if (jobs.length > 0) void slot.run(jobs);
  }

  /** Puts texts back that are to be worked on one at a time. */
  #retry(jobs: readonly Job[]): void {
    for (const job of jobs) job.isAlone = true;
    const [first] = jobs;
    if (first === undefined) return;
    if (this.#isClosed) {
      for (const job of jobs) job.reject(closed());
      return;
    }
    this.#waiting.set(first.websiteId, [...jobs, ...(this.#waiting.get(first.websiteId) ?? [])]);
    this.#counters.add("waiting", jobs.length);
  }

  /**
   * Removes the next job in turn, with further short ones of its website if no other website waits. The website of `other`
   * comes last.
   */
  #take(other: Job | undefined, fits: (job: Job) => boolean): Job[] {
    const turns = [...this.#waiting.keys()];
    const others = turns.filter((websiteId) => websiteId !== other?.websiteId);
    for (const websiteId of others.length > 0 ? others : turns) {
      const jobs = this.#waiting.get(websiteId) ?? [];
      const index = jobs.findIndex(fits);
      if (index < 0) continue;
      const taken = jobs.splice(index, turns.length > 1 ? 1 : this.#countTogether(jobs, index, fits));
      this.#counters.add("waiting", -taken.length);
      // Moves the website to the end of the queue.
      this.#waiting.delete(websiteId);
      if (jobs.length > 0) this.#waiting.set(websiteId, jobs);
      return taken;
    }
    return [];
  }

  /** How many jobs from the given one on go into one message. */
  #countTogether(jobs: readonly Job[], from: number, fits: (job: Job) => boolean): number {
    let count = 0;
    let characters = 0;
    for (const job of jobs.slice(from, from + MAX_TEXTS_TOGETHER)) {
      characters += job.characters;
      if (count > 0 && (job.isAlone || characters > this.#limits.maxCharactersTogether || !fits(job))) break;
      count++;
      if (job.isAlone) break;
    }
    return count;
  }
}

interface ProcessSlotOptions {
  heapMb: number;
  limits: ContentLimits;
  counters: ContentCounters;
  onFree: () => void;
  /** Gets jobs that exceeded a limit together. */
  onRetry: (jobs: readonly Job[]) => void;
}

/** One child process and its current jobs. */
class ProcessSlot implements AsyncDisposable {
  readonly #heapMb: number;
  readonly #limits: ContentLimits;
  readonly #counters: ContentCounters;
  readonly #onFree: () => void;
  readonly #onRetry: (jobs: readonly Job[]) => void;
  #process: ContentProcess | undefined;
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;
  running: readonly Job[] = [];
  /** How many of them it has answered. */
  #settled = 0;

  constructor({ heapMb, limits, counters, onFree, onRetry }: ProcessSlotOptions) {
    this.#heapMb = heapMb;
    this.#limits = limits;
    this.#counters = counters;
    this.#onFree = onFree;
    this.#onRetry = onRetry;
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

  async run(jobs: readonly Job[]): Promise<void> {
    this.running = jobs;
    this.#settled = 0;
    const characters = jobs.reduce((sum, job) => sum + job.characters, 0);
    try {
      const [first] = jobs;
      const allowedMs = cpuLimit(characters, this.#limits);
      if (first?.work.type === "compare") await this.#compare(first.work, allowedMs);
      else if (first?.work.type === "findPassages") await this.#findPassages(first.work, allowedMs);
      else await this.#derive(jobs, allowedMs);
    } catch (error) {
      const open = jobs.slice(this.#settled);
      if (jobs.length > 1 && !(error instanceof AppError)) this.#onRetry(open);
      else for (const { reject } of open) reject(error instanceof Overrun ? tooExpensive(error) : error);
    }
    this.running = [];
    this.#stopWhenIdle();
    this.#onFree();
  }

  async #derive(jobs: readonly Job[], allowedMs: number): Promise<void> {
    const works = jobs.map(({ work }) => work).filter((work) => work.type === "derive");
    const texts = works.map(({ source, startedAt }) => ({ source, startedAt }));
    const settle = (results: readonly (DerivedContent | Refusal)[]) => {
      for (const result of results) {
        const index = this.#settled++;
        if ("type" in result) jobs[index]?.reject(toError(result));
        else works[index]?.resolve(result);
      }
    };
    const answer = await this.#start().ask({ type: "derive", texts }, allowedMs, ({ results }) => settle(results));
    if (answer.type !== "derived") throw new Error(`a content process answered with ${answer.type}`);
    settle(answer.results);
    for (const { reject } of jobs.slice(this.#settled)) {
      reject(new Error("a content process answered with too few results"));
    }
  }

  async #compare({ before, after, resolve }: Extract<Work, { type: "compare" }>, allowedMs: number): Promise<void> {
    const answer = await this.#start().ask({ type: "compare", before, after }, allowedMs);
    if (answer.type !== "compared") throw new Error(`a content process answered with ${answer.type}`);
    resolve(answer.redline);
  }

  async #findPassages({ input, resolve }: Extract<Work, { type: "findPassages" }>, allowedMs: number): Promise<void> {
    const answer = await this.#start().ask({ type: "findPassages", input }, allowedMs);
    if (answer.type !== "passages") throw new Error(`a content process answered with ${answer.type}`);
    resolve(answer.followed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    for (const { reject } of this.running) reject(closed());
    await this.#stop();
  }

  #stopWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.running.length === 0) this.#idle = setTimeout(() => void this.#stop(), STOP_AFTER_IDLE_MS).unref();
  }

  async #stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.[Symbol.asyncDispose]();
  }
}

function busy(): AppError {
  return new AppError("busy", "Too many texts of this website are being processed. Try again in a few seconds.");
}

function closed(): AppError {
  return new AppError("service_unavailable", "The service is stopping: nothing was saved. Try again in a few seconds.");
}
