/** Derives content from untrusted text in child processes, so that no text delays readers; websites take turns. */
import type { Proofs } from "../domain/articles/senders/credentials.ts";
import type { Place } from "../domain/articles/senders/dialect.ts";
import type { Understood } from "../domain/articles/senders/sender.ts";
import type { ReadableArrival } from "../operations/system/deps.ts";
import type { Millis } from "../domain/system/time.ts";
import type { DerivedContent } from "../domain/articles/content/content.ts";
import type { ContentSource } from "../domain/articles/content/content-source.ts";
import type { Redline, RedlineInput } from "../domain/articles/content/redline/redline.ts";
import type { Followed, FollowInput } from "../domain/articles/passages.ts";
import { AppError } from "../domain/system/errors.ts";
import { FairQueue } from "../domain/system/fair-queue.ts";
import { type Child, ChildEnded } from "../process/child.ts";
import { unpackError } from "../process/child-loop.ts";
import type { ContentCalls, Text, TextResult } from "./content-worker.ts";
import { ContentCounters, contentProcess, explainEnd, stopping } from "./processes.ts";

/**
 * Limits of one text; `…Ms` is CPU time. What a text may contain is limited by counting (bounded-lexer.ts, html-scanner.ts), so
 * that it is accepted on every machine or on none: no text within those limits is known to take two fifths of the time.
 */
export interface ContentLimits {
  msPerMb: number;
  leastMs: number;
  maxMs: number;
  /** Maximum queued texts of one website, besides those in progress. */
  maxWaiting: number;
  /** Characters of the texts that a process gets in one message. */
  maxCharactersTogether: number;
  /** Longer texts go to a process of their own. */
  maxShortCharacters: number;
  /** Whether short texts may use that process, too, as in an import that has the machine's cores. */
  usesBoth: boolean;
  /** V8's old generation, MB. */
  heapMb: number;
  /** V8's old generation of the process for short texts, MB. */
  shortHeapMb: number;
}

const LIMITS: ContentLimits = {
  msPerMb: 10_000,
  leastMs: 5_000,
  maxMs: 20_000,
  maxWaiting: 32,
  maxCharactersTogether: 100_000,
  maxShortCharacters: 250_000,
  usesBoth: false,
  heapMb: 320,
  shortHeapMb: 160,
};
const STOP_AFTER_IDLE_MS = 20_000;
/**
 * Texts of one website in one message, since messages cost CPU time of both processes and wake one. Others' texts wait
 * for as many characters behind a single text, too.
 */
const MAX_TEXTS_TOGETHER = 16;

export class ContentPool implements AsyncDisposable {
  readonly #short: Lane;
  readonly #long: Lane;
  readonly #limits: ContentLimits;
  #isClosed = false;

  constructor(limits: Partial<ContentLimits> = {}, counters = new ContentCounters()) {
    this.#limits = { ...LIMITS, ...limits };
    const { heapMb, shortHeapMb } = this.#limits;
    const program = "content-worker.ts" as const;
    // Starting one takes longer than a text does, so that this one stays.
    this.#short = new Lane(this.#limits, counters, contentProcess({ program, heapMb: shortHeapMb, counters }));
    const stopAfterIdleMs = STOP_AFTER_IDLE_MS;
    this.#long = new Lane(this.#limits, counters, contentProcess({ program, heapMb, counters, stopAfterIdleMs }));
  }

