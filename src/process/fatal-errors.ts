/** Logs uncaught errors and Node's warnings like all other lines. */
import type { Log } from "../log.ts";

/** Installs handlers that log an uncaught error before the process ends, and log Node's warnings instead of printing them. */
export function logFatalErrors(log: Pick<Log, "error" | "warn" | "flush">): void {
  process.on("uncaughtException", (error, origin) => {
    try {
      log.error(
        error,
        `the process ends: ${origin === "unhandledRejection" ? "unhandled rejection" : "uncaught error"}`,
      );
      log.flush();
    } finally {
      // oxlint-disable-next-line no-restricted-properties -- an uncaught error must end the process, as it does by default
      process.exit(1);
    }
  });
  // Removes the listener that prints warnings.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => log.warn({ name, reason: message }, "warning of Node"));
}
