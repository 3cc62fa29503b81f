/** The message loop of the processes that handle untrusted text: content-worker.ts and import-worker.ts. */
import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { constants, setPriority } from "node:os";
import type { FromContentProcess, Refusal, ToContentProcess } from "./messages.ts";
import { AppError } from "../domain/system/errors.ts";
import { endWithParent } from "./end-with-parent.ts";
import { MemoryRelease } from "./release-memory.ts";

type Reply = FromContentProcess | undefined;
type Send = (message: FromContentProcess) => void;

const send: Send = (message) => process.send?.(message);

/** Handles one message after another until the channel to the parent closes. */
export function serveParent(make: (send: Send) => (message: ToContentProcess) => Promise<Reply> | Reply): void {
  lowerPriority();
  endWithParent();
  // Ctrl+C reaches every process of a terminal, but this one ends with its parent.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const answer = make(send);
  const memory = new MemoryRelease();
  const work = async (message: ToContentProcess) => {
    memory.cancel();
    try {
      const said = await answer(message);
      if (said !== undefined) send(said);
    } catch (error) {
      send(toRefusal(error));
    }
    memory.schedule();
  };
  let last = Promise.resolve();
  process.on("message", (message: ToContentProcess) => {
    last = last.then(() => work(message));
  });
  send({ type: "ready" });
  // This process is killed in the end, so it would never write the cache by itself, and the next one would compile all anew.
  flushCompileCache();
  memory.schedule();
}

export function toRefusal(error: unknown): Refusal {
  if (error instanceof AppError) {
    return { type: "refused", code: error.code, message: error.message, field: error.field };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { type: "failed", message, stack };
}

/** When CPU time is scarce, readers come first; when memory is scarce, the system kills this process before the service. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    writeFileSync("/proc/self/oom_score_adj", "500");
  } catch {
    // Another operating system, or not permitted: the priority is unchanged.
  }
}