  /** `isPatient`: waits in any queue. @throws AppError `too_expensive`, `busy`, `invalid`; `unavailable` if closed. */
  async deriveContent(
    websiteId: string,
    source: ContentSource,
    startedAt: Millis,
    isPatient = false,
  ): Promise<DerivedContent> {
    const { html = "", markdown = "" } = source.known ?? source;
    const text: Text = { type: "derive", source, startedAt };
    return (await this.#process(websiteId, text, html.length + markdown.length, isPatient)) as DerivedContent;
  }

  /** @throws AppError as `deriveContent`. */
  async compare(websiteId: string, before: RedlineInput, after: RedlineInput): Promise<Redline> {
    const text: Text = { type: "compare", before, after };
    return (await this.#process(websiteId, text, before.html.length + after.html.length)) as Redline;
  }

  /** @throws AppError as `deriveContent`. */
  async findPassages(websiteId: string, input: FollowInput): Promise<Followed> {
    const text: Text = { type: "find passages", input };
    return (await this.#process(websiteId, text, input.from.length + input.to.length)) as Followed;
  }

  /** Waits in any queue: the arrival is stored. @throws AppError as `deriveContent`. */
  async readArrival(websiteId: string, arrival: ReadableArrival): Promise<Understood> {
    const text: Text = { type: "read arrival", arrival };
    return (await this.#process(websiteId, text, arrival.body.length, true)) as Understood;
  }

  /** @throws AppError as `deriveContent`. */
  async readProofs(websiteId: string, body: string, places: readonly Place[]): Promise<Proofs> {
    return (await this.#process(websiteId, { type: "read proofs", body, places }, body.length)) as Proofs;
  }

  /** Starts a process before the first text. */
  start(): void {
    this.#short.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#short.stop(), this.#long.stop()]);
  }

  async #process(websiteId: string, text: Text, characters: number, isPatient = false): Promise<unknown> {
    if (this.#isClosed) throw stopping();
    const lane = this.#choose(characters);
    if (!isPatient && lane.isFull(websiteId)) {
      throw new AppError("busy", "Too many texts of this website are being processed. Try again in a few seconds.");
    }
    try {
      return await lane.process(websiteId, text, characters);
    } catch (error) {
      throw explainEnd(error, (what) => {
        const much = what === "time" ? "too long" : "too much memory";
        return `This text takes ${much} to process. Make it simpler or shorter, then try again.`;
      });
    }
  }

  #choose(characters: number): Lane {
    const { maxShortCharacters, usesBoth } = this.#limits;
    if (characters > maxShortCharacters) return this.#long;
    return usesBoth && this.#long.waiting < this.#short.waiting ? this.#long : this.#short;
  }
}

interface Job {
  text: Text;
  characters: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Several texts exceeded a limit together: which of them is at fault is not known. */
class SharedEnd extends Error {}

/** One process and the texts that wait for it. */
class Lane {
  readonly #child: Child<ContentCalls>;
  readonly #limits: ContentLimits;
  readonly #counters: ContentCounters;
  readonly #queue: FairQueue;
  /** Texts whose turn has come in this turn of the event loop, for one message. */
  #group: Job[] = [];
  /** Messages that the process has: one under way, and one that waits, so that it need not wait for this process. */
  readonly #messages = new Set<{ isShared: boolean }>();
  #isStopped = false;

  constructor(limits: ContentLimits, counters: ContentCounters, child: Child<ContentCalls>) {
    this.#child = child;
    this.#limits = limits;
    this.#counters = counters;
    const { maxCharactersTogether: capacity, maxWaiting } = limits;
    this.#queue = new FairQueue({ capacity, maxWaiting, inGroups: true });
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  isFull(websiteId: string): boolean {
    return this.#queue.isFull(websiteId);
  }

  start(): void {
    // The first text reports the error.
    this.#child.start().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#child.stop();
  }

  /** @throws what the text throws; ChildEnded. */
  async process(websiteId: string, text: Text, characters: number): Promise<unknown> {
    const weight = Math.max(characters, this.#limits.maxCharactersTogether / MAX_TEXTS_TOGETHER);
    try {
      return await this.#attempt(websiteId, text, characters, weight);
    } catch (error) {
      if (!(error instanceof SharedEnd)) throw error;
      return this.#attempt(websiteId, text, characters, Infinity);
    }
  }

  async #attempt(websiteId: string, text: Text, characters: number, weight: number): Promise<unknown> {
    this.#counters.add("waiting");
    using _turn = await this.#queue.enter(websiteId, weight);
    this.#counters.add("waiting", -1);
    if (this.#isStopped) throw stopping();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#group.length === 0) queueMicrotask(() => void this.#send());
    this.#group.push({ text, characters, resolve, reject });
    return await promise;
  }

  async #send(): Promise<void> {
    const jobs = this.#group;
    this.#group = [];
    const { msPerMb, leastMs, maxMs } = this.#limits;
    const characters = jobs.reduce((sum, job) => sum + job.characters, 0);
    const cpuMs = Math.min(maxMs, Math.max(leastMs, (characters / 1_000_000) * msPerMb));
    let settled = 0;
    const settle = (results: readonly TextResult[]) => {
      for (const result of results) {
        const job = jobs[settled++];
        if ("error" in result) job?.reject(unpackError(result.error));
        else job?.resolve(result.value);
      }
    };
    const texts = jobs.map(({ text }) => text);
    const message = { isShared: jobs.length > 1 || this.#messages.size > 0 };
    for (const other of this.#messages) other.isShared = true;
    this.#messages.add(message);
    try {
      settle(await this.#child.ask("process", texts, { cpuMs, onPart: settle }));
    } catch (error) {
      const isEnd = error instanceof ChildEnded && error.why !== "start" && error.why !== "stop";
      for (const { reject } of jobs.slice(settled)) reject(isEnd && message.isShared ? new SharedEnd() : error);
    } finally {
      this.#messages.delete(message);
    }
  }
}
