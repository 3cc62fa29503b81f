/** Starts child processes for untrusted texts and pictures, which get no settings and no secrets, and counts them. */
import { AppError } from "../domain/system/errors.ts";
import type { ContentProcessStats } from "../domain/system/content-process-stats.ts";
import { Child, ChildEnded, type ChildOptions } from "../process/child.ts";
import { childProcess, compileCache } from "../process/child-program.ts";
import type { Calls } from "../process/child-loop.ts";

/** Young generation. If smaller, half of the time for a large text is spent collecting its tree repeatedly. */
const SEMI_SPACE_MB = 16;
/** As in bin/rostrum.js: freed memory is returned to the system. */
const LEAN_ALLOCATOR = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" };

interface ContentProcessOptions extends Pick<ChildOptions<never>, "counters" | "stopAfterIdleMs" | "maxResidentBytes"> {
  program: "content-worker.ts" | "import-worker.ts" | "picture-worker.ts";
  /** Heap limit, MB; null for V8's default. */
  heapMb: number | null;
}

export function contentProcess<Called extends Calls>(options: ContentProcessOptions): Child<Called> {
  const { program, heapMb, ...others } = options;
  const flags = [`--max-semi-space-size=${SEMI_SPACE_MB}`, "--expose-gc"];
  if (heapMb !== null) flags.push(`--max-old-space-size=${heapMb}`);
  const environment = { ...LEAN_ALLOCATOR, ...compileCache() };
  const start = () => childProcess(new URL(program, import.meta.url), { flags, environment });
  return new Child({ start, ...others });
}

/** Why a text or a picture was not processed, in words for its author. `tooMuch`: for one that exceeded a limit. */
export function explainEnd(error: unknown, tooMuch: (what: "time" | "memory") => string): unknown {
  if (!(error instanceof ChildEnded)) return error;
  const { why } = error;
  if (why === "time" || why === "memory") return new AppError("too_expensive", tooMuch(why), { cause: error });
  if (why === "stop") return stopping();
  if (why !== "start") return error;
  const message =
    "The server cannot start the process that checks texts: nothing was saved. Try again in a few seconds.";
  return new AppError("service_unavailable", message, { cause: error });
}

export function stopping(): AppError {
  return new AppError("service_unavailable", "The service is stopping: nothing was saved. Try again in a few seconds.");
}

const NAMES = ["running", "waiting", "started", "killedForTime", "killedForMemory"] as const;

/** Counts a thread's child processes and how they ended, in shared memory that the main thread reads for `/metrics`. */
export class ContentCounters {
  readonly #counts: Int32Array<SharedArrayBuffer>;

  /** `shared`: the `memory` of another thread's counters. */
  constructor(shared = new SharedArrayBuffer(NAMES.length * Int32Array.BYTES_PER_ELEMENT)) {
    this.#counts = new Int32Array(shared);
  }

  /** Shared with another thread. */
  get memory(): SharedArrayBuffer {
    return this.#counts.buffer;
  }

  get stats(): ContentProcessStats {
    const [running = 0, waiting = 0, started = 0, killedForTime = 0, killedForMemory = 0] = NAMES.map((_name, index) =>
      Atomics.load(this.#counts, index),
    );
    return { running, waiting, started, killedForTime, killedForMemory };
  }

  add(name: keyof ContentProcessStats, difference = 1): void {
    Atomics.add(this.#counts, NAMES.indexOf(name), difference);
  }

  /** Forgets what ran and waited in a thread that has failed: its child processes end with it. */
  forgetRunning(): void {
    for (const name of ["running", "waiting"] as const) Atomics.store(this.#counts, NAMES.indexOf(name), 0);
  }
}

export function sumStats(all: readonly ContentProcessStats[]): ContentProcessStats {
  const sum = { running: 0, waiting: 0, started: 0, killedForTime: 0, killedForMemory: 0 };
  for (const stats of all) for (const name of NAMES) sum[name] += stats[name];
  return sum;
}
