/** The signals that stop a process which runs until it is told to stop. */
import { constants } from "node:os";

/** `disconnect`: the launcher (bin/rostrum.js) is gone. */
export type StopReason = "SIGINT" | "SIGTERM" | "disconnect";

/** Ctrl-C reaches every process of the terminal's group, and launchers pass it on: one key press may arrive several times. */
const SAME_SIGNAL_MS = 500;

/**
 * Resolves at the first signal, which gives the process time to finish. A later one, of either kind, calls `exit` with the
 * code that shells use for that signal: the first process of a container cannot be ended by a signal that it does not handle.
 */
export function whenStopped(exit: (code: number) => void): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>();
  let firstAt: number | undefined;
  const stop = (reason: StopReason) => {
    firstAt ??= performance.now();
    resolve(reason);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) exit(128 + constants.signals[signal]);
      else stop(signal);
    });
  }
  process.on("disconnect", () => stop("disconnect"));
  // Listening to the launcher's channel must not keep the process alive.
  process.channel?.unref();
  return promise;
}
