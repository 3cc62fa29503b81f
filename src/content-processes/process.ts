/**
 * A child process that handles untrusted text, one request at a time. Threads would not do: a single allocation far beyond the
 * heap limit ends the whole process, and a thread inside a native function (JSON.parse, String.prototype.normalize) cannot be
 * terminated.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import type { Socket } from "node:net";
import { AppError } from "../domain/system/errors.ts";
import { readCpuMs, readResidentBytes } from "../process/identity.ts";
import type { ContentCounters } from "./counters.ts";
import type { FromContentProcess, Refusal, ToContentProcess } from "./messages.ts";

const POLL_INTERVAL_MS = 50;
/**
 * If CPU time cannot be read, wall-clock time is limited to the CPU limit times this factor, because other processes use the
 * CPU, too.
 */
const CLOCK_FACTOR = 4;
/** Maximum wall-clock time of one request. Requests do not wait for I/O, but the machine may be busy. */
const MAX_WAIT_MS = 300_000;
const MAX_STDERR = 4_000;
/** Young generation. If smaller, half of the time for a large text is spent collecting its tree repeatedly. */
const SEMI_SPACE_MB = 16;
/** As in bin/rostrum.js: freed memory is returned to the system. */
const LEAN_ALLOCATOR = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" };

export interface ContentProcessOptions {
  /** The script that it runs. */
  program: "content-worker.ts" | "import-worker.ts" | "picture-worker.ts";
  /** Heap limit, MB; null for V8's default. */
  heapMb: number | null;
  /** Limit of all its memory, MB, where the system reports it; WebAssembly is outside of the heap. */
  residentMb?: number;
  counters?: ContentCounters;
}

/** The process was killed because it exceeded its time or memory. */
export class Overrun extends Error {
  readonly what: "time" | "memory";

  constructor(what: "time" | "memory") {
    super(`a content process was ended: too much ${what}`);
    this.what = what;
  }
}

type Prepared = Extract<FromContentProcess, { type: "derived" }>;

interface Request {
  /** CPU time that it may use, ms. */
  allowedMs: number;
  /** Limits, set at the first poll; undefined before. */
  limit: { cpuMs: number; until: number } | undefined;
  onPart: ((part: Prepared) => void) | undefined;
  resolve: (answer: FromContentProcess) => void;
  reject: (error: unknown) => void;
}

