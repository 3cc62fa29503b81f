import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { Worker } from "node:worker_threads";
import { answerParent, type Calls } from "../process/child-loop.ts";
import { lowerProcessPriority } from "../process/thread-priority.ts";

const CHECK_INTERVAL_MS = 500;
/** Delay before memory is released, because a text that follows soon can reuse it. */
const IDLE_MS = 1_000;
/** Smaller growth is not worth a collection. */
const GROWTH_BYTES = 32 * 1024 * 1024;

/** Does what the service asks until it ends. Load what the calls need before, at full priority. */
export function answerService(calls: Calls): void {
  lowerPriority();
  endWithParent();
  // Ctrl+C reaches every process of a terminal, but this one ends with its parent.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const memory = new MemoryRelease();
  answerParent(calls, { onCall: () => memory.cancel(), onReply: () => memory.schedule() });
  // This process is killed in the end: it would never write the cache itself, and the next would compile all anew.
  flushCompileCache();
  memory.schedule();
}

/** When CPU time is scarce, readers come first; when memory is, the system kills this process before the service. */
function lowerPriority(): void {
  lowerProcessPriority();
  try {
    writeFileSync("/proc/self/oom_score_adj", "500");
  } catch {
    // Another operating system, or not permitted: the priority is unchanged.
  }
}

/**
 * A thread ends this process soon after its parent, as a busy event loop does not notice the closed channel: it polls
 * the parent's id, for 10 MB, 30 ms of CPU time once and 0.6 ms a second. It is plain JavaScript, which loads no type
 * stripper.
 */
function endWithParent(): void {
  const { pid, ppid } = process;
  const code = `setInterval(() => process.ppid === ${ppid} || process.kill(${pid}, "SIGKILL"), ${CHECK_INTERVAL_MS})`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };
  const thread = new Worker(code, { eval: true, env: {}, execArgv: [], resourceLimits });
  thread.unref();
  // If the thread fails, this process still ends, but only after the text in progress.
  thread.on("error", () => undefined);
}

/** Returns memory when idle and grown (after a text of 2 MB, 400 MB to 155), for 0.2 s of CPU time. */
class MemoryRelease {
  #timer: NodeJS.Timeout | undefined;
  #releasedBytes = 0;

  schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#release(), IDLE_MS).unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #release(): void {
    if (process.memoryUsage.rss() < this.#releasedBytes + GROWTH_BYTES) return;
    // Needs --expose-gc.
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
    this.#releasedBytes = process.memoryUsage.rss();
  }
}
