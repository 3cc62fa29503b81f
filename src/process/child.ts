/** A child process or thread: starts with its first call, is killed at a limit, ends when idle, and starts again. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Calls, type FromChild, Moved, type ToChild, unpackError } from "./child-loop.ts";
import type { Program, RunningProgram } from "./child-program.ts";
import { readCpuMs, readResidentBytes } from "./identity.ts";

const POLL_INTERVAL_MS = 50;
/** Where CPU time cannot be read: elapsed time may be this many times the CPU limit. */
const CLOCK_FACTOR = 4;
/** Maximum elapsed time of a call with a limit. It does not wait for I/O, but the machine may be busy. */
const MAX_WAIT_MS = 300_000;

/** Why the child ended during a call: it exceeded a limit, could not start, was stopped, or failed by itself. */
export class ChildEnded extends Error {
  readonly why: "time" | "memory" | "start" | "stop" | "failure";

  constructor(why: ChildEnded["why"], message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.why = why;
  }
}

interface ChildCounters {
  add(name: "started" | "running" | "killedForTime" | "killedForMemory", difference?: number): void;
}

export interface ChildOptions<Notice> {
  start: () => Program;
  /** How long it may be idle; default: forever. */
  stopAfterIdleMs?: number;
  /** How long it gets to stop by itself when it has been idle, or is disposed of. A process gets none. */
  stopMs?: number;
  /** Limit of all its memory, where the system reports it. */
  maxResidentBytes?: number;
  counters?: ChildCounters;
  onNotice?: (notice: Notice) => void;
  /** Gets what the child wants to be logged. */
  onError?: (error: unknown, message: string) => void;
  /** Called after each end; with its error if it has failed. */
  onEnd?: (failure: Error | undefined) => void;
}

type Part<Call> = Call extends (input: never, send: (part: infer Sent) => void) => unknown ? Sent : never;
type Result<Call extends Calls[string]> =
  Awaited<ReturnType<Call>> extends Moved<infer T> ? T : Awaited<ReturnType<Call>>;

interface AskOptions<Sent = never> {
  /** CPU time that it may use, ms; a process only. */
  cpuMs?: number;
  /** Returns the CPU time allowed from then on, if it changes. */
  onPart?: (part: Sent) => number | void;
}