export class ContentProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #ready: Promise<void>;
  #request: Request | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Set once the process was killed for exceeding a limit. */
  #overrun: Overrun | undefined;
  #isGone = false;
  #isDisposed = false;
  #stderr = "";
  readonly #counters: ContentCounters | undefined;
  readonly #maxResidentBytes: number;

  constructor({ program, heapMb, residentMb, counters }: ContentProcessOptions) {
    const flags = [`--max-semi-space-size=${SEMI_SPACE_MB}`, "--expose-gc"];
    if (heapMb !== null) flags.push(`--max-old-space-size=${heapMb}`);
    const cache = getCompileCacheDir();
    const child = started(() =>
      fork(new URL(program, import.meta.url), [], {
        serialization: "advanced",
        execArgv: flags,
        // No settings and no secrets.
        env: { ...LEAN_ALLOCATOR, ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      }),
    );
    this.#child = child;
    this.#counters = counters;
    this.#maxResidentBytes = (residentMb ?? Infinity) * 1024 * 1024;
    counters?.add("started");
    counters?.add("running");
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    const ready = Promise.withResolvers<void>();
    // ask() reports the error.
    ready.promise.catch(() => undefined);
    this.#ready = ready.promise;
    child.on("message", (message: FromContentProcess) => {
      if (message.type === "ready") ready.resolve();
      else this.#answer(message);
    });
    const gone = (error: unknown) => {
      this.#isGone = true;
      // A failed start is not the fault of any text.
      ready.reject(cannotStart(error));
      this.#end(({ reject }) => reject(error));
    };
    child.once("error", (error) => gone(error));
    child.once("exit", () => {
      this.#isGone = true;
    });
    this.#exited = once(child, "close")
      .then(([code, signal]) => gone(this.#overrun ?? this.#explain(code, signal)), gone)
      .finally(() => counters?.add("running", -1));
    this.#unref();
  }

  get isGone(): boolean {
    return this.#isGone || this.#overrun !== undefined;
  }

  /** Resolves when the process has started. @throws AppError `unavailable` when it cannot start. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Called when the process starts an item; returns the CPU time allowed for it, ms. */
  onItem: ((source: string, bytes: number | undefined) => number) | undefined;

  /** CPU time since the start, ms; undefined where the system does not report it. */
  get cpuMs(): number | undefined {
    return this.#child.pid === undefined ? undefined : readCpuMs(this.#child.pid);
  }

  /**
   * Sends one request at a time. `onPart` gets all parts of the answer but the last. @throws Overrun; AppError when the text is
   * refused or the process cannot start; Error for a bug.
   */
  async ask(message: ToContentProcess, cpuMs: number, onPart?: (part: Prepared) => void): Promise<FromContentProcess> {
    this.#ref();
    await this.#ready;
    const { promise, resolve, reject } = Promise.withResolvers<FromContentProcess>();
    this.#request = { allowedMs: cpuMs, limit: undefined, onPart, resolve, reject };
    this.#timer ??= setInterval(() => this.#checkLimits(), POLL_INTERVAL_MS);
    this.send(message);
    const answer = await promise;
    if (answer.type === "refused" || answer.type === "failed") throw toError(answer);
    return answer;
  }

  /** Sends a request that has no reply. */
  send(message: ToContentProcess): void {
    if (this.isGone) return;
    if (!this.#child.connected) {
      this.#child.kill("SIGKILL");
      return;
    }
    this.#child.send(message, (error) => {
      // The exit of the process rejects the request.
      if (error !== null) this.#child.kill("SIGKILL");
    });
  }

  /** Kills the process, even during a request. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#ref();
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  #answer(message: FromContentProcess): void {
    const request = this.#request;
    if (request === undefined || message.type === "ready") return;
    if (message.type === "item") {
      const cpuMs = this.onItem?.(message.source, message.bytes);
      if (cpuMs !== undefined) Object.assign(request, { allowedMs: cpuMs, limit: undefined });
      return;
    }
    if (message.type === "derived" && !message.isLast) request.onPart?.(message);
    else this.#end(({ resolve }) => resolve(message));
  }

  #checkLimits(): void {
    const request = this.#request;
    if (request === undefined) return;
    const [now, cpu] = [performance.now(), this.cpuMs];
    // Counts from the first poll: most requests end before it, and reading the CPU time costs 20 µs.
    request.limit ??= {
      cpuMs: (cpu ?? 0) + request.allowedMs,
      until: now + (cpu === undefined ? request.allowedMs * CLOCK_FACTOR : MAX_WAIT_MS),
    };
    const isLate = (cpu ?? 0) > request.limit.cpuMs || now > request.limit.until;
    if (!isLate && !this.#isTooLarge()) return;
    this.#overrun = this.#countOverrun(isLate ? "time" : "memory");
    this.#child.kill("SIGKILL");
    // Rejects before the system has removed the process.
    this.#end(({ reject }) => reject(this.#overrun));
  }

  #isTooLarge(): boolean {
    const { pid } = this.#child;
    if (this.#maxResidentBytes === Infinity || pid === undefined) return false;
    return (readResidentBytes(pid) ?? 0) > this.#maxResidentBytes;
  }

  #end(settle: (request: Request) => void): void {
    const request = this.#request;
    this.#request = undefined;
    this.#unref();
    if (request !== undefined) settle(request);
  }

  /**
   * Keeps this process alive until the child has closed. The pipes count, too: a child that ends together with another one is reaped
   * before its pipes are read to their end.
   */
  #ref(): void {
    for (const handle of this.#handles) handle.ref();
  }

  /** An idle child does not keep the parent alive. */
  #unref(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#isDisposed) return;
    for (const handle of this.#handles) handle.unref();
  }

  get #handles() {
    const { channel, stderr } = this.#child;
    return [this.#child, channel, stderr as Socket | null].filter((handle) => handle != null);
  }

  #countOverrun(what: Overrun["what"]): Overrun {
    if (!this.#isDisposed) this.#counters?.add(what === "time" ? "killedForTime" : "killedForMemory");
    return new Overrun(what);
  }

  /** V8 aborts when its heap is full; the system kills a process when memory runs out. */
  #explain(code: unknown, signal: unknown): Error {
    if (signal === "SIGABRT" || signal === "SIGKILL" || code === 134) return this.#countOverrun("memory");
    return new Error(`a content process ended by itself (${String(signal ?? code)}): ${this.#stderr}`);
  }
}

/** An AppError if the text was refused; otherwise the error of a bug. */
export function toError(refusal: Refusal): Error {
  const { message } = refusal;
  if (refusal.type === "refused") {
    return new AppError(refusal.code, message, refusal.field === undefined ? {} : { field: refusal.field });
  }
  return Object.assign(new Error(message), refusal.stack === undefined ? {} : { stack: refusal.stack });
}

/** @throws AppError `service_unavailable` when the system cannot start another process. */
function started(start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    throw cannotStart(error);
  }
}

function cannotStart(cause: unknown): AppError {
  return new AppError(
    "service_unavailable",
    "The server cannot start the process that checks texts: nothing was saved. Try again in a few seconds.",
    { cause },
  );
}
