/** What nobody catches, and what Node warns of, are lines of the log like all others. */
import type { Log } from "../log.ts";

/** From now on an uncaught error is logged and ends the process, and warnings of Node are logged instead of printed. */
export function logFatalErrors(log: Pick<Log, "error" | "warn" | "flush">): void {
  process.on("uncaughtException", (error, origin) => {
    try {
      log.error(
        error,
        `the process ends: ${origin === "unhandledRejection" ? "unhandled rejection" : "uncaught error"}`,
      );
      log.flush();
    } finally {
      // oxlint-disable-next-line no-restricted-properties -- an uncaught error ends the process, as it does without us
      process.exit(1);
    }
  });
  // The listener that prints them.
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => log.warn({ name, reason: message }, "warning of Node"));
}