/** `Called`: the type of what the child passes to `answerParent`. `Notice`: of what it passes to `notifyParent`. */
export class Child<Called extends Calls, Notice = never> implements AsyncDisposable {
  readonly #options: ChildOptions<Notice>;
  #run: Run<Notice> | undefined;
  /** With those that are about to end. */
  readonly #runs = new Set<Run<Notice>>();
  #holders = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ChildOptions<Notice>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#run?.isGone === false;
  }

  /** Starts it ahead of its first call; resolves when it has started. @throws ChildEnded `start`. */
  async start(): Promise<void> {
    using _ = this.hold();
    await this.#start().started();
  }

  /** Keeps it from being idle until the result is disposed of. */
  hold(): Disposable {
    clearTimeout(this.#idle);
    this.#holders++;
    return {
      [Symbol.dispose]: () => {
        this.#holders--;
        const { stopAfterIdleMs, stopMs } = this.#options;
        if (this.#holders > 0 || stopAfterIdleMs === undefined) return;
        this.#idle = setTimeout(() => void this.stop(stopMs), stopAfterIdleMs).unref();
      },
    };
  }

  /** @throws what the call throws; ChildEnded. */
  async ask<Name extends keyof Called & string>(
    name: Name,
    input: Parameters<Called[Name]>[0] | Moved<Parameters<Called[Name]>[0]>,
    options: AskOptions<Part<Called[Name]>> = {},
  ): Promise<Result<Called[Name]>> {
    using _ = this.hold();
    // The child's loop is typed by the same calls.
    return (await this.#start().ask(name, input, options as AskOptions<unknown>)) as Result<Called[Name]>;
  }

  /** Asks for something that is not answered, if the child runs. */
  tell<Name extends keyof Called & string>(name: Name, input: Parameters<Called[Name]>[0]): void {
    if (this.isRunning) this.#run?.post({ call: 0, name, input });
  }

  /** Ends it: after `stopMs`, or at once, it is killed. @returns whether it ended by itself, or did not run. */
  async stop(stopMs = 0): Promise<boolean> {
    clearTimeout(this.#idle);
    this.#run = undefined;
    const ended = await Promise.all([...this.#runs].map((run) => run.stop(stopMs)));
    return ended.every(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(this.#options.stopMs);
  }

  #start(): Run<Notice> {
    if (this.#run?.isGone !== false) {
      const run = new Run(this.#options);
      this.#run = run;
      this.#runs.add(run);
      void run.closed.then(() => this.#runs.delete(run));
    }
    return this.#run;
  }
}

interface Call {
  allowedMs: number | undefined;
  /** Set at the first poll. */
  limit: { cpuMs: number; until: number } | undefined;
  onPart: AskOptions<unknown>["onPart"];
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** From one start to its end. */
class Run<Notice> {
  readonly #options: ChildOptions<Notice>;
  readonly #program: RunningProgram;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #calls = new Map<number, Call>();
  #count = 0;
  #asking = 0;
  #poll: NodeJS.Timeout | undefined;
  #isReady = false;
  #hasExited = false;
  #isStopping = false;
  #isKilled = false;
  #stopped: Promise<boolean> | undefined;
  #overrun: ChildEnded | undefined;

  constructor(options: ChildOptions<Notice>) {
    this.#options = options;
    // `ask` reports the error.
    this.#ready.promise.catch(() => undefined);
    try {
      this.#program = options.start()({
        onMessage: (message) => this.#receive(message),
        onExit: () => {
          this.#hasExited = true;
        },
        onClose: (error) => this.#close(error),
      });
    } catch (error) {
      throw new ChildEnded("start", "a child process could not be started", error);
    }
    options.counters?.add("started");
    options.counters?.add("running");
    this.#program.keepAlive(false);
  }

  get isGone(): boolean {
    return this.#hasExited || this.#overrun !== undefined;
  }

  /** Keeps this process alive meanwhile, as every call does. */
  async started(): Promise<void> {
    this.#asking++;
    this.#program.keepAlive(true);
    try {
      await this.#ready.promise;
    } finally {
      this.#asking--;
      if (this.#asking === 0) this.#rest();
    }
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async ask(name: string, given: unknown, { cpuMs: allowedMs, onPart }: AskOptions<unknown>): Promise<unknown> {
    this.#asking++;
    try {
      if (this.#isReady) this.#program.keepAlive(true);
      else await this.started();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const call = ++this.#count;
      this.#calls.set(call, { allowedMs, limit: undefined, onPart, resolve, reject });
      if (allowedMs !== undefined) this.#poll ??= setInterval(() => this.#checkLimits(), POLL_INTERVAL_MS);
      const [input, memory] = given instanceof Moved ? [given.value as unknown, given.memory] : [given, []];
      if (this.isGone) this.#calls.get(call)?.reject(this.#overrun ?? ended("failure"));
      else this.post({ call, name, input }, memory);
      return await promise.finally(() => this.#calls.delete(call));
    } finally {
      this.#asking--;
      if (this.#asking === 0) this.#rest();
    }
  }

  post(message: ToChild, memory: ArrayBuffer[] = []): void {
    this.#program.post(message, memory);
  }

  stop(stopMs: number): Promise<boolean> {
    this.#stopped ??= this.#stop(stopMs);
    return this.#stopped;
  }

  async #stop(stopMs: number): Promise<boolean> {
    this.#isStopping = true;
    this.#program.keepAlive(true);
    const closed = this.#closed.promise.then(() => true);
    if (stopMs > 0) {
      this.post("stop");
      if (await Promise.race([closed, sleep(stopMs, false, { ref: false })])) return true;
    }
    this.#kill();
    await closed;
    return false;
  }

  #receive(message: FromChild): void {
    if (message === "ready") {
      this.#isReady = true;
      this.#ready.resolve();
    } else if ("notice" in message) {
      // The child is typed by the same notices.
      this.#options.onNotice?.(message.notice as Notice);
    } else if ("message" in message) this.#options.onError?.(unpackError(message.error), message.message);
    else {
      const call = this.#calls.get(message.call);
      if ("error" in message) call?.reject(unpackError(message.error));
      else if ("result" in message) call?.resolve(message.result);
      else {
        const allowedMs = call?.onPart?.(message.part);
        if (call !== undefined && typeof allowedMs === "number") Object.assign(call, { allowedMs, limit: undefined });
      }
    }
  }

  #checkLimits(): void {
    const { pid } = this.#program;
    const [now, cpu] = [performance.now(), pid === undefined ? undefined : readCpuMs(pid)];
    const isLate = (call: Call) => {
      if (call.allowedMs === undefined) return false;
      // Counts from the first poll: most calls end before it, and reading the CPU time costs 20 µs.
      call.limit ??= {
        cpuMs: (cpu ?? 0) + call.allowedMs,
        until: now + (cpu === undefined ? call.allowedMs * CLOCK_FACTOR : MAX_WAIT_MS),
      };
      return (cpu ?? 0) > call.limit.cpuMs || now > call.limit.until;
    };
    // A child works on one call after the other.
    const first = this.#calls.values().find(({ allowedMs }) => allowedMs !== undefined);
    if (first !== undefined && isLate(first)) this.#end("time");
    else if (this.#isTooLarge()) this.#end("memory");
  }

  #isTooLarge(): boolean {
    const { maxResidentBytes = Infinity } = this.#options;
    const { pid } = this.#program;
    return maxResidentBytes < Infinity && pid !== undefined && (readResidentBytes(pid) ?? 0) > maxResidentBytes;
  }

  #end(why: "time" | "memory"): void {
    if (this.#overrun !== undefined) return;
    this.#overrun = this.#toOverrun(why);
    this.#kill();
    // Before the system has removed the process.
    this.#rejectAll(this.#overrun);
  }

  #kill(): void {
    this.#isKilled = true;
    this.#program.kill();
  }

  #toOverrun(why: "time" | "memory"): ChildEnded {
    this.#options.counters?.add(why === "time" ? "killedForTime" : "killedForMemory");
    return ended(why);
  }

  #close(failure: { isMemory: boolean; error: Error } | undefined): void {
    this.#hasExited = true;
    let error = this.#overrun;
    if (this.#isStopping) error ??= ended("stop");
    // A failed start is not the fault of any call.
    else if (!this.#isReady) error ??= new ChildEnded("start", "a child process did not start", failure?.error);
    else if (failure?.isMemory === true) error ??= this.#toOverrun("memory");
    error ??= new ChildEnded("failure", failure?.error.message ?? "a child process ended", failure?.error);
    this.#ready.reject(error);
    this.#rejectAll(error);
    this.#options.counters?.add("running", -1);
    this.#options.onEnd?.(this.#isKilled ? undefined : failure?.error);
    this.#closed.resolve();
  }

  #rejectAll(error: ChildEnded): void {
    for (const { reject } of this.#calls.values()) reject(error);
  }

  #rest(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
    // The caller of `stop` waits for the end.
    if (!this.#isStopping) this.#program.keepAlive(false);
  }
}

function ended(why: ChildEnded["why"]): ChildEnded {
  return new ChildEnded(why, `a child process was ended: ${why}`);
}
