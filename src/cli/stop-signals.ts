import { constants } from "node:os";

/** `disconnect`: the launcher (bin/rostrum.js) has exited. */
export type StopReason = "SIGINT" | "SIGTERM" | "disconnect";

/** Ctrl-C reaches every process of the terminal's group, and launchers forward it: one key press may arrive twice. */
const SAME_SIGNAL_MS = 500;

/** Resolves at the first signal. A later one calls `exit` with its code: PID 1 ignores signals without a handler. */
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
  // bin/started-by-npm.js
  process.on("shellEnded", () => stop("SIGTERM"));
  // The launcher's channel must not keep the process alive.
  process.channel?.unref();
  return promise;
}
